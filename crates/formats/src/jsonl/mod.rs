//! JSON Lines: JSON, one value on each line. `docs/formats/jsonl.md` describes the convention.

mod frame;
mod read;
pub(crate) mod recognise;

pub use read::JsonLinesReader;

use polywire_core::format::{Format, Nature, Repeats, SchemaNeed};

use crate::json::write::JsonWriter;

/// The line of JSON Lines in the registry.
pub static FORMAT: Format = Format {
    name: "jsonl",
    title: "JSON Lines",
    media_types: &["application/jsonl", "application/x-ndjson", "application/x-jsonlines"],
    extensions: &["jsonl", "ndjson"],
    magic: "a whole JSON value on each line",
    nature: Nature::Text,
    schema: SchemaNeed::None,
    repeats: Repeats::Doubled,
    separator: "\n",
    recognise: recognise::recognise,
    reader: || Box::new(JsonLinesReader::default()),
    // JSON is written without line breaks.
    writer: Some(|| Box::new(JsonWriter::default())),
    binder: None,
};
