// libbson: ticket sales as a document of its fields, read by iterators.
#include <bson/bson.h>

#include <type_traits>

#include "sales.hpp"

namespace {

using sales::ALL;
using sales::Sales;
using sales::Voucher;

struct Bson {
  // Its buffer is kept.
  bson_t document;

  Bson() { bson_init(&document); }
  Bson(const Bson &) = delete;
  ~Bson() { bson_destroy(&document); }

  // BSON's integers have a sign.
  static bool append(bson_t *document, const char *name, uint64_t number) {
    return number <= uint64_t(INT64_MAX) && bson_append_int64(document, name, 1, int64_t(number));
  }

  bool write(const Sales &sales, std::string_view &bytes) {
    bson_reinit(&document);
    bson_t list, item;
    bool good = append(&document, "n", sales.n) && bson_append_int32(&document, "m", 1, sales.m) &&
                bson_append_int64(&document, "s", 1, sales.s) && bson_append_int64(&document, "e", 1, sales.e) &&
                bson_append_array_begin(&document, "v", 1, &list);
    if (!good) return false;
    uint32_t number = 0;
    for (const Voucher &voucher : sales.v) {
      char room[16];
      const char *key;
      size_t length = bson_uint32_to_string(number++, &key, room, sizeof room);
      good = bson_append_document_begin(&list, key, int(length), &item) && append(&item, "n", voucher.n) &&
             bson_append_double(&item, "s", 1, voucher.s) &&
             bson_append_utf8(&item, "g", 1, voucher.g.data(), int(voucher.g.size())) &&
             bson_append_int64(&item, "t", 1, voucher.t) && bson_append_bool(&item, "b", 1, voucher.b) &&
             bson_append_document_end(&list, &item);
      if (!good) return false;
    }
    if (!bson_append_array_end(&document, &list)) return false;
    bytes = {reinterpret_cast<const char *>(bson_get_data(&document)), document.len};
    return true;
  }

  bool read(std::string_view bytes, Sales &sales) {
    bson_t document;
    bson_iter_t iter;
    if (!bson_init_static(&document, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size())) return false;
    if (!bson_iter_init(&iter, &document)) return false;
    unsigned seen = 0;
    while (bson_iter_next(&iter)) {
      switch (letter(iter)) {
        case 'n': seen |= unsigned(integer(iter, sales.n)); break;
        case 'm':
          if (!BSON_ITER_HOLDS_INT32(&iter)) return false;
          sales.m = bson_iter_int32(&iter);
          seen |= 2;
          break;
        case 's': seen |= 4 * unsigned(integer(iter, sales.s)); break;
        case 'e': seen |= 8 * unsigned(integer(iter, sales.e)); break;
        case 'v': seen |= 16 * unsigned(vouchers(iter, sales.v)); break;
      }
    }
    return seen == ALL && iter.err_off == 0;
  }

  // The key, if it is one letter.
  static char letter(const bson_iter_t &iter) {
    const char *key = bson_iter_key(&iter);
    return *key && !key[1] ? *key : '\0';
  }

  template <class T>
  static bool integer(const bson_iter_t &iter, T &number) {
    if (!BSON_ITER_HOLDS_INT64(&iter)) return false;
    int64_t found = bson_iter_int64(&iter);
    number = T(found);
    return std::is_signed_v<T> || found >= 0;
  }

  static bool vouchers(const bson_iter_t &iter, std::vector<Voucher> &vouchers) {
    bson_iter_t items, fields;
    if (!BSON_ITER_HOLDS_ARRAY(&iter) || !bson_iter_recurse(&iter, &items)) return false;
    while (bson_iter_next(&items)) {
      if (!BSON_ITER_HOLDS_DOCUMENT(&items) || !bson_iter_recurse(&items, &fields)) return false;
      Voucher &voucher = vouchers.emplace_back();
      unsigned seen = 0;
      while (bson_iter_next(&fields)) {
        switch (letter(fields)) {
          case 'n': seen |= unsigned(integer(fields, voucher.n)); break;
          case 's':
            if (!BSON_ITER_HOLDS_DOUBLE(&fields)) return false;
            voucher.s = bson_iter_double(&fields);
            seen |= 2;
            break;
          case 'g': {
            uint32_t length;
            const char *text = bson_iter_utf8(&fields, &length);
            if (!text) return false;
            voucher.g.assign(text, length);
            seen |= 4;
            break;
          }
          case 't': seen |= 8 * unsigned(integer(fields, voucher.t)); break;
          case 'b':
            if (!BSON_ITER_HOLDS_BOOL(&fields)) return false;
            voucher.b = bson_iter_bool(&fields);
            seen |= 16;
            break;
        }
      }
      if (seen != ALL || fields.err_off != 0) return false;
    }
    return items.err_off == 0;
  }
};

}  // namespace

SALES_PEER(peer_libbson_sales, Bson)
