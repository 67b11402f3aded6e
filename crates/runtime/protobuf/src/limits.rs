//! The limits of a decoder.

/// Maximum depth of messages for any limits, since readers recurse.
const DEEPEST: u32 = 1000;

/// Inclusive maxima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum depth of messages and groups, the outermost included. It is clamped to 1 to 1000.
    pub depth: u32,
    /// Maximum size of a message in bytes.
    pub length: usize,
}

impl Limits {
    /// The limits of the official libraries: depth 100, 2 GiB.
    pub const DEFAULT: Limits = Limits { depth: 100, length: 0x7fff_ffff };

    pub(crate) fn depth(&self) -> u32 {
        self.depth.clamp(1, DEEPEST)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
