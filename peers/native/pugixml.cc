// pugixml, which copies the message itself.
#include <pugixml.hpp>

#include "peer.hpp"

namespace {

template <class Sink>
void visit_tree(pugi::xml_node node, Sink &sink) {
  sink.element(node.name(), std::strlen(node.name()));
  for (auto attribute = node.first_attribute(); attribute; attribute = attribute.next_attribute())
    sink.attribute(attribute.name(), std::strlen(attribute.name()), attribute.value(), std::strlen(attribute.value()));
  for (auto inner = node.first_child(); inner; inner = inner.next_sibling()) {
    if (inner.type() == pugi::node_element)
      visit_tree(inner, sink);
    else
      sink.characters(inner.value(), std::strlen(inner.value()));
  }
  sink.end();
}

struct Append : pugi::xml_writer {
  std::string &out;

  explicit Append(std::string &out) : out(out) {}
  void write(const void *data, size_t size) override { out.append(static_cast<const char *>(data), size); }
};

struct PugiXml {
  pugi::xml_document document;

  PugiXml(const Message *, size_t) {}

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    if (!document.load_buffer(message.data, message.length, pugi::parse_default, pugi::encoding_utf8)) return false;
    visit_tree(document.document_element(), sink);
    return true;
  }

  bool render(const Message &message, std::string &out) {
    if (!document.load_buffer(message.data, message.length, pugi::parse_default, pugi::encoding_utf8)) return false;
    Append append(out);
    document.save(append, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
    return true;
  }
};

}  // namespace

PEER(peer_pugixml, PugiXml)
