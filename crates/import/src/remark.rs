//! Remarks on what a table cannot say.

/// A remark on a place of a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Path of the place, such as `paths./items.get`.
    pub place: String,
    /// The part that is left out, or left to the user.
    pub what: String,
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place.escape_debug(), self.what.escape_debug())
    }
}
