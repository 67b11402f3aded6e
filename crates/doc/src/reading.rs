//! Options and result of reading one document, and readers that make documents themselves.

use bytes::Bytes;
use polywire_core::{Budget, Reader, Result};

use super::nodes::Doc;
use super::shape::Shape;
use super::wanted::Wanted;

/// Options for reading a document.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'r> {
    /// Parts of the message to keep.
    pub wanted: &'r Wanted,
    /// Declared lists and types of text.
    pub shape: &'r Shape,
    /// True if the first row of a table has the column names.
    pub header: bool,
    /// True if the message is known to be UTF-8, whatever encoding it declares, because it was
    /// converted.
    pub utf8: bool,
}

/// A document that was read.
#[derive(Debug)]
pub struct Read {
    /// The parts that were kept.
    pub doc: Doc,
    /// Number of bytes that were skipped, their contents unchecked.
    pub skipped: u64,
}

/// A reader with a shorter way to a document than its walk into a [`DocSink`](crate::DocSink). The
/// document is the same.
pub trait DocumentReader {
    /// Reads one message as a document, or returns `None` if this reader has no shorter way.
    fn document(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Option<Result<Read>>;
}

/// Returns the reader as a [`DocumentReader`], if it is one. The registry of formats has such a
/// function for each format whose readers are.
pub type AsDocumentReader = fn(&mut dyn Reader) -> Option<&mut dyn DocumentReader>;
