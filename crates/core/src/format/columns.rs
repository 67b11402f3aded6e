//! Formats whose files hold the values of many messages as columns.
//!
//! Such a file is no stream of messages. Its format has a [`Columnar`], which makes a stream of a
//! file's rows: each is a message that the format's reader reads. A file is written by a schema,
//! and is whole only after [`Writer::end_stream`](crate::walk::write::Writer::end_stream).

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use crate::error::Result;
use crate::format::bind::Bound;
use crate::schema::types::Schema;
use crate::walk::path::Path;

/// The bytes of a file of columns.
pub enum ColumnSource {
    /// A file, which is read piece by piece.
    File(File),
    /// Bytes as they come. Where the format needs all of them first, at most this number is kept in
    /// memory.
    Read(Box<dyn Read>, u64),
}

/// Most bytes of a file of columns from a pipe that are kept in memory: 1 GiB.
pub const MOST_PIPED: u64 = 1 << 30;

/// The rows of a file of columns.
pub struct ColumnRows {
    /// Schema of the messages.
    pub schema: Schema,
    /// True if no message has a field that the schema does not have.
    pub is_all: bool,
    /// The messages, which the format's reader reads. Damage to the file is an error of kind
    /// [`InvalidData`](std::io::ErrorKind::InvalidData) that holds an [`Error`](crate::Error).
    pub bytes: Box<dyn Read>,
}

/// Facts about a file of columns, by the file itself.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ColumnFacts {
    /// Kind of the file, for people.
    pub kind: String,
    /// Program that wrote it, if the file says so.
    pub written_by: Option<String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// The columns.
    pub columns: Vec<ColumnFact>,
    /// Name of a piece: a row group, a batch.
    pub piece: &'static str,
    /// The pieces, in their order.
    pub pieces: Vec<ColumnPiece>,
}

/// A column of a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ColumnFact {
    /// Name.
    pub name: String,
    /// Type, as the format writes it.
    pub ty: String,
    /// True if values may be null.
    pub nullable: bool,
    /// Bytes of its values in the file, where the format keeps columns apart.
    pub bytes: Option<u64>,
}

/// A piece of a file that is read at once.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ColumnPiece {
    /// Number of rows.
    pub rows: u64,
    /// Bytes in the file.
    pub bytes: u64,
    /// Compression of the values, `none` without one.
    pub compression: String,
}

/// Reads and writes files of columns.
pub trait Columnar: Sync {
    /// Opens a file. With `wanted`, columns in which none of these paths leads to a value may be
    /// left out, and are not read then.
    ///
    /// # Errors
    /// It is no file of the format, is damaged, cannot be read, or has more bytes than may be kept.
    fn rows(&self, source: ColumnSource, wanted: Option<&[Path]>) -> Result<ColumnRows>;

    /// Returns what a file says about itself.
    ///
    /// # Errors
    /// As [`Columnar::rows`].
    fn facts(&self, source: ColumnSource) -> Result<ColumnFacts>;

    /// Binds the format to the root type of a common schema, for writing. With `is_all`, the schema
    /// is that of all messages to come; otherwise fields that it does not have are kept apart.
    ///
    /// # Errors
    /// The schema has no columns.
    fn adopt(&self, schema: &Schema, is_all: bool) -> Result<Arc<dyn Bound>>;
}
