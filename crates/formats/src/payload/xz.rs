//! The .xz file format 1.1.0.

use std::io::{self, Write};

use lzma_rust2::{XzOptions, XzReader, XzWriter};
use polywire_core::format::payload::{Codec, Encoder, Encoding};

/// Memory that a stream may ask for, in KiB: more than the 65 MiB that `xz -9` makes a decoder
/// take. The dictionary's size is claimed by the stream.
const MEMORY: u32 = 80 << 10;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "xz",
    extensions: &["xz"],
    // Section 2.1.1.1: the magic bytes.
    recognise: |start, _| start.starts_with(b"\xfd7zXZ\0"),
    certain: true,
    decoder: |input| Ok(Box::new(XzReader::new_mem_limit(input, true, MEMORY))),
    encoder: Some(Encoder {
        levels: 0..=9,
        level: 6,
        encode: |out, level| Ok(Box::new(Xz(XzWriter::new(out, XzOptions::with_preset(level))?))),
    }),
};

/// xz on its way out.
struct Xz<'a>(XzWriter<Box<dyn Write + 'a>>);

impl Write for Xz<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Encoding for Xz<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}
