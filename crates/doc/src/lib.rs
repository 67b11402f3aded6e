//! Decoded messages as data: what a query engine or a scripting language works with, where formats no longer matter.
//!
//! A [`Doc`] is one decoded message, flat: its values in one vector, its names once each, its texts as ranges of the message or of one arena. Making one costs a
//! handful of allocations however many values it holds, and dropping it no recursion. [`DocSink`] makes it of a walk, [`Wanted`] says which parts of
//! the message are kept; a reader steps over the rest.
//!
//! A [`Datum`] is a value that is cheap to clone: one of its own, or a place in a shared `Doc`. [`Ref`] looks at either without a difference.
//!
//! The model is JSON's with exact numbers, bytes and times: null, truth values, numbers, text, bytes, times, lists, and objects with ordered
//! members. What a walk tells beyond that becomes the nearest of these: see [`DocSink`].
//!
//! | file | holds |
//! |---|---|
//! | `names`, `nodes` | what a `Doc` is made of |
//! | `build` | how one is put together |
//! | `writing` | objects that are JSON text at once, since nobody looks into them |
//! | `sink` | a walk becomes a `Doc` |
//! | `wanted`, `skipped` | which parts of a message are kept, how much is not |
//! | `shape` | what is declared of a message |
//! | `convention` | formats whose documents become data in ways of their own |
//! | `reading` | what is asked of one document, and readers that make it themselves |
//! | `datum`, `list`, `object` | values |
//! | `view` | one look at all of them |
//! | `columns` | columns of rows, within one document |
//! | `compare` | equality, truth |
//! | `emit`, `json` | the way out: events, JSON text |
#![forbid(unsafe_code)]

mod build;
mod columns;
mod compare;
mod convention;
mod datum;
mod datum_json;
mod emit;
mod json;
mod member;
mod names;
mod nodes;
mod reading;
mod shape;
mod sink;
mod skipped;
mod view;
mod walked;
mod wanted;
mod writing;

pub use build::Builder;
pub use columns::Column;
pub use compare::shortest;
pub use convention::{Convention, Conventions};
pub use datum::{Datum, List, Object};
pub use member::{Member, Repeated};
pub use names::NameId;
pub use nodes::{Doc, DocNode};
pub use reading::{AsDocumentReader, DocumentReader, Read, Reading};
pub use shape::{Declared, Reads, Shape};
pub use sink::DocSink;
pub use skipped::Skipped;
pub use view::{Items, Kind, Members, Ref, View};
pub use wanted::{Place, Wanted};
