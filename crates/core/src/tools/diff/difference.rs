//! One difference of two messages.

use crate::walk::event::Span;
use crate::walk::path::Path;

/// One place where two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path of the place, as the left side has it; as the right side, if only that has it.
    pub path: Path,
    /// Path of the place on the right. It differs where elements of lists were matched.
    pub right_path: Path,
    /// Value on the left, shortened, with its byte range; `None` if there is none.
    pub left: Option<(String, Span)>,
    /// The same for the right.
    pub right: Option<(String, Span)>,
}
