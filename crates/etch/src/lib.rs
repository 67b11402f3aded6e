//! Apache Etch: messages of binary tagged data, version 3, and their packets.
//!
//! [`EtchReader`] and [`EtchWriter`] map messages to events and back. Names of types and fields are
//! hashes on the wire: those that every service has are known, and others are their digits. The
//! binders of the formats take them from a text in NSDL, Etch's language for services, which
//! [`nsdl`] makes a schema language.
//!
//! Source: `docs/spec/etch.md`.
//!
//! ```
//! use polywire_core::value::ValueSink;
//! use polywire_core::{Budget, Limits, Reader, Value};
//! use polywire_etch::EtchReader;
//!
//! // A message of the type `set`, whose field `text` is `hi`, with names as strings.
//! let message = b"\x03\x93\x03set\x01\x93\x04text\x93\x02hi\x81";
//! let mut sink = ValueSink::default();
//! EtchReader::new(false).walk(message, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
//! let fields = vec![("text".to_owned(), Value::text("hi"))];
//! assert_eq!(sink.finish(), Some(Value::Record { name: "set".into(), fields }));
//! # Ok::<(), polywire_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod bind;
mod format;
mod meant;
mod names;
pub mod nsdl;
mod plan;
mod read;
mod recognise;
mod skip;
pub mod tags;
mod wire;
mod write;

pub use format::{MESSAGE, PACKET};
pub use names::hash;
pub use read::EtchReader;
pub use write::EtchWriter;
