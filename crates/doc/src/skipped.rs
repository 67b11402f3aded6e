//! The number of bytes that a reader skipped.

use polywire_core::Span;

/// Counts the bytes that a reader skips, by the position at which it goes on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Skipped {
    bytes: u64,
    since: Option<u64>,
}

impl Skipped {
    /// Begins to skip the value that was announced at `at`.
    #[inline]
    pub fn from(&mut self, at: Span) {
        self.since = Some(at.end);
    }

    /// Ends the skipped part before the event at `at`.
    #[inline]
    pub fn until(&mut self, at: Span) {
        if let Some(since) = self.since
            && at.start >= since
        {
            self.bytes += at.start - since;
            self.since = None;
        }
    }

    /// Returns the number of bytes skipped so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
