//! Reads schemas: `.proto` text with its imports, or a descriptor set. The bytes decide which.

mod bare;
#[cfg(feature = "text")]
mod compile;
#[cfg(feature = "text")]
mod imports;
pub mod layout;
mod protos;
#[cfg(feature = "text")]
mod text;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::Loader;
use polywire_core::{Error, Limits, Result};

use crate::descriptor::FileDescriptorSet;
use crate::model::Pool;

pub use bare::bare;
pub use protos::Protos;

/// Returns whether the bytes are a `FileDescriptorSet`: they start with a file, and hold bytes that
/// no text has.
pub fn is_descriptor_set(bytes: &[u8]) -> bool {
    let text = |byte: &u8| !matches!(byte, 0..=8 | 14..=31 | 127);
    bytes.first() == Some(&0x0a)
        && !(bytes.iter().all(text) && std::str::from_utf8(bytes).is_ok())
        && FileDescriptorSet::read(bytes, &Limits::DEFAULT)
            .is_ok_and(|set| set.others.is_empty() && set.file.iter().all(|file| file.name.is_some()))
}

/// Reads a schema. Imports of a text come from `files`: its include folders, or if it has none, the
/// text's own folder and those above it.
///
/// # Errors
/// Mistakes in the text or in one that it imports.
pub fn read(text: &SchemaText<'_>, files: &mut dyn Loader) -> Result<Protos, Diagnostics> {
    if is_descriptor_set(text.bytes) {
        return descriptor_set(text.name, text.bytes, &Limits::DEFAULT).map_err(|error| refused(text.name, &error));
    }
    #[cfg(feature = "text")]
    return text::read(text, files);
    #[cfg(not(feature = "text"))]
    {
        let _ = files;
        let error = Error::new(polywire_core::ErrorKind::Syntax, polywire_core::Fault::Schema)
            .seen("no descriptor set")
            .hint("`.proto` text needs the feature `text`");
        Err(refused(text.name, &error))
    }
}

/// Parses one `.proto` text, without its imports.
///
/// # Errors
/// The text breaks the grammar.
#[cfg(feature = "text")]
pub(crate) fn parse(text: &SchemaText<'_>) -> Result<(), Diagnostics> {
    text::parse(text)
}

/// Reads a descriptor set.
///
/// # Errors
/// The bytes are no descriptor set, exceed a limit, or break a rule of the language.
pub fn descriptor_set(name: &str, bytes: &[u8], limits: &Limits) -> Result<Protos> {
    let set = FileDescriptorSet::read(bytes, limits)?;
    let pool = Pool::new(&set)?;
    Ok(Protos { set, pool, sources: vec![Source::new(name, "")], ..Protos::default() })
}

/// Converts an error without a place.
fn refused(name: &str, error: &Error) -> Diagnostics {
    let finding = Diagnostic::error("schema_error", Place::default(), error.what()).hint(error.advice());
    Diagnostics { sources: vec![Source::new(name, "")], findings: vec![finding] }
}
