//! The walk: the one idea that all of Polywire stands on.
//!
//! A [`Reader`] walks one message once and emits events to a [`Sink`], each with its byte range. A
//! [`Writer`] is a sink that makes the bytes of another format; trees, dumps, counters and
//! validators are sinks too. A new format is one reader and one writer, and a new use is one sink.
//!
//! A sink that counts the fields of a message, whatever its format:
//!
//! ```
//! use polywire_core::{Field, Next, Open, Part, Result, Scalar, Sink, Span, Value};
//!
//! #[derive(Default)]
//! struct CountFields(u64);
//!
//! impl<'m> Sink<'m> for CountFields {
//!     fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
//!         Ok(Next::Enter)
//!     }
//!     fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
//!         self.0 += 1;
//!         Ok(Next::Enter)
//!     }
//!     fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
//!         Ok(())
//!     }
//!     fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
//!         Ok(())
//!     }
//!     fn close(&mut self, _: Span) -> Result<()> {
//!         Ok(())
//!     }
//! }
//!
//! let point = Value::record([("x", Value::int(1)), ("y", Value::int(-2))]);
//! let mut count = CountFields::default();
//! point.emit(&mut count)?;
//! assert_eq!(count.0, 2);
//! # Ok::<(), polywire_core::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`walk`] | events, readers, sinks, writers, paths, losses |
//! | [`format`](mod@format) | what a format declares, its binding to a schema, payloads in values |
//! | [`value`] | values in memory, and as short text |
//! | [`schema`] | the common schema types, and schema languages |
//! | [`tools`] | what stands on the walk: adapters, streams, conversion, comparison, inspection |
//! | [`text`] | texts that people write: diagnostics with places, and where texts come from |
//! | `serde` | Rust's types to events, and trees to Rust's types (feature `serde`) |
//! | [`columns`] | columns under construction, for readers that fill them straight |
//! | [`bytes`] | byte primitives for readers and writers |
//! | [`error`], [`limits`] | the one error, and what a message may cost |
#![deny(unsafe_code)]

pub mod bytes;
pub mod columns;
pub mod error;
pub mod format;
pub mod limits;
pub mod schema;
#[cfg(feature = "serde")]
pub mod serde;
pub mod text;
pub mod tools;
pub mod value;
pub mod walk;

pub use error::{Error, ErrorKind, Fault, Result};
pub use format::{Dialect, Format};
pub use limits::{Budget, Limits};
pub use schema::Schema;
pub use value::{Tree, Value};
pub use walk::{
    Field, Frame, Hint, Len, LossKind, Losses, Lost, Needs, Next, Note, Open, Part, PartKind, Reader, Scalar, Sink, Span, Spelling, Str,
    Surrogates, Timestamp, Writer,
};
