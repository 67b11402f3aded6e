//! BSON 1.1 (<https://bsonspec.org/spec.html>): documents of typed elements, as MongoDB stores and
//! sends them.
//!
//! `docs/formats/bson.md` describes how values map.

mod cursor;
pub(crate) mod decimal128;
mod frame;
mod message;
pub(crate) mod read;
mod recognise;
mod structure;
mod tags;
pub(crate) mod wire;
mod write;

use polywire_core::format::{Format, Framing, Nature};

pub use read::BsonReader;
pub use wire::{MESSAGE, NAME};
pub use write::BsonWriter;

/// BSON's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "BSON", Nature::Binary, recognise::recognise, || Box::new(BsonReader::default()))
    .media_types(&["application/bson"])
    .extensions(&["bson"])
    .magic("none; the length in four bytes, little-endian, then the type of the first element")
    .framing(Framing::Counts)
    .writer(|| Box::new(BsonWriter::default()))
    .tag_name(tags::name)
    .structure(|| Box::new(structure::BsonStructure::default()));
