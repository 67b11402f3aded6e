// Makes a Peer of a class with
//   L(const Message *, size_t count)            what is made once
//   bool visit(const Message &, Sink &)         parse, and tell every value
//   bool render(const Message &, std::string &) parse, and append the text; left out where WRITES is false
#ifndef POLYWIRE_PEER_HPP
#define POLYWIRE_PEER_HPP

#include <string>
#include <vector>

#include "digest.hpp"
#include "peer.h"

template <class L>
struct Ready {
  const Message *messages;
  size_t count;
  L library;
  std::string text;

  Ready(const Message *messages, size_t count) : messages(messages), count(count), library(messages, count) {}

  static void *prepare(const Message *messages, size_t count) {
    try {
      return new Ready(messages, count);
    } catch (...) {
      return nullptr;
    }
  }

  template <class Sink>
  int each(Sink &sink) {
    try {
      for (size_t at = 0; at < count; at++)
        if (!library.visit(messages[at], sink)) return 1;
      return 0;
    } catch (...) {
      return 2;
    }
  }

  static int decode(void *self, uint64_t *seen) {
    Fold fold;
    int failed = static_cast<Ready *>(self)->each(fold);
    *seen = fold.seen;
    return failed;
  }

  static int check(void *self, Answer *answer) {
    Digest digest;
    int failed = static_cast<Ready *>(self)->each(digest);
    *answer = {digest.values, digest.digest()};
    return failed;
  }

  static int render(void *self, const char **text, size_t *length) {
    auto *ready = static_cast<Ready *>(self);
    ready->text.clear();
    try {
      for (size_t at = 0; at < ready->count; at++) {
        if (!ready->library.render(ready->messages[at], ready->text)) return 1;
        ready->text += '\n';
      }
    } catch (...) {
      return 2;
    }
    *text = ready->text.data();
    *length = ready->text.size();
    return 0;
  }

  static void release(void *self) { delete static_cast<Ready *>(self); }
};

template <class L, bool WRITES = true>
constexpr Peer peer() {
  if constexpr (WRITES)
    return {Ready<L>::prepare, Ready<L>::decode, Ready<L>::check, Ready<L>::render, nullptr, Ready<L>::release, nullptr};
  else
    return {Ready<L>::prepare, Ready<L>::decode, Ready<L>::check, nullptr, nullptr, Ready<L>::release, nullptr};
}

// Defines the Peer `name` of the class `L` with C linkage.
#define PEER(name, ...) \
  extern "C" const Peer name; \
  const Peer name = peer<__VA_ARGS__>();

#endif
