// The newest simdjson, from source. The build renames its namespace, since the packaged one is in the same program.
#include "simdjson.h"

#include "peer.hpp"
#include "simdjson.inc"

PEER(peer_simdjson_newest_dom, Tree)
PEER(peer_simdjson_newest_on_demand, OnDemand)
PEER(peer_simdjson_newest_many, Many<true>, false)
PEER(peer_simdjson_newest_many_alone, Many<false>, false)
