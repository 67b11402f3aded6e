//! gzip: RFC 1952.

use std::io::{self, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use polywire_core::format::payload::{Codec, Encoder, Encoding};

/// The codec.
pub static CODEC: Codec = Codec {
    name: "gzip",
    extensions: &["gz", "gzip"],
    // RFC 1952 2.3.1: two bytes that identify it, and the only compression method.
    recognise: |start, _| start.starts_with(b"\x1f\x8b\x08"),
    certain: true,
    decoder: |input| Ok(Box::new(MultiGzDecoder::new(input))),
    encoder: Some(Encoder {
        levels: 0..=9,
        level: 6,
        encode: |out, level| Ok(Box::new(Gzip(GzEncoder::new(out, Compression::new(level))))),
    }),
};

/// gzip on its way out.
struct Gzip<'a>(GzEncoder<Box<dyn Write + 'a>>);

impl Write for Gzip<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Encoding for Gzip<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}
