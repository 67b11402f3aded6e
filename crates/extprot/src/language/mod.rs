//! The protocol language as one of the toolkit's schema languages.

mod mapped;
mod names;
mod read;
mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;
use polywire_core::schema::language::Compatibility;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostics, Source};
use polywire_core::text::sources::Loader;

use crate::protocol::{compile_as, format};
pub(crate) use mapped::of_file;
pub use read::schema;

/// The protocol language.
#[derive(Debug, Clone, Copy)]
pub struct Extprot;

impl SchemaLanguage for Extprot {
    fn name(&self) -> &'static str {
        "extprot"
    }

    fn title(&self) -> &'static str {
        "extprot"
    }

    /// The original uses the extension `.proto`, which is generally understood as Protocol Buffers.
    fn extensions(&self) -> &'static [&'static str] {
        &["extprot"]
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        write::write(schema, false)
    }

    fn write_mapped(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        match mapped::write(schema)? {
            Some(written) => Ok(written),
            None => self.write(schema),
        }
    }

    fn reader(&self) -> Option<&dyn SchemaReader> {
        Some(self)
    }

    fn compatibility(&self) -> Option<&dyn Compatibility> {
        Some(self)
    }
}

impl SchemaReader for Extprot {
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let protocol = compile_as(text.name, text.bytes, text.identity, files)?;
        let (schema, losses) = schema(&protocol)?;
        Ok(ReadSchema { schema, losses, warnings: protocol.warnings().to_vec(), sources: protocol.sources().to_vec() })
    }

    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics> {
        let refused = |message: String, at: usize, shown: &str| Diagnostics {
            sources: vec![Source::new(text.name, shown)],
            findings: vec![crate::protocol::include::not_text(0, at, message)],
        };
        match std::str::from_utf8(text.bytes) {
            Ok(utf8) if utf8.len() <= polywire_core::text::sources::MAX_TEXT => format::format(text.name, utf8),
            Ok(_) => Err(refused(format!("more than {} bytes", polywire_core::text::sources::MAX_TEXT), 0, "")),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!("byte {:#04x} is not valid UTF-8", text.bytes[at]);
                Err(refused(message, at, &String::from_utf8_lossy(&text.bytes[..at])))
            }
        }
    }
}
