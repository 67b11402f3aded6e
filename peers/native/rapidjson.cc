// RapidJSON: tree, tree in the message's own place, events. Its SSE2 code is on: every x86-64 has that.
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "peer.hpp"

namespace {

template <class Sink>
void visit_tree(const rapidjson::Value &value, Sink &sink) {
  switch (value.GetType()) {
    case rapidjson::kArrayType:
      sink.open('[');
      for (const auto &item : value.GetArray()) visit_tree(item, sink);
      sink.close(']');
      break;
    case rapidjson::kObjectType:
      sink.open('{');
      for (const auto &field : value.GetObject()) {
        sink.key(field.name.GetString(), field.name.GetStringLength());
        visit_tree(field.value, sink);
      }
      sink.close('}');
      break;
    case rapidjson::kStringType: sink.text(value.GetString(), value.GetStringLength()); break;
    case rapidjson::kNumberType: sink.number(value.GetDouble()); break;
    case rapidjson::kTrueType: sink.literal('t'); break;
    case rapidjson::kFalseType: sink.literal('f'); break;
    case rapidjson::kNullType: sink.literal('0'); break;
  }
}

// A document of an arena that is kept from message to message.
using Arena = rapidjson::MemoryPoolAllocator<>;
using Document = rapidjson::GenericDocument<rapidjson::UTF8<>, Arena, Arena>;

struct Kept {
  std::vector<char> values = std::vector<char>(1 << 16), stack = std::vector<char>(1 << 14);
  rapidjson::StringBuffer text;

  bool write(const Document &document, std::string &out) {
    text.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    if (!document.Accept(writer)) return false;
    out.append(text.GetString(), text.GetSize());
    return true;
  }
};

struct Tree : Kept {
  Tree(const Message *, size_t) {}

  template <class Work>
  bool parsed(const Message &message, Work work) {
    Arena arena(values.data(), values.size()), stacked(stack.data(), stack.size());
    Document document(&arena, 1024, &stacked);
    document.Parse(message.data, message.length);
    return !document.HasParseError() && work(document);
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    return parsed(message, [&](const Document &document) { return visit_tree(document, sink), true; });
  }

  bool render(const Message &message, std::string &out) {
    return parsed(message, [&](const Document &document) { return write(document, out); });
  }
};

// Parsing destroys the message, so the copy is inside the clock.
struct InSitu : Kept {
  std::vector<char> copy;

  InSitu(const Message *, size_t) {}

  template <class Work>
  bool parsed(const Message &message, Work work) {
    copy.assign(message.data, message.data + message.length);
    copy.push_back('\0');
    Arena arena(values.data(), values.size()), stacked(stack.data(), stack.size());
    Document document(&arena, 1024, &stacked);
    document.ParseInsitu(copy.data());
    return !document.HasParseError() && work(document);
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    return parsed(message, [&](const Document &document) { return visit_tree(document, sink), true; });
  }

  bool render(const Message &message, std::string &out) {
    return parsed(message, [&](const Document &document) { return write(document, out); });
  }
};

template <class Sink>
struct Events : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Events<Sink>> {
  Sink &sink;

  explicit Events(Sink &sink) : sink(sink) {}

  bool Null() { return sink.literal('0'), true; }
  bool Bool(bool truth) { return sink.literal(truth ? 't' : 'f'), true; }
  bool Int(int number) { return sink.number(number), true; }
  bool Uint(unsigned number) { return sink.number(number), true; }
  bool Int64(int64_t number) { return sink.number(double(number)), true; }
  bool Uint64(uint64_t number) { return sink.number(double(number)), true; }
  bool Double(double number) { return sink.number(number), true; }
  bool String(const char *text, rapidjson::SizeType length, bool) { return sink.text(text, length), true; }
  bool StartObject() { return sink.open('{'), true; }
  bool Key(const char *text, rapidjson::SizeType length, bool) { return sink.key(text, length), true; }
  bool EndObject(rapidjson::SizeType) { return sink.close('}'), true; }
  bool StartArray() { return sink.open('['), true; }
  bool EndArray(rapidjson::SizeType) { return sink.close(']'), true; }
};

struct Sax {
  rapidjson::Reader reader;
  rapidjson::StringBuffer text;

  Sax(const Message *, size_t) {}

  template <class Handler>
  bool read(const Message &message, Handler &handler) {
    rapidjson::MemoryStream bytes(message.data, message.length);
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
    return !reader.Parse(stream, handler).IsError();
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    Events<Sink> events(sink);
    return read(message, events);
  }

  bool render(const Message &message, std::string &out) {
    text.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    if (!read(message, writer)) return false;
    out.append(text.GetString(), text.GetSize());
    return true;
  }
};

}  // namespace

PEER(peer_rapidjson_dom, Tree)
PEER(peer_rapidjson_in_situ, InSitu)
PEER(peer_rapidjson_sax, Sax)
