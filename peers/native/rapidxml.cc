// rapidxml. Parsing destroys the message, so the copy is inside the clock.
#include <rapidxml/rapidxml.hpp>

// The printing header uses these before it declares them, which compilers have long refused.
namespace rapidxml::internal {
template <class OutIt, class Ch> OutIt print_children(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_attributes(OutIt, const xml_node<Ch> *, int);
template <class OutIt, class Ch> OutIt print_data_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_cdata_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_element_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_declaration_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_comment_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_doctype_node(OutIt, const xml_node<Ch> *, int, int);
template <class OutIt, class Ch> OutIt print_pi_node(OutIt, const xml_node<Ch> *, int, int);
}  // namespace rapidxml::internal

#include <iterator>
#include <rapidxml/rapidxml_print.hpp>

#include "peer.hpp"

namespace {

template <class Sink>
void visit_tree(const rapidxml::xml_node<> *node, Sink &sink) {
  sink.element(node->name(), node->name_size());
  for (auto *attribute = node->first_attribute(); attribute; attribute = attribute->next_attribute())
    sink.attribute(attribute->name(), attribute->name_size(), attribute->value(), attribute->value_size());
  for (auto *inner = node->first_node(); inner; inner = inner->next_sibling()) {
    if (inner->type() == rapidxml::node_element)
      visit_tree(inner, sink);
    else
      sink.characters(inner->value(), inner->value_size());
  }
  sink.end();
}

struct RapidXml {
  std::vector<char> copy;
  rapidxml::xml_document<> document;

  RapidXml(const Message *, size_t) {}

  rapidxml::xml_node<> *parse(const Message &message) {
    copy.assign(message.data, message.data + message.length);
    copy.push_back('\0');
    document.clear();
    // Only the first piece of the pool is part of the document: the others are given back, as its users do between messages.
    document.rapidxml::memory_pool<>::clear();
    document.parse<rapidxml::parse_default>(copy.data());
    return document.first_node();
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    auto *root = parse(message);
    if (!root) return false;
    visit_tree(root, sink);
    return true;
  }

  bool render(const Message &message, std::string &out) {
    if (!parse(message)) return false;
    rapidxml::print(std::back_inserter(out), document, rapidxml::print_no_indenting);
    return true;
  }
};

}  // namespace

PEER(peer_rapidxml, RapidXml)
