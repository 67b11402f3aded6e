// Protobuf C++ on ticket sales, from struct to bytes to struct: what a program does that has its data in types of its own. A message is filled by its
// setters and written; bytes are parsed and every field read into the struct, whose texts lie in the message. The message is in an arena with its default
// options, in one whose first block is at hand, or one that is used again.
#include <google/protobuf/arena.h>

#include <memory>
#include <string_view>

#include "messages.pb.h"
#include "peer.hpp"

namespace {

// The program's types: texts are its own where it writes, and views where it reads.
template <class Text>
struct Voucher {
  uint64_t n;
  double s;
  Text g;
  int64_t t;
  bool b;
};

template <class Text>
struct Sales {
  uint64_t n;
  int32_t m;
  int64_t s, e;
  std::vector<Voucher<Text>> v;
};

template <class Text>
void read(const peers::Sales &from, Sales<Text> &to) {
  to.n = from.n();
  to.m = from.m();
  to.s = from.s();
  to.e = from.e();
  to.v.clear();
  to.v.reserve(size_t(from.v_size()));
  for (const peers::Voucher &voucher : from.v()) to.v.push_back({voucher.n(), voucher.s(), Text(voucher.g()), voucher.t(), voucher.b()});
}

template <class Text>
void fill(const Sales<Text> &from, peers::Sales *to) {
  to->set_n(from.n);
  to->set_m(from.m);
  to->set_s(from.s);
  to->set_e(from.e);
  to->mutable_v()->Reserve(int(from.v.size()));
  for (const Voucher<Text> &voucher : from.v) {
    peers::Voucher *next = to->add_v();
    next->set_n(voucher.n);
    next->set_s(voucher.s);
    next->set_g(voucher.g.data(), voucher.g.size());
    next->set_t(voucher.t);
    next->set_b(voucher.b);
  }
}

enum class Place { Arena, FirstBlock, Reused };

template <Place PLACE>
struct Codec {
  const Message *messages;
  size_t count;
  std::vector<char> block = std::vector<char>(1 << 16);
  google::protobuf::Arena arena;
  peers::Sales reused;
  std::vector<Sales<std::string>> values;
  Sales<std::string_view> read_last;
  std::vector<uint8_t> text;

  static google::protobuf::ArenaOptions options(std::vector<char> &block) {
    google::protobuf::ArenaOptions options;
    if (PLACE == Place::FirstBlock) {
      options.initial_block = block.data();
      options.initial_block_size = block.size();
    }
    return options;
  }

  Codec(const Message *messages, size_t count) : messages(messages), count(count), arena(options(block)) {}

  static void *prepare(const Message *messages, size_t count) {
    auto codec = std::make_unique<Codec>(messages, count);
    for (size_t at = 0; at < count; at++) {
      peers::Sales value;
      if (!value.ParseFromArray(messages[at].data, int(messages[at].length))) return nullptr;
      codec->values.emplace_back();
      read(value, codec->values.back());
    }
    return codec.release();
  }

  // An empty message. An arena gives back what it took for the last one.
  peers::Sales *empty() {
    if (PLACE == Place::Reused) {
      reused.Clear();
      return &reused;
    }
    arena.Reset();
    return google::protobuf::Arena::CreateMessage<peers::Sales>(&arena);
  }

  template <class Visit>
  int each(Visit visit) {
    for (size_t at = 0; at < count; at++) {
      peers::Sales *value = empty();
      if (!value->ParseFromArray(messages[at].data, int(messages[at].length))) return 1;
      read(*value, read_last);
      visit(read_last);
    }
    return 0;
  }

  static int decode(void *self, uint64_t *seen) {
    uint64_t all = 0;
    int failed = static_cast<Codec *>(self)->each([&](const Sales<std::string_view> &sales) { all += sales.v.size() + 1; });
    *seen = all;
    return failed;
  }

  static int check(void *self, Answer *answer) {
    Digest digest;
    int failed = static_cast<Codec *>(self)->each([&](const Sales<std::string_view> &sales) {
      peers::Sales again;
      fill(sales, &again);
      std::string text = again.SerializeAsString();
      digest.text(text.data(), text.size());
    });
    *answer = {digest.values, digest.digest()};
    return failed;
  }

  // Each struct is written to the same buffer, which holds the last one in the end.
  static int encode(void *self, const char **text, size_t *length) {
    auto *codec = static_cast<Codec *>(self);
    for (const Sales<std::string> &value : codec->values) {
      peers::Sales *message = codec->empty();
      fill(value, message);
      codec->text.resize(message->ByteSizeLong());
      message->SerializeWithCachedSizesToArray(codec->text.data());
    }
    *text = reinterpret_cast<const char *>(codec->text.data());
    *length = codec->text.size();
    return 0;
  }

  static void release(void *self) { delete static_cast<Codec *>(self); }
};

template <Place PLACE>
constexpr Peer peer() {
  using C = Codec<PLACE>;
  return {C::prepare, C::decode, C::check, nullptr, C::encode, C::release};
}

}  // namespace

extern "C" {
extern const Peer peer_protobuf_sales_arena, peer_protobuf_sales_first_block, peer_protobuf_sales_reused;
const Peer peer_protobuf_sales_arena = peer<Place::Arena>();
const Peer peer_protobuf_sales_first_block = peer<Place::FirstBlock>();
const Peer peer_protobuf_sales_reused = peer<Place::Reused>();
}
