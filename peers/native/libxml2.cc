// libxml2: tree, and events. Its contexts are kept. Entities are resolved, the network is not used, and long text is allowed.
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

#include "peer.hpp"

namespace {

const int OPTIONS = XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;

const char *chars(const xmlChar *text) { return reinterpret_cast<const char *>(text); }
size_t length_of(const xmlChar *text) { return std::strlen(chars(text)); }

// A name with its prefix, as it stands in the message.
struct Name {
  char buffer[128];
  const char *data;
  size_t length;

  Name(const xmlNs *space, const xmlChar *local) : data(chars(local)), length(length_of(local)) {
    if (space && space->prefix) join(chars(space->prefix), length_of(space->prefix));
  }
  void join(const char *prefix, size_t before) {
    if (before + 1 + length > sizeof buffer) return;
    std::memcpy(buffer, prefix, before);
    buffer[before] = ':';
    std::memcpy(buffer + before + 1, data, length);
    data = buffer;
    length += before + 1;
  }
};

template <class Sink>
void visit_tree(const xmlNode *node, Sink &sink) {
  Name name(node->ns, node->name);
  sink.element(name.data, name.length);
  for (const xmlNs *space = node->nsDef; space; space = space->next) {
    static const xmlChar XMLNS[] = "xmlns";
    const xmlNs xmlns = {nullptr, XML_NAMESPACE_DECL, nullptr, space->prefix ? XMLNS : nullptr, nullptr, nullptr};
    Name declared(&xmlns, space->prefix ? space->prefix : XMLNS);
    sink.attribute(declared.data, declared.length, chars(space->href), length_of(space->href));
  }
  for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
    Name called(attribute->ns, attribute->name);
    // An attribute's text is one node, unless it holds entities that are kept, which OPTIONS rules out.
    const xmlChar *value = attribute->children ? attribute->children->content : nullptr;
    sink.attribute(called.data, called.length, chars(value), value ? length_of(value) : 0);
  }
  for (const xmlNode *inner = node->children; inner; inner = inner->next) {
    if (inner->type == XML_ELEMENT_NODE)
      visit_tree(inner, sink);
    else if (inner->type == XML_TEXT_NODE || inner->type == XML_CDATA_SECTION_NODE)
      sink.characters(chars(inner->content), length_of(inner->content));
  }
  sink.end();
}

struct Tree {
  xmlParserCtxtPtr context = xmlNewParserCtxt();
  xmlBufferPtr text = xmlBufferCreate();

  Tree(const Message *, size_t) {}
  ~Tree() {
    xmlBufferFree(text);
    xmlFreeParserCtxt(context);
  }

  xmlDocPtr parse(const Message &message) {
    return xmlCtxtReadMemory(context, message.data, int(message.length), nullptr, nullptr, OPTIONS);
  }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    xmlDocPtr document = parse(message);
    if (!document) return false;
    visit_tree(xmlDocGetRootElement(document), sink);
    xmlFreeDoc(document);
    return true;
  }

  bool render(const Message &message, std::string &out) {
    xmlDocPtr document = parse(message);
    if (!document) return false;
    xmlBufferEmpty(text);
    xmlNodeDump(text, document, xmlDocGetRootElement(document), 0, 0);
    out.append(chars(xmlBufferContent(text)), size_t(xmlBufferLength(text)));
    xmlFreeDoc(document);
    return true;
  }
};

// The events of SAX 1: names as they stand in the message.
template <class Sink>
struct Events {
  static void start(void *sink, const xmlChar *name, const xmlChar **attributes) {
    auto &to = *static_cast<Sink *>(sink);
    to.element(chars(name), length_of(name));
    for (; attributes && attributes[0]; attributes += 2)
      to.attribute(chars(attributes[0]), length_of(attributes[0]), chars(attributes[1]), length_of(attributes[1]));
  }
  static void end(void *sink, const xmlChar *) { static_cast<Sink *>(sink)->end(); }
  static void text(void *sink, const xmlChar *text, int length) { static_cast<Sink *>(sink)->characters(chars(text), size_t(length)); }
};

// Bytes that are handed over at once where a message is longer: what a reader of a file or socket would do.
const size_t PART = 1 << 20;

struct Writes {
  xmlTextWriterPtr writer;

  void element(const char *name, size_t) { xmlTextWriterStartElement(writer, reinterpret_cast<const xmlChar *>(name)); }
  void attribute(const char *name, size_t, const char *value, size_t) {
    xmlTextWriterWriteAttribute(writer, reinterpret_cast<const xmlChar *>(name), reinterpret_cast<const xmlChar *>(value));
  }
  void characters(const char *text, size_t length) {
    // The writer wants an end, which the parser's text does not have.
    piece.assign(text, length);
    xmlTextWriterWriteString(writer, reinterpret_cast<const xmlChar *>(piece.c_str()));
  }
  void end() { xmlTextWriterEndElement(writer); }

  std::string piece;
};

struct Sax {
  xmlBufferPtr text = xmlBufferCreate();

  Sax(const Message *, size_t) {}
  ~Sax() { xmlBufferFree(text); }

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    xmlSAXHandler handler = {};
    handler.startElement = Events<Sink>::start;
    handler.endElement = Events<Sink>::end;
    handler.characters = handler.cdataBlock = handler.ignorableWhitespace = Events<Sink>::text;
    // With a whole message at once the push parser does what xmlSAXUserParseMemory does; and it takes parts.
    xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&handler, &sink, nullptr, 0, nullptr);
    if (!context) return false;
    xmlCtxtUseOptions(context, OPTIONS);
    bool good = true;
    for (size_t at = 0; good && at < message.length; at += PART) {
      size_t length = message.length - at < PART ? message.length - at : PART;
      good = xmlParseChunk(context, message.data + at, int(length), at + length == message.length) == 0;
    }
    good = good && context->wellFormed;
    xmlFreeParserCtxt(context);
    return good;
  }

  bool render(const Message &message, std::string &out) {
    xmlBufferEmpty(text);
    Writes writes{xmlNewTextWriterMemory(text, 0), {}};
    bool good = visit(message, writes);
    xmlFreeTextWriter(writes.writer);
    out.append(chars(xmlBufferContent(text)), size_t(xmlBufferLength(text)));
    return good;
  }
};

}  // namespace

PEER(peer_libxml2_dom, Tree)
PEER(peer_libxml2_sax, Sax)
