//! Payloads of text and bytes: the codecs that may be around a message, and the evidence that one
//! is inside.

mod base64;
mod evidence;
mod gzip;
mod zstd;

use polywire_core::format::payload::{Codec, Payloads};

/// Every codec. Those that their first bytes identify come first.
#[rustfmt::skip] // One line each, so that a new codec is one new line.
pub static CODECS: &[&Codec] = &[
    &gzip::CODEC,
    &zstd::CODEC,
    &base64::CODEC,
];

/// All formats and all codecs.
pub static PAYLOADS: Payloads = Payloads { codecs: CODECS, evident: evidence::evident, likely: evidence::likely };
