//! Formats whose documents can become data in more than one way.

use bytes::Bytes;

use super::nodes::Doc;
use super::shape::Shape;
use super::wanted::Wanted;
use crate::error::Result;
use crate::limits::Budget;

/// The ways in which a format's documents become data, where the walk is not the only one.
pub trait Conventions: Sync {
    /// What they are called, and what they do, for people. The first is what is meant where none is named.
    fn list(&self) -> &'static [Convention];

    /// Reads one document.
    ///
    /// # Errors
    /// There is no such convention, or the document is wrong.
    fn read(&self, convention: &str, body: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read>;
}

/// A way in which documents become data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// Its name.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
}

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
