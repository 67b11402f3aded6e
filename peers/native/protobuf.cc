// Protobuf C++: messages in an arena that is reset for each, and one message that is used again. The input is in Protobuf's format; the answer is
// the messages written again.
#include <google/protobuf/arena.h>

#include <memory>

#include "messages.pb.h"
#include "peer.hpp"

namespace {

template <class T>
struct Codec {
  const Message *messages;
  size_t count;
  std::vector<char> block = std::vector<char>(1 << 16);
  google::protobuf::Arena arena;
  google::protobuf::Arena values_arena;
  std::vector<T *> values;
  T reused;
  std::string text;

  static google::protobuf::ArenaOptions first_block(std::vector<char> &block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block.data();
    options.initial_block_size = block.size();
    return options;
  }

  Codec(const Message *messages, size_t count) : messages(messages), count(count), arena(first_block(block)) {}

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
  int in_arena(Visit visit) {
    for (size_t at = 0; at < count; at++) {
      arena.Reset();
      auto *value = google::protobuf::Arena::CreateMessage<T>(&arena);
      if (!value->ParseFromArray(messages[at].data, int(messages[at].length))) return 1;
      visit(*value);
    }
    return 0;
  }

  template <class Visit>
  int in_one(Visit visit) {
    for (size_t at = 0; at < count; at++) {
      if (!reused.ParseFromArray(messages[at].data, int(messages[at].length))) return 1;
      visit(reused);
    }
    return 0;
  }

  template <bool ARENA>
  static int decode(void *self, uint64_t *seen) {
    auto *codec = static_cast<Codec *>(self);
    uint64_t cached = 0;
    auto touch = [&](const T &value) { cached += uint64_t(value.GetCachedSize()) + 1; };
    int failed = ARENA ? codec->in_arena(touch) : codec->in_one(touch);
    *seen = cached;
    return failed;
  }

  template <bool ARENA>
  static int check(void *self, Answer *answer) {
    auto *codec = static_cast<Codec *>(self);
    Digest digest;
    auto written = [&](const T &value) {
      std::string text = value.SerializeAsString();
      digest.text(text.data(), text.size());
    };
    int failed = ARENA ? codec->in_arena(written) : codec->in_one(written);
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

  template <bool ARENA>
  static constexpr Peer peer() {
    return {prepare, decode<ARENA>, check<ARENA>, nullptr, encode, release};
  }
};

}  // namespace

extern "C" {
extern const Peer peer_protobuf_arena_complex, peer_protobuf_arena_flat, peer_protobuf_arena_sales;
extern const Peer peer_protobuf_reused_complex, peer_protobuf_reused_flat, peer_protobuf_reused_sales;
const Peer peer_protobuf_arena_complex = Codec<peers::Complex>::peer<true>();
const Peer peer_protobuf_arena_flat = Codec<peers::Flat>::peer<true>();
const Peer peer_protobuf_arena_sales = Codec<peers::Sales>::peer<true>();
const Peer peer_protobuf_reused_complex = Codec<peers::Complex>::peer<false>();
const Peer peer_protobuf_reused_flat = Codec<peers::Flat>::peer<false>();
const Peer peer_protobuf_reused_sales = Codec<peers::Sales>::peer<false>();
}
