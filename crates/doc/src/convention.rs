//! Formats whose documents can become data in more than one way.

use bytes::Bytes;

use super::reading::{Read, Reading};
use polywire_core::{Budget, Result};

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
