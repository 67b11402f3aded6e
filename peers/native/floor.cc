// The least that looking at every byte can cost: the C library's own scans, for a byte that no message holds. strlen needs it behind the only one. And a copy.
#include <algorithm>
#include <cstring>

#include "peer.hpp"

namespace {

struct Strlen {
  Strlen(const Message *, size_t) {}

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    size_t length = std::strlen(message.data);
    sink.text(message.data, length);
    return length == message.length;
  }
};

struct Memchr {
  Memchr(const Message *, size_t) {}

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    sink.text(message.data, message.length);
    return !std::memchr(message.data, 0, message.length);
  }
};

struct Memcpy {
  std::vector<char> copy;

  Memcpy(const Message *messages, size_t count) {
    size_t longest = 0;
    for (size_t at = 0; at < count; at++) longest = std::max(longest, messages[at].length);
    copy.resize(longest);
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    std::memcpy(copy.data(), message.data, message.length);
    sink.text(copy.data(), message.length);
    return true;
  }
};

}  // namespace

PEER(peer_strlen, Strlen, false)
PEER(peer_memchr, Memchr, false)
PEER(peer_memcpy, Memcpy, false)
