// json-c: its tokener is kept, its trees are not.
#include <json-c/json.h>

#include "peer.hpp"

namespace {

template <class Sink>
void visit_tree(json_object *value, Sink &sink) {
  switch (json_object_get_type(value)) {
    case json_type_array:
      sink.open('[');
      for (size_t at = 0, count = json_object_array_length(value); at < count; at++) visit_tree(json_object_array_get_idx(value, at), sink);
      sink.close(']');
      break;
    case json_type_object: {
      sink.open('{');
      json_object_object_foreach(value, key, inner) {
        sink.key(key, std::strlen(key));
        visit_tree(inner, sink);
      }
      sink.close('}');
      break;
    }
    case json_type_string: sink.text(json_object_get_string(value), json_object_get_string_len(value)); break;
    case json_type_int:
    case json_type_double: sink.number(json_object_get_double(value)); break;
    case json_type_boolean: sink.literal(json_object_get_boolean(value) ? 't' : 'f'); break;
    case json_type_null: sink.literal('0'); break;
  }
}

struct JsonC {
  json_tokener *tokener = json_tokener_new();

  JsonC(const Message *, size_t) {}
  ~JsonC() { json_tokener_free(tokener); }

  json_object *parse(const Message &message) {
    json_tokener_reset(tokener);
    return json_tokener_parse_ex(tokener, message.data, int(message.length));
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    json_object *root = parse(message);
    if (!root) return false;
    visit_tree(root, sink);
    json_object_put(root);
    return true;
  }

  bool render(const Message &message, std::string &out) {
    json_object *root = parse(message);
    if (!root) return false;
    size_t length = 0;
    const char *text = json_object_to_json_string_length(root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
    out.append(text, length);
    json_object_put(root);
    return true;
  }
};

}  // namespace

PEER(peer_json_c, JsonC)
