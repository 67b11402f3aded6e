//! Canonical JSON, the JSON Canonicalization Scheme (RFC 8785): one text for each value, to be
//! hashed and signed. `docs/formats/json-canonical.md` describes the convention.

mod number;
mod order;
mod write;

pub use write::CanonicalWriter;

use polywire_core::format::{Confidence, Format, Nature};

use crate::json::{JsonReader, structure::JsonStructure};

/// Name in the registry and in errors.
const NAME: &str = "json-canonical";

/// The line of canonical JSON in the registry. Bytes that look like it are JSON.
pub static FORMAT: Format =
    Format::new(NAME, "Canonical JSON (RFC 8785)", Nature::Text, |_, _| Confidence::No, || Box::new(JsonReader::named(NAME)))
        .media_types(&["application/x-canonical-json"])
        .extensions(&["jcs"])
        .magic("as JSON")
        .separator("\n")
        .writer(|| Box::new(CanonicalWriter::default()))
        .structure(|| Box::new(JsonStructure::default()));
