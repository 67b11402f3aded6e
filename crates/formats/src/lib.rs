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

#[cfg(feature = "documents")]
pub mod coerce;
mod dialect;
mod spaces;

// Each format uses some of these.
#[cfg(any(feature = "cbor", feature = "msgpack"))]
#[cfg_attr(not(feature = "full"), allow(dead_code))]
mod counted;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
mod counted_structure;
#[cfg(any(feature = "bson", feature = "cbor", feature = "xml"))]
#[cfg_attr(not(feature = "full"), allow(dead_code))]
pub mod decimal;
#[cfg(any(feature = "bencode", feature = "bson", feature = "xml"))]
mod key_text;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
mod likeness;
#[cfg_attr(not(feature = "full"), allow(dead_code))]
mod tag_text;

#[cfg(feature = "bencode")]
pub mod bencode;
#[cfg(feature = "ber")]
pub mod ber;
#[cfg(feature = "bson")]
pub mod bson;
#[cfg(feature = "cbor")]
pub mod cbor;
#[cfg(feature = "cbor")]
pub mod cbor_diag;
#[cfg(feature = "charset")]
pub mod charset;
#[cfg(feature = "csv")]
pub mod csv;
#[cfg(feature = "bson")]
pub mod ejson;
#[cfg(feature = "exi")]
pub mod exi;
pub mod json;
#[cfg(feature = "json")]
pub mod json_canonical;
pub mod jsonl;
#[cfg(feature = "msgpack")]
pub mod msgpack;
pub mod payload;
pub mod registry;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "xml")]
pub mod xml;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use dialect::IntoDialect;
