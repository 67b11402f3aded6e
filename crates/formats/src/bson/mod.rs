//! BSON 1.1 (<https://bsonspec.org/spec.html>): documents of typed elements, as MongoDB stores and sends them.
//!
//! How values map is told in `docs/formats/bson.md`.

mod cursor;
mod decimal128;
mod frame;
mod message;
mod read;
mod recognise;
mod wire;
mod write;

use polywire_core::format::{Format, Nature};

pub use read::BsonReader;
pub use write::BsonWriter;

/// Name in the registry, in errors, and the space of its tagged values: their code is the element's type; of binary data
/// other than subtype 0, it is 0x0500 plus the subtype.
pub const NAME: &str = "bson";

/// The name of the one field around a message that is no document: BSON has nothing but documents on its outside.
pub const MESSAGE: &str = "$msg";

/// BSON's line in the registry.
pub static FORMAT: Format = Format::new(NAME, "BSON", Nature::Binary, recognise::recognise, || Box::new(BsonReader::default()))
    .media_types(&["application/bson"])
    .extensions(&["bson"])
    .magic("none; the length in four bytes, little-endian, then the type of the first element")
    .writer(|| Box::new(BsonWriter::default()));
