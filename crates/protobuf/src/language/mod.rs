//! Protocol Buffers as one of the toolkit's schema languages.

mod apply;
mod make;
mod mapped;
mod names;
mod options;
mod print;
mod read;

use polywire_core::schema::Schema;
use polywire_core::schema::language::Compatibility;
use polywire_core::schema::language::{ReadSchema, SchemaLanguage, SchemaLoss, SchemaReader, SchemaText};
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::{Loader, MAX_TEXT};
use polywire_core::{Error, Result};

pub use make::{Made, make};
pub(crate) use mapped::of_file;
pub use print::print;
pub use read::schema;

/// The language of `.proto` files, and of descriptor sets.
#[derive(Debug, Clone, Copy)]
pub struct Proto;

impl SchemaLanguage for Proto {
    fn name(&self) -> &'static str {
        "proto"
    }

    fn title(&self) -> &'static str {
        "Protocol Buffers"
    }

    /// Descriptor sets have no file extension of their own; these are the ones that build tools
    /// use.
    fn extensions(&self) -> &'static [&'static str] {
        &["proto", "protoset", "desc", "pb"]
    }

    fn write(&self, schema: &Schema) -> Result<(String, Vec<SchemaLoss>)> {
        let Made { set, mut losses, .. } = make(schema)?;
        let (text, unsaid) = print(&set, set.file.len() - 1)?;
        losses.extend(unsaid);
        Ok((text, losses))
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

impl SchemaReader for Proto {
    fn read(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<ReadSchema, Diagnostics> {
        let protos = crate::source::read(text, files)?;
        let (schema, losses) = schema(&protos);
        Ok(ReadSchema { schema, losses, warnings: Vec::new(), sources: protos.sources })
    }

    fn own_text(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<(String, Vec<SchemaLoss>), Diagnostics>> {
        Some(crate::source::read(text, files).and_then(|protos| {
            let whole = |error: Error| {
                let finding = Diagnostic::error("schema_error", Place::default(), error.what()).hint(error.advice());
                Diagnostics { sources: protos.sources.clone(), findings: vec![finding] }
            };
            // Compilers put the requested file last, behind all that it imports.
            let index = protos.set.file.len().saturating_sub(1);
            let (printed, mut losses) = print(&protos.set, index).map_err(whole)?;
            losses
                .extend(protos.others(index).map(|name| SchemaLoss { at: name.to_string(), what: "the file: a text is one file".into() }));
            Ok((printed, losses))
        }))
    }

    fn binary(&self, text: &SchemaText<'_>, files: &mut dyn Loader) -> Option<Result<Vec<u8>, Diagnostics>> {
        Some(crate::source::read(text, files).map(|protos| {
            let mut bytes = Vec::new();
            protos.set.write(&mut bytes);
            bytes
        }))
    }

    fn format(&self, text: &SchemaText<'_>) -> Result<String, Diagnostics> {
        let refused = |finding, shown: &str| Diagnostics { sources: vec![Source::new(text.name, shown)], findings: vec![finding] };
        let wrong = |at: usize, message: String| {
            let place = Place { source: 0, start: at as u32, end: at as u32 };
            Diagnostic::error("syntax_error", place, message)
        };
        match std::str::from_utf8(text.bytes) {
            Ok(utf8) if utf8.len() <= MAX_TEXT => {
                #[cfg(feature = "text")]
                crate::source::parse(text)?;
                crate::source::layout::lay_out(utf8).map_err(|finding| refused(*finding, utf8))
            }
            Ok(_) => Err(refused(wrong(0, format!("more than {MAX_TEXT} bytes")), "")),
            Err(error) => {
                let at = error.valid_up_to();
                let finding = wrong(at, format!("byte {:#04x} is no part of UTF-8 text", text.bytes[at])).hint("only texts are laid out");
                Err(refused(finding, &String::from_utf8_lossy(&text.bytes[..at])))
            }
        }
    }
}
