// Ticket sales as an application has them, and a Peer of a class that writes and reads them in a format of its own:
//   bool write(const Sales &, std::string_view &bytes)   the bytes are the class's and live until its next call
//   bool read(std::string_view bytes, Sales &)           into sales that are empty; false if something is missing or is of another kind
#ifndef POLYWIRE_SALES_HPP
#define POLYWIRE_SALES_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "digest.hpp"
#include "peer.h"

namespace sales {

struct Voucher {
  uint64_t n = 0;
  double s = 0;
  std::string g;
  int64_t t = 0;
  bool b = false;
};

// Times are in milliseconds since 1970.
struct Sales {
  uint64_t n = 0;
  int32_t m = 0;
  int64_t s = 0, e = 0;
  std::vector<Voucher> v;
};

// Which fields a reader found, a bit each: those of a voucher, or of the sales.
constexpr unsigned ALL = 0b11111;

bool of_protobuf(const Message &message, Sales &sales);
std::string to_protobuf(const Sales &sales);

template <class Format>
struct Codec {
  Format format;
  std::vector<Sales> values;
  // The values in the format.
  std::vector<std::string> messages;

  static void *prepare(const Message *inputs, size_t count) {
    try {
      auto codec = std::make_unique<Codec>();
      for (size_t at = 0; at < count; at++) {
        codec->values.emplace_back();
        std::string_view bytes;
        if (!of_protobuf(inputs[at], codec->values.back()) || !codec->format.write(codec->values.back(), bytes)) return nullptr;
        codec->messages.emplace_back(bytes);
      }
      return codec.release();
    } catch (...) {
      return nullptr;
    }
  }

  // Each message fills sales that are new, and that are freed.
  static int decode(void *self, uint64_t *seen) {
    auto *codec = static_cast<Codec *>(self);
    *seen = 0;
    try {
      for (const std::string &message : codec->messages) {
        Sales sales;
        if (!codec->format.read(message, sales)) return 1;
        *seen += sales.n + sales.v.size() + (sales.v.empty() ? 0 : sales.v.back().g.size());
      }
      return 0;
    } catch (...) {
      return 2;
    }
  }

  // What is written anew is read, and told as Protobuf.
  static int check(void *self, Answer *answer) {
    auto *codec = static_cast<Codec *>(self);
    Digest digest;
    try {
      for (size_t at = 0; at < codec->values.size(); at++) {
        std::string_view bytes;
        Sales sales;
        if (!codec->format.write(codec->values[at], bytes) || bytes != codec->messages[at]) return 1;
        if (!codec->format.read(codec->messages[at], sales)) return 1;
        std::string protobuf = to_protobuf(sales);
        digest.text(protobuf.data(), protobuf.size());
      }
    } catch (...) {
      return 2;
    }
    *answer = {digest.values, digest.digest()};
    return 0;
  }

  static int encode(void *self, const char **text, size_t *length) {
    auto *codec = static_cast<Codec *>(self);
    std::string_view bytes;
    try {
      for (const Sales &value : codec->values)
        if (!codec->format.write(value, bytes)) return 1;
    } catch (...) {
      return 2;
    }
    *text = bytes.data();
    *length = bytes.size();
    return 0;
  }

  static size_t size(void *self) {
    size_t bytes = 0;
    for (const std::string &message : static_cast<Codec *>(self)->messages) bytes += message.size();
    return bytes;
  }

  static void release(void *self) { delete static_cast<Codec *>(self); }
};

}  // namespace sales

// Defines the Peer `name` of the class with C linkage.
#define SALES_PEER(name, ...) \
  extern "C" const Peer name; \
  const Peer name = { \
      sales::Codec<__VA_ARGS__>::prepare, sales::Codec<__VA_ARGS__>::decode, sales::Codec<__VA_ARGS__>::check,   nullptr, \
      sales::Codec<__VA_ARGS__>::encode,  sales::Codec<__VA_ARGS__>::release, sales::Codec<__VA_ARGS__>::size};

#endif
