//! The IDL of Thrift as one of the toolkit's schema languages.

mod constants;
pub(crate) mod format;
mod lex;
pub(crate) mod load;
pub mod model;
mod parse;
mod read;
pub(crate) mod resolve;
pub(crate) mod syntax;
pub(crate) mod write;

use polywire_core::Result;
use polywire_core::schema::Schema;
use polywire_core::schema::language::{Compatibility, ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};

use load::{EXTENSIONS, load};
use resolve::resolve;

/// Reads a text with those that it includes, and resolves all names.
///
/// # Errors
/// All mistakes.
pub fn read_model(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<model::Model, Diagnostics> {
    resolve(&load(text, files)?)
}

/// The interface definition language of Apache Thrift (`doc/specs/idl.md` of
/// <https://github.com/apache/thrift>). Additions of Facebook's dialect are
/// stepped over.
#[derive(Debug, Clone, Copy)]
pub struct Idl;

impl SchemaLanguage for Idl {
    fn name(&self) -> &'static str {
        "thrift"
    }

    fn title(&self) -> &'static str {
        "Thrift IDL"
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        write::write(schema)
    }

    fn write_mapped(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        match crate::adopt::write_mapped(schema) {
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

impl SchemaReader for Idl {
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let model = resolve(&load(text, files)?)?;
        let (schema, losses) = read::schema(&model);
        Ok(ReadSchema { schema, losses, warnings: model.warnings, sources: model.sources })
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
