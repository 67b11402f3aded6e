//! The limits of a decoder.

/// Deepest nesting that any limits allow, so that no stack overflows.
const DEEPEST: u32 = 512;

/// Inclusive maxima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nesting of structs, lists, sets and maps, at most 512.
    pub depth: u32,
}

impl Limits {
    /// The limit of Apache's libraries, `DEFAULT_RECURSION_DEPTH`.
    pub const DEFAULT: Limits = Limits { depth: 64 };

    /// Returns the nesting that is allowed.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.min(DEEPEST)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
