//! gzip: RFC 1952.

use flate2::read::MultiGzDecoder;
use polywire_core::format::payload::Codec;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "gzip",
    // RFC 1952 2.3.1: two bytes that identify it, and the only compression method.
    recognise: |start, _| start.starts_with(b"\x1f\x8b\x08"),
    certain: true,
    decoder: |input| Ok(Box::new(MultiGzDecoder::new(input))),
};
