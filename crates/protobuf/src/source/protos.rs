//! A schema that was read.

use std::collections::HashMap;

use polywire_core::text::diagnostic::{Place, Source};

use crate::descriptor::FileDescriptorSet;
use crate::model::{FileId, MessageId, Pool, Span};

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
    pub(super) texts: HashMap<String, u32>,
    /// The file that was asked for; none for a descriptor set, where all were.
    pub(super) main: Option<FileId>,
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
