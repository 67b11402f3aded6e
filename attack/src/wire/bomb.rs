//! Small bytes that become many, in each content coding.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

/// All content codings of HTTP that are in use, with `deflate` in both of its readings.
pub const CODINGS: [&str; 5] = ["gzip", "deflate", "raw-deflate", "br", "zstd"];

/// Returns `length` times the same byte in a coding.
pub fn bomb(coding: &str, byte: u8, length: usize) -> Vec<u8> {
    // Writing into a vector does not fail.
    let piece = vec![byte; 1 << 20];
    let mut left = length;
    let mut pieces = std::iter::from_fn(move || {
        let now = left.min(1 << 20);
        left -= now;
        (now > 0).then_some(now)
    });
    let mut fill = |to: &mut dyn Write| pieces.by_ref().for_each(|now| drop(to.write_all(&piece[..now])));
    match coding {
        "gzip" => {
            let mut coder = GzEncoder::new(Vec::new(), Compression::best());
            fill(&mut coder);
            coder.finish().unwrap_or_default()
        }
        "deflate" => {
            let mut coder = ZlibEncoder::new(Vec::new(), Compression::best());
            fill(&mut coder);
            coder.finish().unwrap_or_default()
        }
        "raw-deflate" => {
            let mut coder = DeflateEncoder::new(Vec::new(), Compression::best());
            fill(&mut coder);
            coder.finish().unwrap_or_default()
        }
        "br" => {
            let mut coder = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
            fill(&mut coder);
            coder.into_inner()
        }
        "zstd" => {
            let Ok(mut coder) = zstd::Encoder::new(Vec::new(), 3) else { return Vec::new() };
            fill(&mut coder);
            coder.finish().unwrap_or_default()
        }
        _ => vec![byte; length],
    }
}

/// Returns the name that HTTP has for a coding of [`CODINGS`].
pub fn header(coding: &str) -> &str {
    if coding == "raw-deflate" { "deflate" } else { coding }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn bombs_are_small_and_become_many_bytes() {
        for coding in CODINGS {
            let bytes = bomb(coding, b'x', 3_000_000);
            assert!(bytes.len() < 20_000, "{coding}: {}", bytes.len());
            let mut all = Vec::new();
            match coding {
                "gzip" => flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut all).map(drop),
                "deflate" => flate2::read::ZlibDecoder::new(&*bytes).read_to_end(&mut all).map(drop),
                "raw-deflate" => flate2::read::DeflateDecoder::new(&*bytes).read_to_end(&mut all).map(drop),
                "br" => brotli::Decompressor::new(&*bytes, 4096).read_to_end(&mut all).map(drop),
                _ => zstd::stream::copy_decode(&*bytes, &mut all),
            }
            .unwrap();
            assert!(all.len() == 3_000_000 && all.iter().all(|byte| *byte == b'x'), "{coding}");
        }
    }
}
