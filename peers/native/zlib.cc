// zlib, as gzip uses it: all messages are one stream, which is the best that it can get.
#include <zlib.h>

#include <stdexcept>

#include "peer.hpp"

namespace {

// Window bits of a stream with gzip's header, which has all the memory that there is.
const int GZIP = 15 + 16, MEMORY = 9;

template <int LEVEL, bool COMPRESS>
struct Gzip {
  const char *start;
  size_t length;
  std::vector<unsigned char> packed, unpacked;
  size_t packed_length = 0;
  z_stream deflater = {}, inflater = {};

  Gzip(const Message *messages, size_t count)
      : start(messages->data), length(messages[count - 1].data + messages[count - 1].length - messages->data), unpacked(length) {
    if (deflateInit2(&deflater, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflateInit2");
    if (inflateInit2(&inflater, GZIP) != Z_OK) throw std::runtime_error("inflateInit2");
    packed.resize(deflateBound(&deflater, length));
    if (!pack()) throw std::runtime_error("deflate");
  }
  ~Gzip() {
    deflateEnd(&deflater);
    inflateEnd(&inflater);
  }

  bool pack() {
    deflateReset(&deflater);
    deflater.next_in = const_cast<Bytef *>(reinterpret_cast<const Bytef *>(start));
    deflater.avail_in = uInt(length);
    deflater.next_out = packed.data();
    deflater.avail_out = uInt(packed.size());
    if (deflate(&deflater, Z_FINISH) != Z_STREAM_END) return false;
    packed_length = packed.size() - deflater.avail_out;
    return true;
  }

  bool unpack() {
    inflateReset(&inflater);
    inflater.next_in = packed.data();
    inflater.avail_in = uInt(packed_length);
    inflater.next_out = unpacked.data();
    inflater.avail_out = uInt(unpacked.size());
    return inflate(&inflater, Z_FINISH) == Z_STREAM_END && inflater.avail_out == 0;
  }

  bool visit(const Message &message, Fold &fold) {
    if (message.data != start) return true;
    if (!(COMPRESS ? pack() : unpack())) return false;
    if constexpr (COMPRESS)
      fold.text(reinterpret_cast<const char *>(packed.data()), packed_length);
    else
      fold.text(reinterpret_cast<const char *>(unpacked.data()), unpacked.size());
    return true;
  }

  bool visit(const Message &message, Digest &digest) {
    if (message.data != start) return true;
    std::fill(unpacked.begin(), unpacked.end(), 0);
    if (!pack() || !unpack()) return false;
    digest.text(reinterpret_cast<const char *>(unpacked.data()), unpacked.size());
    return true;
  }
};

using Gzip6 = Gzip<6, true>;
using Gzip9 = Gzip<9, true>;
using Gunzip6 = Gzip<6, false>;
using Gunzip9 = Gzip<9, false>;

}  // namespace

PEER(peer_gzip_6, Gzip6, false)
PEER(peer_gzip_9, Gzip9, false)
PEER(peer_gunzip_6, Gunzip6, false)
PEER(peer_gunzip_9, Gunzip9, false)
