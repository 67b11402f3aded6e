//! What a decoder accepts at most.

/// Most messages within each other that code reads, whatever the limits say: it recurses.
const DEEPEST: u32 = 1000;

/// Inclusive maxima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Messages and groups within each other, the outermost included. Taken for 1 or 1000 if it is not between these.
    pub depth: u32,
    /// Bytes of a message.
    pub length: usize,
}

impl Limits {
    /// The limits of the official libraries: 100 messages within each other, 2 GiB.
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
