//! BSON 1.1 (<https://bsonspec.org/spec.html>): documents of typed elements, as MongoDB stores and
//! sends them.
//!
//! `docs/formats/bson.md` describes how values map.

mod cursor;
mod decimal128;
mod frame;
mod message;
mod read;
mod recognise;
mod wire;
mod write;

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

pub use read::BsonReader;
pub use write::BsonWriter;

/// Name in the registry and in errors, and the space of its tagged values. Their code is the
/// element's type; for binary data other than subtype 0, it is 0x0500 plus the subtype.
pub const NAME: &str = "bson";

/// Name of the one field around a message that is no document: in BSON, every message is a
/// document.
pub const MESSAGE: &str = "$msg";

/// BSON's line in the registry.
pub static FORMAT: Format = Format {
    name: NAME,
    title: "BSON",
    media_types: &["application/bson"],
    extensions: &["bson"],
    magic: "none; the length in four bytes, little-endian, then the type of the first element",
    nature: Nature::Binary,
    schema: SchemaNeed::None,
    repeats: Repeats::Doubled,
    separator: "",
    recognise: recognise::recognise,
    reader: || Box::new(BsonReader::default()),
    writer: Some(|| Box::new(BsonWriter::default())),
    binder: None,
};
