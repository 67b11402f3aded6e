// simdjson as the system packages it.
#include <simdjson.h>

#include "peer.hpp"
#include "simdjson.inc"

PEER(peer_simdjson_packaged_dom, Tree)
PEER(peer_simdjson_packaged_on_demand, OnDemand)
PEER(peer_simdjson_packaged_many, Many<true>, false)
PEER(peer_simdjson_packaged_many_alone, Many<false>, false)
