//! ASN.1 as one of the toolkit's schema languages.

mod comments;
mod format;
mod mapped;
mod names;
mod read;
mod root;
mod write;

use polywire_core::schema::Schema;
use polywire_core::schema::language::{Compatibility, ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};
use polywire_core::{Limits, Result};

use crate::load::{EXTENSIONS, load};
pub use read::schema_from;
pub use root::root;
pub(crate) use root::{own, used};
pub(crate) use write::write_adopted;

/// ASN.1.
#[derive(Debug, Clone, Copy)]
pub struct Asn1;

impl SchemaLanguage for Asn1 {
    fn name(&self) -> &'static str {
        "asn1"
    }

    fn title(&self) -> &'static str {
        "ASN.1"
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        write::write(schema)
    }

    fn write_mapped(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        match mapped::write(schema)? {
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

impl SchemaReader for Asn1 {
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let modules = load(text, files);
        let written = read::Written::new(&modules);
        let model = modules.resolve(&Limits::DEFAULT)?;
        let (schema, losses) = read::schema(&model, &written);
        Ok(ReadSchema { schema, losses, warnings: model.cautions, sources: model.sources })
    }

    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics> {
        if text.bytes.len() > MAX_TEXT {
            let finding = Diagnostic::error("large_text", Place::default(), format!("a text of more than {MAX_TEXT} bytes"));
            return Err(Diagnostics { sources: vec![Source::new(text.name, "")], findings: vec![finding] });
        }
        format::format(text.name, utf8(text.bytes))
    }
}

/// Returns a text, which is read as Latin-1 if it is not UTF-8.
fn utf8(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_string)
}
