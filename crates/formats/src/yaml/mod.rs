//! YAML 1.2 in the core schema: a message is a document. The convention is described in `docs/formats/yaml.md`.
//!
//! The grammar is read by the crate saphyr-parser, which tells events with scalars as they are written. What it leaves to its caller is done
//! here: bytes for its characters, comments, what plain scalars mean, aliases, and limits.

mod frame;
mod places;
mod plain;
mod read;
mod recognise;
mod remarks;
mod text;
mod write;

pub use read::YamlReader;
pub use write::YamlWriter;

use polywire_core::format::{Format, Nature};

/// YAML's line in the registry.
pub static FORMAT: Format = Format::new("yaml", "YAML", Nature::Text, recognise::recognise, || Box::new(YamlReader::default()))
    // Each document begins with its own marker: there is no separator.
    // RFC 9512 section 2.1; the second is what was used before it.
    .media_types(&["application/yaml", "text/yaml"])
    .extensions(&["yaml", "yml"])
    .magic("%YAML, ---, or lines of `key: value`")
    .writer(|| Box::new(YamlWriter::default()));

/// The byte order mark, which may precede each document (YAML 1.2.2 section 5.2).
const BOM: &[u8] = b"\xef\xbb\xbf";
