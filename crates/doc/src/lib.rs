//! Decoded messages as data, independent of formats: the model of a query engine or a script.
//!
//! A [`Doc`] is one decoded message, flat: its values in one vector, each name once, its texts as
//! ranges of the message or of one arena. Making one costs a handful of allocations for any number
//! of values, and dropping it needs no recursion. [`DocSink`] makes a `Doc` from a walk. [`Wanted`]
//! selects the parts to keep; a reader skips the rest.
//!
//! A [`Datum`] is a value that is cheap to clone: one of its own, or a place in a shared `Doc`.
//! [`Ref`] views either in the same way.
//!
//! The model is JSON's with exact numbers, bytes and times: null, truth values, numbers, text,
//! bytes, times, lists, and objects with ordered members. Events of a walk beyond that are mapped
//! to the nearest of these: see [`DocSink`].
//!
//! # Example
//! A value becomes a document, and a path of names leads to one of its members:
//!
//! ```
//! use bytes::Bytes;
//! use polywire_core::value::Value;
//! use polywire_doc::{Datum, DocSink, Repeated, Wanted};
//!
//! # fn main() -> polywire_core::Result<()> {
//! let order = Value::record([
//!     ("id", Value::UInt(7)),
//!     ("buyer", Value::record([("name", Value::text("Ada")), ("city", Value::text("London"))])),
//! ]);
//! let wanted = Wanted::paths([["buyer", "name"]]);
//! let mut sink = DocSink::new(Bytes::new(), &wanted, Repeated::Group);
//! order.emit(&mut sink)?;
//! let (doc, _skipped) = sink.finish(0)?;
//!
//! let datum = Datum::from(doc);
//! let name = datum.view().path(["buyer", "name"]);
//! assert_eq!(name.and_then(|name| name.as_str()), Some("Ada"));
//! assert_eq!(datum.to_json(), br#"{"buyer":{"name":"Ada"}}"#);
//! # Ok(())
//! # }
//! ```
//!
//! # Files
//! | file | holds |
//! |---|---|
//! | `names`, `nodes` | the parts of a `Doc` |
//! | `member` | the place of a value in its container |
//! | `json` | JSON text of scalars and of values in a document |
//! | `writing` | objects that are kept as JSON text |
//! | `build` | puts a document together |
//! | `sink` | makes a `Doc` from a walk |
//! | `wanted`, `skipped` | selects the parts of a message to keep, counts the bytes of the rest |
//! | `shape` | declared lists and types of text |
//! | `convention` | formats whose documents become data in several ways |
//! | `reading` | options and result of reading one document, and readers that make documents themselves |
//! | `datum` | values, with the lists and objects that they hold |
//! | `view` | one view of all values |
//! | `from_walk` | makes a value from a walk |
//! | `columns` | columns of rows, within one document |
//! | `compare` | equality, truth |
//! | `emit`, `datum_json` | values as events and as JSON text |
#![forbid(unsafe_code)]

mod build;
mod columns;
mod compare;
mod convention;
mod datum;
mod datum_json;
mod emit;
mod from_walk;
mod json;
mod member;
mod names;
mod nodes;
mod reading;
mod shape;
mod sink;
mod skipped;
mod view;
mod wanted;
mod weight;
mod writing;

pub use build::Builder;
pub use columns::Column;
pub use compare::{LooseKey, shortest};
pub use convention::{Convention, Conventions};
pub use datum::{Datum, List, Object};
pub use member::{Member, Repeated};
pub use names::NameId;
pub use nodes::{Doc, DocNode};
pub use reading::{AsDocumentReader, DocumentReader, Read, Reading};
pub use shape::{Declared, Reads, Shape};
pub use sink::DocSink;
pub use skipped::Skipped;
pub use view::{DatumKind, Items, Members, Ref, View};
pub use wanted::{Place, Wanted};
