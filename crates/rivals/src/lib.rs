//! Other libraries of the formats, each used as its documentation shows for messages of unknown shape.
//!
//! One shim for all: [`Library`] is what an adapter says of a library, and every adapter is a
//! [`Rival`](polywire_compare::rival::Rival) of the comparisons and benchmarks. [`RIVALS`] lists them.
#![forbid(unsafe_code)]

mod bencode;
mod bson;
mod cbor;
mod json;
mod library;
mod msgpack;
mod xml;

use polywire_compare::rival::Rival;

pub use library::{Library, Of};

/// All of them, those of one format together.
pub static RIVALS: &[&dyn Rival] = &[
    &Of::<json::SerdeJson>::NEW,
    &Of::<json::SonicRs>::NEW,
    &Of::<json::SimdJson>::NEW,
    &Of::<json::Jiter>::NEW,
    &Of::<xml::QuickXml>::NEW,
    &Of::<xml::Roxmltree>::NEW,
    &Of::<msgpack::RmpSerde>::NEW,
    &Of::<cbor::Ciborium>::NEW,
    &Of::<cbor::Minicbor>::NEW,
    &Of::<bson::Bson>::NEW,
    &Of::<bencode::SerdeBencode>::NEW,
];

/// Bytes of stack to run them on: some recurse as deep as a message is nested, which is [`Limits::MAX_DEPTH`] at most.
///
/// [`Limits::MAX_DEPTH`]: polywire_core::Limits::MAX_DEPTH
pub const STACK: usize = 64 << 20;

/// The one of that format and name.
pub fn find(format: &str, name: &str) -> Option<&'static dyn Rival> {
    RIVALS.iter().copied().find(|rival| rival.format() == format && rival.name() == name)
}
