//! A schema that was read.

use std::collections::HashMap;

use polywire_core::text::diagnostic::{Place, Source};

use crate::descriptor::FileDescriptorSet;
use crate::model::{FileId, MessageId, Pool, Span};

/// Distance of the stops of tabulators in source code info (`protoc`, `io::Tokenizer`).
const TAB: u32 = 8;

/// A schema, read and resolved.
#[derive(Debug, Clone, Default)]
pub struct Protos {
    /// Descriptors, each file after those that it imports.
    pub set: FileDescriptorSet,
    /// The resolved descriptors.
    pub pool: Pool,
    /// Texts of the schema; for a descriptor set, its name only.
    pub sources: Vec<Source>,
    /// Index of each file's source, by the file's name.
    pub(super) texts: HashMap<String, u32>,
    /// The requested file; `None` for a descriptor set, where all files were requested.
    pub(super) main: Option<FileId>,
}

impl Protos {
    /// Returns whether the file was requested, not only imported.
    pub fn is_main(&self, file: FileId) -> bool {
        match self.main {
            Some(main) => main == file,
            None => {
                !self.pool[file].name.starts_with("google/protobuf/")
                    || self.pool.files().iter().all(|file| file.name.starts_with("google/protobuf/"))
            }
        }
    }

    /// Returns the names of the files that the file of that index imports neither directly nor
    /// indirectly.
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

    /// Returns the default root, [`Pool::root`].
    pub fn root(&self) -> Option<MessageId> {
        self.pool.root()
    }

    /// Returns the place of a span in the sources.
    pub fn place(&self, file: FileId, span: Option<Span>) -> Option<Place> {
        let index = *self.texts.get(&*self.pool[file].name)?;
        let source = &self.sources[index as usize];
        let span = span?;
        // Columns count bytes, and tabulators as steps to the next stop.
        let offset = |line: u32, column: u32| {
            let start = source.line_start(line as usize + 1)?;
            let (mut at, mut seen) = (start, 0);
            while seen < column && at < source.text.len() {
                seen += if source.text.as_bytes()[at] == b'\t' { TAB - seen % TAB } else { 1 };
                at += 1;
            }
            Some(at as u32)
        };
        Some(Place { source: index, start: offset(span.line, span.column)?, end: offset(span.end_line, span.end_column)? })
    }
}
