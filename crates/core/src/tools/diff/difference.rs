//! One difference of two messages.

use crate::walk::event::Span;
use crate::walk::path::Path;

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What the left side has there, in short, and its byte range; `None` if nothing.
    pub left: Option<(String, Span)>,
    /// What the right side has there.
    pub right: Option<(String, Span)>,
}
