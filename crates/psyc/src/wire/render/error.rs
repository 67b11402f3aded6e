//! Errors of rendering.

/// A packet, list or dict that cannot be rendered, numbered as in docs/spec/psyc.md 11.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderError {
    /// The buffer is smaller than what is rendered.
    Buffer,
    /// A modifier has an empty name (psyc-D14: in either header).
    NameMissing,
    /// There is data, and no method.
    MethodMissing,
}

impl RenderError {
    /// Returns the number of docs/spec/psyc.md 11.4.
    pub const fn number(self) -> i32 {
        match self {
            RenderError::Buffer => -1,
            RenderError::NameMissing => -2,
            RenderError::MethodMissing => -3,
        }
    }
}

impl core::fmt::Display for RenderError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            RenderError::Buffer => "the buffer is too small: give it the length that was computed",
            RenderError::NameMissing => "a modifier has an empty name: give it a keyword",
            RenderError::MethodMissing => "there is data and no method: name one",
        })
    }
}

impl core::error::Error for RenderError {}
