// expat, with nobody to tell what it finds: less than any use of it does. The parser is kept, and reset between messages.
#include <expat.h>

#include "peer.hpp"

namespace {

struct Expat {
  XML_Parser parser = XML_ParserCreate(nullptr);

  Expat(const Message *, size_t) {}
  ~Expat() { XML_ParserFree(parser); }

  static void start(void *digest, const XML_Char *name, const XML_Char **attributes) {
    auto &to = *static_cast<Digest *>(digest);
    to.element(name, std::strlen(name));
    for (; attributes[0]; attributes += 2)
      to.attribute(attributes[0], std::strlen(attributes[0]), attributes[1], std::strlen(attributes[1]));
  }
  static void end(void *digest, const XML_Char *) { static_cast<Digest *>(digest)->end(); }
  static void text(void *digest, const XML_Char *text, int length) { static_cast<Digest *>(digest)->characters(text, size_t(length)); }

  bool parse(const Message &message) { return XML_Parse(parser, message.data, int(message.length), XML_TRUE) == XML_STATUS_OK; }

  bool visit(const Message &message, Fold &) { return XML_ParserReset(parser, nullptr) && parse(message); }

  // For the check, the digest is told everything.
  bool visit(const Message &message, Digest &digest) {
    if (!XML_ParserReset(parser, nullptr)) return false;
    XML_SetUserData(parser, &digest);
    XML_SetElementHandler(parser, start, end);
    XML_SetCharacterDataHandler(parser, text);
    return parse(message);
  }
};

}  // namespace

PEER(peer_expat, Expat, false)
