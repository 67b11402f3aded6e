//! The codecs, and what the first bytes of a stream say about them.

use polywire_core::format::payload::Codec;

use super::closed::closed;
use super::{base64, bzip2, gzip, lz4, xz, zstd};

/// Every codec. Those that their first bytes identify come first.
#[rustfmt::skip] // One line each, so that a new codec is one new line.
pub static CODECS: &[&Codec] = &[
    &gzip::CODEC,
    &zstd::CODEC,
    &bzip2::CODEC,
    &xz::CODEC,
    &lz4::CODEC,
    &base64::CODEC,
];

/// Returns true if the first bytes prove a compression or an archive.
pub(crate) fn is_packed(start: &[u8]) -> bool {
    CODECS.iter().any(|codec| codec.certain && (codec.recognise)(start, false)) || closed(start).is_some()
}
