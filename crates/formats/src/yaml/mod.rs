//! YAML 1.2 in the core schema: a message is a document. `docs/formats/yaml.md` describes the
//! convention.
//!
//! The crate saphyr-parser reads the grammar, and emits events with scalars as they are written.
//! The rest is done here: byte offsets for its character offsets, comments, the meaning of plain
//! scalars, aliases, and limits.

mod frame;
mod places;
mod plain;
mod read;
mod recognise;
mod remarks;
mod structure;
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
    .may_be_empty()
    .ends_with_input()
    .magic("%YAML, ---, or lines of `key: value`")
    .writer(|| Box::new(YamlWriter::default()))
    .structure(|| Box::new(structure::YamlStructure::default()));
