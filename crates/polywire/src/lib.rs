//! Messages on the wire: read, convert, check and stream them, in any format.
//!
//! ```
//! let cbor = polywire::convert(br#"{"id":7}"#, "json", "cbor")?;
//! assert_eq!(cbor, b"\xa1\x62id\x07");
//! # Ok::<(), polywire::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | convert bytes, or a reader to a writer | [`convert`], [`Conversion`] |
//! | read a stream message by message | [`Messages`], and the module `tokio` |
//! | read one message as a value, write one | [`decode`], [`encode`] |
//! | read and write types of your own, one message or a stream | the module `serde`: `read`, `write`, `Messages`, `StreamWriter` |
//! | get the events of a message | [`Sink`], [`Message::walk`] |
//! | use Protobuf, extprot or USDS by a schema | [`bind`], [`bind_file`] |
//! | infer and compare schemas | the module `schema` |
//! | find the meaning of each byte | [`inspect`] |
//! | guess a format | [`recognise`] |
//!
//! Nothing is lost silently: a conversion that cannot keep something fails and lists it, unless the
//! caller allows losses. Hostile bytes are normal input: [`Limits`] bound what a message may cost.
//!
//! # Features
//!
//! Each format is a feature. `json`, `jsonl`, `msgpack` and `cbor` are on by default; `full` turns
//! all on. `schema`, `serde`, `tokio` and `compression` bring the modules of these names.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../../../docs/library.md")]
struct Page;

#[cfg(feature = "columns")]
pub mod columns;
#[cfg(feature = "compression")]
pub mod compression;
mod conversion;
mod dialect;
pub mod inspect;
mod messages;
mod reading;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "tokio")]
pub mod tokio;
mod value;

pub use conversion::{Conversion, Converted, Copied, convert};
pub use dialect::{bind, bind_file};
pub use messages::{Message, Messages};
pub use value::{decode, encode};

pub use polywire_formats::IntoDialect;

pub use polywire_core::text::sources::{Files, Loader};
pub use polywire_core::tools::adapt::Doubles as DuplicateKeys;
pub use polywire_core::tools::loss::{Loss, LossReport};
pub use polywire_core::{
    Dialect, Error, ErrorKind, Fault, Field, Format, Len, Limits, LossKind, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str,
    Timestamp, Tree, Value, Writer,
};

#[cfg(feature = "serde")]
pub use serde::{read, read_all, write, write_all};

/// Returns the format with this name, or this file extension.
///
/// ```
/// assert_eq!(polywire::format("msgpack")?.title, "MessagePack");
/// assert!(polywire::format("mesagepack").is_err());
/// # Ok::<(), polywire::Error>(())
/// ```
///
/// # Errors
/// There is none, or its feature was not compiled in.
pub fn format(name: &str) -> Result<&'static Format> {
    polywire_formats::registry::find(name)
}

/// Returns the formats that are compiled in.
///
/// ```
/// let names: Vec<&str> = polywire::formats().iter().map(|format| format.name).collect();
/// assert!(names.contains(&"json"));
/// ```
pub fn formats() -> &'static [&'static Format] {
    polywire_formats::registry::FORMATS
}

/// Returns the format that `bytes`, the start of a stream, look most like. Some kilobytes are
/// enough.
///
/// ```
/// let format = polywire::recognise(br#"{"id":7}"#).unwrap();
/// assert_eq!(format.name, "json");
/// ```
pub fn recognise(bytes: &[u8]) -> Option<&'static Format> {
    polywire_formats::registry::recognise(bytes, true)
}
