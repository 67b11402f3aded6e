//! How much of a message was stepped over.

use polywire_core::Span;

/// Counts the bytes that a reader was told to step over, by where it goes on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Skipped {
    bytes: u64,
    since: Option<u64>,
}

impl Skipped {
    /// The value that was announced at `at` is stepped over.
    #[inline]
    pub fn from(&mut self, at: Span) {
        self.since = Some(at.end);
    }

    /// Something is told at `at`: what was stepped over ends before it.
    #[inline]
    pub fn until(&mut self, at: Span) {
        if let Some(since) = self.since
            && at.start >= since
        {
            self.bytes += at.start - since;
            self.since = None;
        }
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
