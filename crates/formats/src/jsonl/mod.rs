//! JSON Lines: JSON, one value on each line. `docs/formats/jsonl.md` describes the convention.

mod frame;
mod read;
pub(crate) mod recognise;

pub use read::JsonLinesReader;

use polywire_core::format::{Format, Framing, ListMarks, Nature};

use crate::json::write::JsonWriter;

/// The line of JSON Lines in the registry.
pub static FORMAT: Format = Format::new("jsonl", "JSON Lines", Nature::Text, recognise::recognise, || Box::new(JsonLinesReader::default()))
    .media_types(&["application/jsonl", "application/x-ndjson", "application/x-jsonlines"])
    .extensions(&["jsonl", "ndjson"])
    .magic("a whole JSON value on each line")
    .may_be_empty()
    .separator("\n")
    .framing(Framing::Lines)
    // JSON is written without line breaks.
    .writer(|| Box::new(JsonWriter::of_lines()))
    .structure(|| Box::new(crate::json::structure::JsonStructure::default()))
    .list_marks(&ListMarks { open: b"[", between: b",", close: b"]" });
