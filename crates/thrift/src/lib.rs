//! Apache Thrift: messages of the binary, the compact and the JSON protocol, with their envelopes
//! and transports.
//!
//! - [`kind`] has the types that values have on the wire, and [`wire`] their bytes in both
//!   protocols.
//! - [`ThriftReader`] and [`ThriftWriter`] map messages to events and back. Without a schema,
//!   fields have their numbers as names.
//! - [`idl`] makes the IDL a schema language; the formats take its texts by their binders.
//!
//! ```
//! use polywire_core::{Budget, Limits, Reader, Value};
//! use polywire_core::value::ValueSink;
//! use polywire_thrift::{ThriftReader, wire::Compact};
//!
//! // Field 1 is the text "Ada", field 2 the i32 36.
//! let message = [0x18, 3, b'A', b'd', b'a', 0x15, 72, 0];
//! let mut sink = ValueSink::default();
//! let mut budget = Budget::new(&Limits::DEFAULT);
//! ThriftReader::<Compact>::default().walk(&message, 0, &mut sink, &mut budget)?;
//! assert_eq!(sink.finish(), Some(Value::record([("1", Value::text("Ada")), ("2", Value::int(36))])));
//! # Ok::<(), polywire_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod adopt;
mod bind;
mod compat;
mod format;
pub mod idl;
mod json;
pub mod kind;
mod plan;
mod read;
mod recognise;
mod settings;
mod skip;
mod transport;
mod uuid;
pub mod wire;
mod write;

pub use format::{BINARY, COMPACT};
pub use json::{JSON, SIMPLE_JSON};
pub use read::ThriftReader;
pub use write::ThriftWriter;
