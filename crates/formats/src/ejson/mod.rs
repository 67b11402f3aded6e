//! MongoDB's Extended JSON v2: BSON's values as JSON text, types in objects whose names begin with
//! a dollar sign (<https://github.com/mongodb/specifications>, extended-json).
//!
//! Reading gives the events that BSON's reader gives; writing makes BSON first, and prints that. So
//! both have one meaning, and BSON comes back byte for byte from the canonical text.
//! `docs/formats/ejson.md` describes the convention.

mod decimal;
mod print;
mod read;
mod types;
mod write;

pub use read::EjsonReader;
pub use write::EjsonWriter;

use polywire_core::format::{Confidence, Format, Nature};

use crate::json::structure::JsonStructure;

/// Name of the relaxed form in the registry and in errors.
pub const NAME: &str = "ejson";

/// Name of the canonical form in the registry.
pub const CANONICAL_NAME: &str = "ejson-canonical";

/// The relaxed form's line in the registry: numbers as JSON has them. Bytes that look like it are
/// JSON.
pub static FORMAT: Format =
    Format::new(NAME, "MongoDB Extended JSON, relaxed", Nature::Text, |_, _| Confidence::No, || Box::new(EjsonReader::default()))
        .media_types(&["application/ejson"])
        .extensions(&["ejson"])
        .magic("as JSON")
        .separator("\n")
        .writer(|| Box::new(EjsonWriter::relaxed()))
        .structure(|| Box::new(JsonStructure::default()));

/// The canonical form's line in the registry: each number has its type. It is read as the other.
pub static CANONICAL: Format = Format::new(
    CANONICAL_NAME,
    "MongoDB Extended JSON, canonical",
    Nature::Text,
    |_, _| Confidence::No,
    || Box::new(EjsonReader::default()),
)
.media_types(&["application/x-ejson-canonical"])
.extensions(&["cejson"])
.magic("as JSON")
.separator("\n")
.writer(|| Box::new(EjsonWriter::canonical()))
.structure(|| Box::new(JsonStructure::default()));
