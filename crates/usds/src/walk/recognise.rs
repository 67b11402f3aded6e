//! Whether bytes look like a document.

use polywire_core::format::Confidence;

use crate::wire::codes::HEAD;

/// A head says so with four bytes; anything else only says so to whoever has the dictionary.
pub(super) fn recognise(start: &[u8], _whole: bool) -> Confidence {
    if start.len() >= 11 && start.starts_with(&HEAD) { Confidence::Certain } else { Confidence::No }
}
