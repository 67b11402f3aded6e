//! JSON (RFC 8259). `docs/formats/json.md` describes the convention.

#[cfg(feature = "columns")]
pub(crate) mod columns;
mod float;
mod mistakes;
mod names;
mod once;
mod plain;
pub(crate) mod read;
mod recognise;
#[cfg(feature = "serde")]
pub mod serde;
pub(crate) mod start;
pub(crate) mod structure;
pub(crate) mod write;

pub use read::JsonReader;
pub use write::JsonWriter;

use polywire_core::format::{Format, ListMarks, Nature};

/// JSON's line in the registry.
pub static FORMAT: Format = Format::new("json", "JSON", Nature::Text, recognise::recognise, || Box::new(JsonReader::default()))
    .media_types(&["application/json", "text/json"])
    .extensions(&["json", "geojson"])
    .magic("{ or [ or \", after white space")
    .separator("\n")
    .writer(|| Box::new(JsonWriter::default()))
    .structure(|| Box::new(structure::JsonStructure::default()))
    .list_marks(&ListMarks { open: b"[", between: b",", close: b"]" });
