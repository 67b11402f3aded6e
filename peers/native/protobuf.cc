// Protobuf C++: messages in an arena that is reset for each, as it is by default and with a first block that outlives the reset, and one message
// that is used again. The input is in Protobuf's format; the answer is the messages written again.
#include <google/protobuf/arena.h>

#include <memory>

#include "finding.pb.h"
#include "messages.pb.h"
#include "peer.hpp"

namespace {

enum class Place { ARENA, FIRST_BLOCK, REUSED };

template <class T, Place PLACE>
struct Codec {
  const Message *messages;
  size_t count;
  // Larger than any of the messages, of which the arena then allocates nothing.
  std::vector<char> block = std::vector<char>(PLACE == Place::FIRST_BLOCK ? 1 << 18 : 0);
  google::protobuf::Arena arena;
  google::protobuf::Arena values_arena;
  std::vector<T *> values;
  T reused;
  std::string text;

  static google::protobuf::ArenaOptions options(std::vector<char> &block) {
    google::protobuf::ArenaOptions options;
    if (!block.empty()) {
      options.initial_block = block.data();
      options.initial_block_size = block.size();
    }
    return options;
  }

  Codec(const Message *messages, size_t count) : messages(messages), count(count), arena(options(block)) {}

  static void *prepare(const Message *messages, size_t count) {
    auto codec = std::make_unique<Codec>(messages, count);
    for (size_t at = 0; at < count; at++) {
      auto *value = google::protobuf::Arena::CreateMessage<T>(&codec->values_arena);
      if (!value->ParseFromArray(messages[at].data, int(messages[at].length))) return nullptr;
      codec->values.push_back(value);
    }
    return codec.release();
  }

  // Every message, by a function that is told each.
  template <class Visit>
  int each(Visit visit) {
    for (size_t at = 0; at < count; at++) {
      T *value = &reused;
      if constexpr (PLACE != Place::REUSED) {
        arena.Reset();
        value = google::protobuf::Arena::CreateMessage<T>(&arena);
      }
      if (!value->ParseFromArray(messages[at].data, int(messages[at].length))) return 1;
      visit(*value);
    }
    return 0;
  }

  static int decode(void *self, uint64_t *seen) {
    uint64_t cached = 0;
    int failed = static_cast<Codec *>(self)->each([&](const T &value) { cached += uint64_t(value.GetCachedSize()) + 1; });
    *seen = cached;
    return failed;
  }

  static int check(void *self, Answer *answer) {
    Digest digest;
    int failed = static_cast<Codec *>(self)->each([&](const T &value) {
      std::string text = value.SerializeAsString();
      digest.text(text.data(), text.size());
    });
    *answer = {digest.values, digest.digest()};
    return failed;
  }

  // Each message is written to the same buffer, which holds the last one in the end.
  static int encode(void *self, const char **text, size_t *length) {
    auto *codec = static_cast<Codec *>(self);
    for (const T *value : codec->values)
      if (!value->SerializeToString(&codec->text)) return 1;
    *text = codec->text.data();
    *length = codec->text.size();
    return 0;
  }

  static void release(void *self) { delete static_cast<Codec *>(self); }

};

template <class T, Place PLACE>
constexpr Peer peer() {
  using C = Codec<T, PLACE>;
  return {C::prepare, C::decode, C::check, nullptr, C::encode, C::release};
}

}  // namespace

#define PEERS(type, name) \
  extern "C" const Peer peer_protobuf_arena_##name, peer_protobuf_first_block_##name, peer_protobuf_reused_##name; \
  const Peer peer_protobuf_arena_##name = peer<peers::type, Place::ARENA>(); \
  const Peer peer_protobuf_first_block_##name = peer<peers::type, Place::FIRST_BLOCK>(); \
  const Peer peer_protobuf_reused_##name = peer<peers::type, Place::REUSED>();

PEERS(Complex, complex)
PEERS(Flat, flat)
PEERS(Sales, sales)
PEERS(FindItemsByKeywordsResponse, reply)
