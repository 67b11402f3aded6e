// asn1c: ticket sales by the code that it makes of proto/sales.asn1, in three encoding rules.
#include <Sales.h>

#include <algorithm>

#include "sales.hpp"

namespace {

using sales::Voucher;

// The application's sales as the structures of the generated code: texts are pointed to, and the room is kept.
struct Told {
  std::vector<Voucher_t> vouchers;
  std::vector<Voucher_t *> list;
  Sales_t sales;

  bool of(const sales::Sales &from) {
    if (from.n > uint64_t(INT64_MAX)) return false;
    vouchers.clear();
    list.clear();
    vouchers.reserve(from.v.size());
    for (const Voucher &voucher : from.v) {
      if (voucher.n > uint64_t(INT64_MAX)) return false;
      Voucher_t told = {};
      told.n = long(voucher.n);
      told.s = voucher.s;
      told.g.buf = reinterpret_cast<uint8_t *>(const_cast<char *>(voucher.g.data()));
      told.g.size = int(voucher.g.size());
      told.t = voucher.t;
      told.b = voucher.b;
      list.push_back(&vouchers.emplace_back(told));
    }
    sales = {};
    sales.n = long(from.n);
    sales.m = from.m;
    sales.s = from.s;
    sales.e = from.e;
    sales.v.list.array = list.data();
    sales.v.list.count = sales.v.list.size = int(list.size());
    return true;
  }
};

// Of each way: `encode` puts the bytes into room that is kept, `decode` makes structures.
struct Xer {
  static int append(const void *bytes, size_t length, void *room) {
    static_cast<std::string *>(room)->append(static_cast<const char *>(bytes), length);
    return 0;
  }
  static bool encode(Sales_t &sales, std::string &room, std::string_view &bytes) {
    room.clear();
    if (xer_encode(&asn_DEF_Sales, &sales, XER_F_CANONICAL, append, &room).encoded < 0) return false;
    bytes = room;
    return true;
  }
  static asn_dec_rval_t decode(std::string_view bytes, void **made) {
    return xer_decode(nullptr, &asn_DEF_Sales, made, bytes.data(), bytes.size());
  }
};

// Bytes of the result; less than zero if these are more than there is room.
struct Ber {
  static ssize_t encode(Sales_t &sales, std::string &room) {
    return der_encode_to_buffer(&asn_DEF_Sales, &sales, room.data(), room.size()).encoded;
  }
  static asn_dec_rval_t decode(std::string_view bytes, void **made) {
    return ber_decode(nullptr, &asn_DEF_Sales, made, bytes.data(), bytes.size());
  }
};

struct Uper {
  static ssize_t encode(Sales_t &sales, std::string &room) {
    ssize_t bits = uper_encode_to_buffer(&asn_DEF_Sales, &sales, room.data(), room.size()).encoded;
    return bits < 0 ? bits : (bits + 7) / 8;
  }
  static asn_dec_rval_t decode(std::string_view bytes, void **made) {
    return uper_decode_complete(nullptr, &asn_DEF_Sales, made, bytes.data(), bytes.size());
  }
};

// Rules whose encoder has to be given the room.
template <class Rules>
struct Roomy : Rules {
  static constexpr size_t LEAST = 1 << 16, MOST = 1 << 26;

  static bool encode(Sales_t &sales, std::string &room, std::string_view &bytes) {
    for (room.resize(std::max(room.size(), LEAST)); room.size() <= MOST; room.resize(room.size() * 2)) {
      ssize_t length = Rules::encode(sales, room);
      if (length < 0) continue;
      bytes = {room.data(), size_t(length)};
      return true;
    }
    return false;
  }
};

template <class Rules>
struct Asn1c {
  Told told;
  std::string room;

  bool write(const sales::Sales &sales, std::string_view &bytes) { return told.of(sales) && Rules::encode(told.sales, room, bytes); }

  bool read(std::string_view bytes, sales::Sales &sales) {
    void *made = nullptr;
    bool good = Rules::decode(bytes, &made).code == RC_OK;
    if (good) {
      const auto &found = *static_cast<const Sales_t *>(made);
      good = found.n >= 0 && found.m >= INT32_MIN && found.m <= INT32_MAX;
      sales = {uint64_t(found.n), int32_t(found.m), found.s, found.e, {}};
      sales.v.reserve(size_t(found.v.list.count));
      for (int at = 0; at < found.v.list.count; at++) {
        const Voucher_t &voucher = *found.v.list.array[at];
        const char *text = reinterpret_cast<const char *>(voucher.g.buf);
        good &= voucher.n >= 0;
        sales.v.push_back({uint64_t(voucher.n), voucher.s, {text, size_t(voucher.g.size)}, voucher.t, voucher.b != 0});
      }
    }
    ASN_STRUCT_FREE(asn_DEF_Sales, made);
    return good;
  }
};

}  // namespace

SALES_PEER(peer_asn1c_ber_sales, Asn1c<Roomy<Ber>>)
SALES_PEER(peer_asn1c_uper_sales, Asn1c<Roomy<Uper>>)
SALES_PEER(peer_asn1c_xer_sales, Asn1c<Xer>)
