//! Whether two messages have the same value, whatever formats they came in, and where they differ.

mod key;
mod scalars;
mod streams;
mod values;

pub use scalars::{same, same_decimal};
pub use streams::{Failed, Found, Options, Outcome, Side, streams};
pub use values::{differences, equal};

use crate::event::Span;
use crate::path::Path;

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
