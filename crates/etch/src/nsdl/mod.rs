//! NSDL, the language in which services are described (`docs/spec/etch.md 7`), as one of the
//! toolkit's schema languages.

mod format;
mod lex;
pub(crate) mod load;
mod parse;
mod read;
pub(crate) mod resolve;
pub(crate) mod syntax;
mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};

use load::{EXTENSIONS, load};
use resolve::resolve;

/// NSDL, the language of Apache Etch.
#[derive(Debug, Clone, Copy)]
pub struct Nsdl;

impl SchemaLanguage for Nsdl {
    fn name(&self) -> &'static str {
        "etch"
    }

    fn title(&self) -> &'static str {
        "Etch NSDL"
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        write::write(schema)
    }

    fn reader(&self) -> Option<&dyn SchemaReader> {
        Some(self)
    }
}

impl SchemaReader for Nsdl {
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let services = load(text, files)?;
        resolve(&services)?;
        let (schema, losses) = read::schema(&services);
        Ok(ReadSchema { schema, losses, warnings: Vec::new(), sources: services.sources })
    }

    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics> {
        let at = Place::default();
        let source = std::str::from_utf8(text.bytes);
        let formatted = match source {
            _ if text.bytes.len() > MAX_TEXT => {
                Err(Diagnostic::error("large_text", at, format!("a text of more than {MAX_TEXT} bytes")).into())
            }
            Err(_) => Err(Diagnostic::error("no_text", at, "a text that is not UTF-8").into()),
            Ok(source) => format::format(source),
        };
        formatted
            .map_err(|finding| Diagnostics { sources: vec![Source::new(text.name, source.unwrap_or_default())], findings: vec![*finding] })
    }
}
