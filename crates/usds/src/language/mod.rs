//! The dictionary language as one of the toolkit's schema languages.

mod read;
mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;
use polywire_core::schema::language::Compatibility;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::Diagnostics;
use polywire_core::text::sources::Loader;

use crate::adopt;
use crate::dictionary::Dictionary;
pub use read::schema;
pub use write::{dictionary, unique};

/// The dictionary language. Texts of both revisions are read; texts of revision B are written.
#[derive(Debug, Clone, Copy)]
pub struct Usds;

impl SchemaLanguage for Usds {
    fn name(&self) -> &'static str {
        "usds"
    }

    fn title(&self) -> &'static str {
        "USDS dictionary"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["udic"]
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        let (dictionary, mut losses) = write::sayable(schema)?;
        let (text, more) = dictionary.to_text().map_err(|problem| write::refused(problem.text()))?;
        losses.extend(more);
        Ok((text, losses))
    }

    fn write_mapped(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        match adopt::text(schema) {
            Some(text) => Ok((text, Vec::new())),
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

impl SchemaReader for Usds {
    fn read(&self, text: &SchemaText<'_>, _: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let dictionary = Dictionary::parse(text.name, text.bytes)?;
        let (schema, losses) = schema(&dictionary);
        Ok(ReadSchema { schema, losses, ..ReadSchema::default() })
    }

    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics> {
        Dictionary::format(text.name, text.bytes)
    }
}
