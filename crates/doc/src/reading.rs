//! One document, read: what is asked of it, what comes back, and readers that make documents themselves.

use bytes::Bytes;
use polywire_core::{Budget, Reader, Result};

use super::nodes::Doc;
use super::shape::Shape;
use super::wanted::Wanted;

/// How a document is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'r> {
    /// What of it is kept.
    pub wanted: &'r Wanted,
    /// What is declared of it.
    pub shape: &'r Shape,
    /// Of tables: whether their first row names the columns.
    pub header: bool,
    /// Whether the message is known to be UTF-8, whatever it says itself: it was converted.
    pub utf8: bool,
}

/// A document that was read.
#[derive(Debug)]
pub struct Read {
    /// What is kept of it.
    pub doc: Doc,
    /// Bytes that were stepped over, their contents unchecked.
    pub skipped: u64,
}

/// A reader with a shorter way to a document than its walk into a [`DocSink`](crate::DocSink). It
/// makes the same document.
pub trait DocumentReader {
    /// Reads one message as a document, or returns `None` if this reader has no shorter way.
    fn document(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Option<Result<Read>>;
}

/// Returns the reader as one that makes documents, if it is one. The registry of formats has such a
/// function for each format whose readers can.
pub type AsDocumentReader = fn(&mut dyn Reader) -> Option<&mut dyn DocumentReader>;
