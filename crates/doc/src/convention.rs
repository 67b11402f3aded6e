//! Formats whose documents can become data in several ways.

use bytes::Bytes;

use super::reading::{Read, Reading};
use polywire_core::{Budget, Result};

/// The ways in which a format's documents become data, where the walk is not the only one.
pub trait Conventions: Sync {
    /// Returns the conventions with a description of each. The first is the default.
    fn list(&self) -> &'static [Convention];

    /// Reads one document.
    ///
    /// # Errors
    /// The convention is unknown, or the document is invalid.
    fn read(&self, convention: &str, body: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read>;
}

/// A way in which documents become data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// Name in settings and on the command line.
    pub name: &'static str,
    /// Description for people.
    pub about: &'static str,
}
