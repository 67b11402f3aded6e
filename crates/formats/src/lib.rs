//! The formats that Polywire speaks: one folder each, and one line each in the [`registry`].
//!
//! A stream of messages in one format becomes one in another, message by message:
//!
//! ```
//! use polywire_core::tools::Stream;
//! use polywire_core::tools::adapt::Walker;
//! use polywire_core::tools::convert::convert;
//! use polywire_core::{Limits, Result};
//! use polywire_formats::registry;
//!
//! fn main() -> Result<()> {
//!     let (from, to) = (registry::find("jsonl")?, registry::find("cbor")?);
//!     let mut walker = Walker::new(from, &Limits::DEFAULT);
//!     let mut out = Vec::new();
//!     let mut input = Stream::new(&b"{\"a\":1}\n{\"a\":2}\n"[..]);
//!     let done = convert(&mut input, &mut out, &mut walker, to)?;
//!     assert_eq!(done.messages, 2);
//!     assert_eq!(out, b"\xa1\x61a\x01\xa1\x61a\x02");
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

pub mod coerce;
mod counted;
mod counted_structure;
mod decimal;
mod key_text;
mod likeness;
mod tag_text;

pub mod bencode;
pub mod ber;
pub mod bson;
pub mod cbor;
pub mod cbor_diag;
pub mod charset;
pub mod csv;
pub mod ejson;
pub mod json;
pub mod json_canonical;
pub mod jsonl;
pub mod msgpack;
pub mod payload;
pub mod registry;
#[cfg(feature = "serde")]
pub mod serde;
pub mod xml;
pub mod yaml;
