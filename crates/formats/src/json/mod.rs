//! JSON (RFC 8259). `docs/formats/json.md` describes the convention.

pub(crate) mod read;
mod recognise;
pub(crate) mod start;
pub(crate) mod write;

pub use read::JsonReader;
pub use write::JsonWriter;

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

/// JSON's line in the registry.
pub static FORMAT: Format = Format {
    name: "json",
    title: "JSON",
    media_types: &["application/json", "text/json"],
    extensions: &["json", "geojson"],
    magic: "{ or [ or \", after white space",
    nature: Nature::Text,
    schema: SchemaNeed::None,
    repeats: Repeats::Doubled,
    separator: "\n",
    recognise: recognise::recognise,
    reader: || Box::new(JsonReader::default()),
    writer: Some(|| Box::new(JsonWriter::default())),
    binder: None,
};
