//! Files that scripts select from: an extension of the language (docs/ql.md, "Files as tables"),
//! for programs that run the scripts of their own user. An execution without [`Files`] reads none.

use std::sync::Arc;

use polywire_core::walk::EntryPath;
use polywire_doc::{Datum, Wanted};

use crate::error::QueryError;
use crate::syntax::ast::{At, FileClause, Quoted};
use crate::table::Codec;

/// A file that a script names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path as the script has it; `-` is stdin.
    pub path: Arc<str>,
    /// Path in each document to the values that are rows.
    pub each: Option<EntryPath>,
    /// Its format.
    pub decoder: Option<Codec>,
    /// Place of its path in the script.
    pub at: At,
}

impl File {
    /// Makes a file of a script that has passed the [rules](crate::rules).
    pub fn new(path: &Quoted, clause: &FileClause) -> File {
        let each = clause.each.as_ref().and_then(|each| EntryPath::parse(&each.text).ok());
        File { path: path.text.as_str().into(), each, decoder: clause.decoder.as_ref().map(Codec::from), at: path.at }
    }
}

/// A reader of files.
pub trait Files: Sync {
    /// Reads the rows of a file, from the first, and calls `row` with each until it returns false.
    /// A row may lack what is not `wanted`. Waits for the file.
    ///
    /// # Errors
    /// The file cannot be read, or the errors of `row`.
    fn read(&self, file: &File, wanted: &Wanted, row: &mut RowSink<'_>) -> Result<(), QueryError>;
}

/// A receiver of rows, which returns whether it takes more.
pub type RowSink<'r> = dyn FnMut(Datum) -> Result<bool, QueryError> + 'r;

/// Returns the error of a script that reads a file where no script may.
pub(crate) fn refused(path: &str) -> QueryError {
    QueryError::new(REFUSED, refusal(path)).status(403).hint(ADVICE)
}

/// Code of the error.
pub(crate) const REFUSED: &str = "no_files";

/// Hint of the error.
pub(crate) const ADVICE: &str = "only `polywire query` reads files; make a table of a service, or send the data in the request";

/// Returns the message of the error.
pub(crate) fn refusal(path: &str) -> String {
    format!("the file `{path}` as a table: scripts read no files here")
}
