// RapidJSON: ticket sales by events and by its tree, with times as integers and as text.
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "dates.hpp"
#include "sales.hpp"

namespace {

using sales::ALL;
using sales::Sales;
using sales::Voucher;

// A tree whose room is kept from message to message.
using Arena = rapidjson::MemoryPoolAllocator<>;
using Document = rapidjson::GenericDocument<rapidjson::UTF8<>, Arena, Arena>;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using rapidjson::Value;

struct Integers {
  static bool write(Writer &writer, int64_t time) { return writer.Int64(time); }
  static bool value(int64_t time, Value &value, Arena &) { return value.SetInt64(time), true; }
  static bool read(const Value &value, int64_t &time) { return value.IsInt64() && (time = value.GetInt64(), true); }
  static bool number(int64_t number, int64_t &time) { return time = number, true; }
  static bool text(const char *, int64_t &) { return false; }
};

struct Dates {
  static bool write(Writer &writer, int64_t time) {
    DateText date;
    return date.write(time) && writer.String(date.text, rapidjson::SizeType(date.length));
  }
  static bool value(int64_t time, Value &value, Arena &arena) {
    DateText date;
    return date.write(time) && (value.SetString(date.text, rapidjson::SizeType(date.length), arena), true);
  }
  static bool read(const Value &value, int64_t &time) { return value.IsString() && DateText::read(value.GetString(), time); }
  static bool number(int64_t, int64_t &) { return false; }
  static bool text(const char *text, int64_t &time) { return DateText::read(text, time); }
};

// Events that fill sales. Keys are told apart by their only letter.
template <class Times>
struct Fill : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Fill<Times>> {
  enum { NOWHERE, SALES, LIST, VOUCHER } place = NOWHERE;
  Sales &sales;
  char name = 0;
  unsigned sales_seen = 0, seen = 0;

  explicit Fill(Sales &sales) : sales(sales) {}

  // What isn't expected ends the parse.
  bool Default() { return false; }

  bool StartObject() {
    if (place == NOWHERE) return place = SALES, true;
    if (place != LIST) return false;
    sales.v.emplace_back();
    seen = 0;
    return place = VOUCHER, true;
  }
  bool EndObject(rapidjson::SizeType) {
    if (place == VOUCHER) return place = LIST, seen == ALL;
    return place = NOWHERE, sales_seen == ALL;
  }
  bool StartArray() {
    if (place != SALES || name != 'v') return false;
    sales_seen |= 16;
    return place = LIST, true;
  }
  bool EndArray(rapidjson::SizeType) { return place = SALES, true; }
  bool Key(const char *text, rapidjson::SizeType length, bool) { return name = *text, length == 1; }

  bool Bool(bool truth) {
    if (place != VOUCHER || name != 'b') return false;
    sales.v.back().b = truth;
    return seen |= 16, true;
  }
  bool Double(double number) {
    if (place != VOUCHER || name != 's') return false;
    sales.v.back().s = number;
    return seen |= 2, true;
  }
  bool Int(int number) { return Int64(number); }
  bool Uint(unsigned number) { return Uint64(number); }
  bool Uint64(uint64_t number) {
    if (name == 'n' && place == VOUCHER) return sales.v.back().n = number, seen |= 1, true;
    if (name == 'n' && place == SALES) return sales.n = number, sales_seen |= 1, true;
    return number <= uint64_t(INT64_MAX) && Int64(int64_t(number));
  }
  bool Int64(int64_t number) {
    if (name == 'm' && place == SALES) return sales.m = int32_t(number), sales_seen |= 2, sales.m == number;
    return time([&](int64_t &time) { return Times::number(number, time); });
  }
  bool String(const char *text, rapidjson::SizeType length, bool) {
    if (name == 'g' && place == VOUCHER) return sales.v.back().g.assign(text, length), seen |= 4, true;
    return time([&](int64_t &time) { return Times::text(text, time); });
  }

  template <class Read>
  bool time(Read read) {
    if (name == 't' && place == VOUCHER) return seen |= 8, read(sales.v.back().t);
    if (name == 's' && place == SALES) return sales_seen |= 4, read(sales.s);
    return name == 'e' && place == SALES && (sales_seen |= 8, read(sales.e));
  }
};

template <class Times>
struct Sax {
  rapidjson::Reader reader;
  rapidjson::StringBuffer text;

  bool write(const Sales &sales, std::string_view &bytes) {
    text.Clear();
    Writer writer(text);
    auto key = [&](const char *name) { writer.Key(name, 1); };
    writer.StartObject();
    key("n"), writer.Uint64(sales.n);
    key("m"), writer.Int(sales.m);
    key("s");
    if (!Times::write(writer, sales.s)) return false;
    key("e");
    if (!Times::write(writer, sales.e)) return false;
    key("v"), writer.StartArray();
    for (const Voucher &voucher : sales.v) {
      writer.StartObject();
      key("n"), writer.Uint64(voucher.n);
      // Numbers that JSON has not are refused.
      key("s");
      if (!writer.Double(voucher.s)) return false;
      key("g"), writer.String(voucher.g.data(), rapidjson::SizeType(voucher.g.size()));
      key("t");
      if (!Times::write(writer, voucher.t)) return false;
      key("b"), writer.Bool(voucher.b);
      writer.EndObject();
    }
    writer.EndArray();
    writer.EndObject();
    bytes = {text.GetString(), text.GetSize()};
    return true;
  }

  bool read(std::string_view bytes, Sales &sales) {
    rapidjson::MemoryStream memory(bytes.data(), bytes.size());
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(memory);
    Fill<Times> fill(sales);
    return !reader.Parse(stream, fill).IsError();
  }
};

template <class Times>
struct Dom {
  std::vector<char> values = std::vector<char>(1 << 16), stack = std::vector<char>(1 << 14);
  rapidjson::StringBuffer text;

  bool write(const Sales &sales, std::string_view &bytes) {
    Arena arena(values.data(), values.size()), stacked(stack.data(), stack.size());
    Document document(&arena, 1024, &stacked);
    document.SetObject();
    Value start, end, vouchers(rapidjson::kArrayType);
    if (!Times::value(sales.s, start, arena) || !Times::value(sales.e, end, arena)) return false;
    vouchers.Reserve(rapidjson::SizeType(sales.v.size()), arena);
    for (const Voucher &voucher : sales.v) {
      Value object(rapidjson::kObjectType), time;
      if (!Times::value(voucher.t, time, arena)) return false;
      object.AddMember("n", voucher.n, arena);
      object.AddMember("s", voucher.s, arena);
      object.AddMember("g", rapidjson::StringRef(voucher.g.data(), voucher.g.size()), arena);
      object.AddMember("t", time, arena);
      object.AddMember("b", voucher.b, arena);
      vouchers.PushBack(object, arena);
    }
    document.AddMember("n", sales.n, arena);
    document.AddMember("m", sales.m, arena);
    document.AddMember("s", start, arena);
    document.AddMember("e", end, arena);
    document.AddMember("v", vouchers, arena);
    text.Clear();
    Writer writer(text);
    if (!document.Accept(writer)) return false;
    bytes = {text.GetString(), text.GetSize()};
    return true;
  }

  bool read(std::string_view bytes, Sales &sales) {
    Arena arena(values.data(), values.size()), stacked(stack.data(), stack.size());
    Document document(&arena, 1024, &stacked);
    if (document.Parse(bytes.data(), bytes.size()).HasParseError() || !document.IsObject()) return false;
    auto field = [&](const Value &object, const char *name) -> const Value & {
      static const Value none;
      auto found = object.FindMember(name);
      return found == object.MemberEnd() ? none : found->value;
    };
    const Value &n = field(document, "n"), &m = field(document, "m"), &vouchers = field(document, "v");
    if (!n.IsUint64() || !m.IsInt() || !vouchers.IsArray()) return false;
    if (!Times::read(field(document, "s"), sales.s) || !Times::read(field(document, "e"), sales.e)) return false;
    sales.n = n.GetUint64();
    sales.m = m.GetInt();
    sales.v.reserve(vouchers.Size());
    for (const Value &object : vouchers.GetArray()) {
      if (!object.IsObject()) return false;
      const Value &n = field(object, "n"), &s = field(object, "s"), &g = field(object, "g"), &b = field(object, "b");
      Voucher &voucher = sales.v.emplace_back();
      if (!n.IsUint64() || !s.IsNumber() || !g.IsString() || !b.IsBool() || !Times::read(field(object, "t"), voucher.t)) return false;
      voucher.n = n.GetUint64();
      voucher.s = s.GetDouble();
      voucher.g.assign(g.GetString(), g.GetStringLength());
      voucher.b = b.GetBool();
    }
    return true;
  }
};

}  // namespace

SALES_PEER(peer_rapidjson_sax_sales, Sax<Integers>)
SALES_PEER(peer_rapidjson_sax_sales_dates, Sax<Dates>)
SALES_PEER(peer_rapidjson_dom_sales, Dom<Integers>)
SALES_PEER(peer_rapidjson_dom_sales_dates, Dom<Dates>)
