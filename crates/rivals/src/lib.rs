//! Other libraries of the formats, each used as its documentation shows for messages of unknown
//! shape.
//!
//! An adapter implements [`Library`], and [`Of`] makes it a
//! [`Rival`] for comparisons and benchmarks. [`RIVALS`] lists them.
//!
//! The libraries of one format:
//!
//! ```
//! use polywire_rivals::RIVALS;
//!
//! let json: Vec<&str> = RIVALS.iter().filter(|rival| rival.format() == "json").map(|rival| rival.name()).collect();
//! assert!(json.contains(&"serde_json"), "{json:?}");
//! ```
#![forbid(unsafe_code)]

mod bencode;
mod bson;
mod cbor;
mod csv;
mod json;
mod library;
mod msgpack;
mod protobuf;
mod xml;
mod yaml;

use polywire_compare::rival::Rival;

pub use library::{Library, Of};

/// All libraries, those of one format together.
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
    &Of::<csv::Csv>::NEW,
    &Of::<protobuf::ProstReflect>::NEW,
    &Of::<yaml::SerdeYaml>::NEW,
    &Of::<yaml::Saphyr>::NEW,
];

/// Bytes of stack that the libraries need: some recurse as deep as a message is nested, at most
/// [`Limits::MAX_DEPTH`] levels.
///
/// [`Limits::MAX_DEPTH`]: polywire_core::Limits::MAX_DEPTH
pub const STACK: usize = 64 << 20;

/// Returns the library of that format and name.
pub fn find(format: &str, name: &str) -> Option<&'static dyn Rival> {
    RIVALS.iter().copied().find(|rival| rival.format() == format && rival.name() == name)
}
