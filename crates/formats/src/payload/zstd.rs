//! Zstandard: RFC 8878.

use std::io::{self, Write};

use ::zstd::stream::read::Decoder;
use ::zstd::stream::write as zstd;
use polywire_core::format::payload::{Codec, Encoder, Encoding};

/// Largest window of a frame, as a power of two: 8 MiB, which RFC 8878 3.1.1.1.2 asks decoders to
/// support. Frames that ask for more, as `zstd --ultra` and `--long` make them, are rejected before
/// memory is taken.
const WINDOW_LOG: u32 = 23;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "zstd",
    extensions: &["zst", "zstd"],
    // RFC 8878 3.1.1: the magic number of a frame.
    recognise: |start, _| start.starts_with(b"\x28\xb5\x2f\xfd"),
    certain: true,
    decoder: |input| {
        let mut decoder = Decoder::new(input)?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Box::new(decoder))
    },
    // Levels beyond these have a window that not every decoder takes, ours neither.
    encoder: Some(Encoder {
        levels: 1..=19,
        level: 3,
        encode: |out, level| {
            let mut encoder = zstd::Encoder::new(out, level as i32)?;
            encoder.include_checksum(true)?;
            Ok(Box::new(Zstandard(encoder)))
        },
    }),
};

/// Zstandard on its way out.
struct Zstandard<'a>(zstd::Encoder<'static, Box<dyn Write + 'a>>);

impl Write for Zstandard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Encoding for Zstandard<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}
