//! The .xz file format 1.1.0.

use lzma_rust2::XzReader;
use polywire_core::format::payload::Codec;

/// Memory that a stream may ask for, in KiB: more than the 65 MiB that `xz -9` makes a decoder
/// take. The dictionary's size is claimed by the stream.
const MEMORY: u32 = 80 << 10;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "xz",
    // Section 2.1.1.1: the magic bytes.
    recognise: |start, _| start.starts_with(b"\xfd7zXZ\0"),
    certain: true,
    decoder: |input| Ok(Box::new(XzReader::new_mem_limit(input, true, MEMORY))),
};
