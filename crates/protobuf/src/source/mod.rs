//! A schema as it came: `.proto` text with its imports, or a descriptor set. Which one it is, the bytes tell.

mod bare;
#[cfg(feature = "text")]
mod imports;
#[cfg(feature = "text")]
mod text;

use std::collections::HashMap;

use polywire_core::schema::language::SchemaText;
use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};
use polywire_core::text::sources::Loader;
use polywire_core::{Error, Limits, Result};

use crate::descriptor::FileDescriptorSet;
use crate::model::{FileId, MessageId, Pool, Span};

pub use bare::bare;

/// A schema, read and resolved.
#[derive(Debug, Clone, Default)]
pub struct Protos {
    /// Its descriptors: each file after those that it imports.
    pub set: FileDescriptorSet,
    /// The same, resolved.
    pub pool: Pool,
    /// The texts that it was read from; of a descriptor set its name only.
    pub sources: Vec<Source>,
    /// Which of the sources a file is, by its name.
    texts: HashMap<String, u32>,
    /// The file that was asked for; none for a descriptor set, where all were.
    main: Option<FileId>,
}

/// Whether these are the bytes of a `FileDescriptorSet`: a file first, and in it what no text has.
pub fn is_descriptor_set(bytes: &[u8]) -> bool {
    let text = |byte: &u8| !matches!(byte, 0..=8 | 14..=31 | 127);
    bytes.first() == Some(&0x0a)
        && !(bytes.iter().all(text) && std::str::from_utf8(bytes).is_ok())
        && FileDescriptorSet::read(bytes, &Limits::DEFAULT)
            .is_ok_and(|set| set.others.is_empty() && set.file.iter().all(|file| file.name.is_some()))
}

/// Reads a schema. Imports of a text come from `files`: below its include folders, and where it has none, below the text's own folder and those above it.
///
/// # Errors
/// What is wrong with the text, or with one that it imports.
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

/// Reads a descriptor set.
///
/// # Errors
/// The bytes are none, reach a limit, or break a rule of the language.
pub fn descriptor_set(name: &str, bytes: &[u8], limits: &Limits) -> Result<Protos> {
    let set = FileDescriptorSet::read(bytes, limits)?;
    let pool = Pool::new(&set)?;
    Ok(Protos { set, pool, sources: vec![Source::new(name, "")], ..Protos::default() })
}

/// An error without a place of its own.
fn refused(name: &str, error: &Error) -> Diagnostics {
    let finding = Diagnostic::error("schema_error", Place::default(), error.what()).hint(error.advice());
    Diagnostics { sources: vec![Source::new(name, "")], findings: vec![finding] }
}

impl Protos {
    /// Whether the file was asked for, and not only imported.
    pub fn is_main(&self, file: FileId) -> bool {
        match self.main {
            Some(main) => main == file,
            None => {
                !self.pool[file].name.starts_with("google/protobuf/")
                    || self.pool.files().iter().all(|file| file.name.starts_with("google/protobuf/"))
            }
        }
    }

    /// Names of the files that the one of that index does not import, nor what it imports.
    pub(crate) fn others(&self, index: usize) -> impl Iterator<Item = &str> {
        let mut used = vec![false; self.set.file.len()];
        let mut due = vec![index];
        while let Some(index) = due.pop() {
            if let (Some(file), Some(used @ false)) = (self.pool.files().get(index), used.get_mut(index)) {
                *used = true;
                due.extend(file.imports.iter().map(|id| id.index()));
            }
        }
        self.pool.files().iter().zip(used).filter(|(_, used)| !*used).map(|(file, _)| &*file.name)
    }

    /// The message that is meant where none is named, as [`Pool::root`] says.
    pub fn root(&self) -> Option<MessageId> {
        self.pool.root()
    }

    /// The place of a span in the sources.
    pub fn place(&self, file: FileId, span: Option<Span>) -> Option<Place> {
        let index = *self.texts.get(&*self.pool[file].name)?;
        let source = &self.sources[index as usize];
        let span = span?;
        let offset = |line: u32, column: u32| {
            let start = source.line_start(line as usize + 1)?;
            Some((start + column as usize).min(source.text.len()) as u32)
        };
        Some(Place { source: index, start: offset(span.line, span.column)?, end: offset(span.end_line, span.end_column)? })
    }
}
