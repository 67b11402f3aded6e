// Protobuf C++ between bytes and JSON: by a message in an arena that is reset for each, with its default options, as a program has it; and by the type
// resolver of the same descriptors, without a message between. The input is in Protobuf's format, or its JSON.
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>
#include <type_traits>

#include "finding.pb.h"
#include "messages.pb.h"
#include "peer.hpp"

namespace {

namespace util = google::protobuf::util;

template <class T>
struct ByMessage {
  google::protobuf::Arena arena;

  T *empty() {
    arena.Reset();
    return google::protobuf::Arena::CreateMessage<T>(&arena);
  }

  bool to_json(const Message &bytes, std::string *out) {
    T *value = empty();
    return value->ParseFromArray(bytes.data, int(bytes.length)) && util::MessageToJsonString(*value, out).ok();
  }

  bool of_json(const Message &text, std::string *out) {
    T *value = empty();
    return util::JsonStringToMessage({text.data, text.length}, value).ok() && value->SerializeToString(out);
  }

  static bool canonical(std::string *) { return true; }
};

template <class T>
struct ByResolver {
  std::unique_ptr<util::TypeResolver> resolver{
      util::NewTypeResolverForDescriptorPool("type.googleapis.com", google::protobuf::DescriptorPool::generated_pool())};
  std::string url = "type.googleapis.com/" + T::descriptor()->full_name();

  bool to_json(const Message &bytes, std::string *out) {
    google::protobuf::io::ArrayInputStream from(bytes.data, int(bytes.length));
    google::protobuf::io::StringOutputStream to(out);
    return util::BinaryToJsonStream(resolver.get(), url, &from, &to, util::JsonPrintOptions()).ok();
  }

  bool of_json(const Message &text, std::string *out) {
    out->clear();
    google::protobuf::io::ArrayInputStream from(text.data, int(text.length));
    google::protobuf::io::StringOutputStream to(out);
    return util::JsonToBinaryStream(resolver.get(), url, &from, &to, util::JsonParseOptions()).ok();
  }

  // It packs no lists, and writes defaults where the text says them: for the check, a message writes what it reads.
  static bool canonical(std::string *bytes) {
    T value;
    return value.ParseFromString(*bytes) && value.SerializeToString(bytes);
  }
};

// To JSON: the texts of all messages, one behind the other.
template <class By>
struct Printer : By {
  Printer(const Message *, size_t) {}

  // Without a visit: what is printed is the answer.
  template <class Sink>
  bool visit(const Message &, Sink &) {
    return false;
  }

  bool render(const Message &message, std::string &out) { return By::to_json(message, &out); }
};

// Of JSON: each message to the same buffer, and told as one text.
template <class By>
struct Reader : By {
  std::string bytes;

  Reader(const Message *, size_t) {}

  template <class Sink>
  bool visit(const Message &message, Sink &sink) {
    if (!By::of_json(message, &bytes)) return false;
    if constexpr (std::is_same_v<Sink, Digest>)
      if (!By::canonical(&bytes)) return false;
    sink.text(bytes.data(), bytes.size());
    return true;
  }
};

}  // namespace

#define PEERS(type, name) \
  PEER(peer_protobuf_to_json_##name, Printer<ByMessage<peers::type>>) \
  PEER(peer_protobuf_bytes_to_json_##name, Printer<ByResolver<peers::type>>) \
  PEER(peer_protobuf_of_json_##name, Reader<ByMessage<peers::type>>, false) \
  PEER(peer_protobuf_bytes_of_json_##name, Reader<ByResolver<peers::type>>, false)

PEERS(Complex, complex)
PEERS(Sales, sales)
PEERS(FindItemsByKeywordsResponse, reply)
