// json-glib: its parser and generator are kept.
#include <json-glib/json-glib.h>

#include "peer.hpp"

namespace {

template <class Sink>
void visit_tree(JsonNode *node, Sink &sink) {
  switch (json_node_get_node_type(node)) {
    case JSON_NODE_ARRAY: {
      sink.open('[');
      JsonArray *array = json_node_get_array(node);
      for (guint at = 0, count = json_array_get_length(array); at < count; at++) visit_tree(json_array_get_element(array, at), sink);
      sink.close(']');
      break;
    }
    case JSON_NODE_OBJECT: {
      sink.open('{');
      JsonObjectIter iter;
      const gchar *key;
      JsonNode *inner;
      json_object_iter_init_ordered(&iter, json_node_get_object(node));
      while (json_object_iter_next_ordered(&iter, &key, &inner)) {
        sink.key(key, std::strlen(key));
        visit_tree(inner, sink);
      }
      sink.close('}');
      break;
    }
    case JSON_NODE_VALUE:
      switch (json_node_get_value_type(node)) {
        case G_TYPE_STRING: {
          const gchar *text = json_node_get_string(node);
          sink.text(text, std::strlen(text));
          break;
        }
        case G_TYPE_BOOLEAN: sink.literal(json_node_get_boolean(node) ? 't' : 'f'); break;
        default: sink.number(json_node_get_double(node));
      }
      break;
    case JSON_NODE_NULL: sink.literal('0'); break;
  }
}

struct JsonGlib {
  JsonParser *parser = json_parser_new();
  JsonGenerator *generator = json_generator_new();
  GString *text = g_string_new(nullptr);

  JsonGlib(const Message *, size_t) {}
  ~JsonGlib() {
    g_object_unref(parser);
    g_object_unref(generator);
    g_string_free(text, TRUE);
  }

  JsonNode *parse(const Message &message) {
    return json_parser_load_from_data(parser, message.data, gssize(message.length), nullptr) ? json_parser_get_root(parser) : nullptr;
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    JsonNode *root = parse(message);
    if (!root) return false;
    visit_tree(root, sink);
    return true;
  }

  bool render(const Message &message, std::string &out) {
    JsonNode *root = parse(message);
    if (!root) return false;
    json_generator_set_root(generator, root);
    g_string_truncate(text, 0);
    json_generator_to_gstring(generator, text);
    out.append(text->str, text->len);
    return true;
  }
};

}  // namespace

PEER(peer_json_glib, JsonGlib)
