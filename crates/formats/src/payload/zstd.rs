//! Zstandard: RFC 8878.

use ::zstd::stream::read::Decoder;
use polywire_core::format::payload::Codec;

/// Largest window of a frame, as a power of two: 8 MiB, which RFC 8878 3.1.1.1.2 asks decoders to
/// support. Frames that ask for more, as `zstd --ultra` and `--long` make them, are rejected before
/// memory is taken.
const WINDOW_LOG: u32 = 23;

/// The codec.
pub static CODEC: Codec = Codec {
    name: "zstd",
    // RFC 8878 3.1.1: the magic number of a frame.
    recognise: |start, _| start.starts_with(b"\x28\xb5\x2f\xfd"),
    certain: true,
    decoder: |input| {
        let mut decoder = Decoder::new(input)?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Box::new(decoder))
    },
};
