// What a reply costs by itself, without a gateway: read by the usual C++ library, and printed as JSON.
#include <google/protobuf/arena.h>
#include <google/protobuf/util/json_util.h>
#include <pugixml.hpp>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "search.pb.h"

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

// An element as an object of its attributes, children and text; names that follow each other are an array. Texts stay texts.
void element(Writer &out, pugi::xml_node node) {
  auto first = node.first_child();
  if (!node.first_attribute() && first && first.type() == pugi::node_pcdata && !first.next_sibling()) {
    out.String(first.value());
    return;
  }
  out.StartObject();
  for (auto attribute : node.attributes()) {
    out.Key(attribute.name());
    out.String(attribute.value());
  }
  for (auto child = first; child;) {
    if (child.type() != pugi::node_element) {
      out.Key("$t");
      out.String(child.value());
      child = child.next_sibling();
      continue;
    }
    const char *name = child.name();
    out.Key(name);
    auto next = child.next_sibling();
    if (!next || std::strcmp(next.name(), name) != 0) {
      element(out, child);
      child = next;
      continue;
    }
    out.StartArray();
    for (; child && std::strcmp(child.name(), name) == 0; child = child.next_sibling()) element(out, child);
    out.EndArray();
  }
  out.EndObject();
}

}  // namespace

// Both give the length of the JSON text, or 0 if they can't read the reply.
extern "C" size_t reply_xml(const char *data, size_t length) {
  static pugi::xml_document document;
  static rapidjson::StringBuffer text;
  if (!document.load_buffer(data, length, pugi::parse_default, pugi::encoding_utf8)) return 0;
  text.Clear();
  Writer writer(text);
  element(writer, document);
  return text.GetSize();
}

extern "C" size_t reply_protobuf(const char *data, size_t length) {
  static google::protobuf::Arena arena;
  static std::string text;
  auto *reply = google::protobuf::Arena::CreateMessage<example::market::search::v1::FindItemsByKeywordsResponse>(&arena);
  if (!reply->ParseFromArray(data, static_cast<int>(length))) return 0;
  text.clear();
  if (!google::protobuf::util::MessageToJsonString(*reply, &text).ok()) return 0;
  arena.Reset();
  return text.size();
}
