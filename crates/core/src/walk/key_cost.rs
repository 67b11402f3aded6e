//! The cost of keys that are containers, for sinks whose keys are text.

use crate::error::{Error, ErrorKind, Result};
use crate::walk::event::Span;

/// Most keys that are containers, one within the other.
const DEPTH: u32 = 8;

/// Most bytes of text that keys within keys make in one message.
const BYTES: u64 = 4 << 20;

/// Meter of the text that a sink makes from keys that are containers.
///
/// A key inside of such a key becomes text within text, whose quotes are escaped once more. Each
/// level may therefore double the text; without a bound, a few bytes would make gigabytes.
#[derive(Debug, Clone, Default)]
pub struct KeyCost {
    open: u32,
    bytes: u64,
}

impl KeyCost {
    /// Enters a key that is a container.
    ///
    /// # Errors
    /// Eight such keys are open.
    pub fn enter(&mut self, at: Span) -> Result<()> {
        self.open += 1;
        if self.open > DEPTH {
            return Err(too_much(format!("more than {DEPTH} keys that are containers, within each other"), at));
        }
        Ok(())
    }

    /// Leaves a key whose text has `bytes` bytes.
    ///
    /// # Errors
    /// Keys within keys made more than 4 MiB of text.
    pub fn leave(&mut self, bytes: usize, at: Span) -> Result<()> {
        self.open = self.open.saturating_sub(1);
        if self.open > 0 {
            self.bytes = self.bytes.saturating_add(bytes as u64);
            if self.bytes > BYTES {
                return Err(too_much(format!("more than {BYTES} bytes of text from keys within keys"), at));
            }
        }
        Ok(())
    }

    /// Forgets the message, for the next one.
    pub fn reset(&mut self) {
        *self = KeyCost::default();
    }
}

#[cold]
fn too_much(seen: String, at: Span) -> Error {
    Error::data(ErrorKind::Limit, at.start)
        .seen(seen)
        .expected("keys that are short as text")
        .hint("each level may double the text; a format whose keys are values, such as CBOR or YAML, holds them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_within_keys_are_bounded() {
        let mut cost = KeyCost::default();
        let at = Span::new(7, 8);
        for _ in 0..DEPTH {
            cost.enter(at).unwrap();
        }
        let error = cost.enter(at).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Limit, Some(7)));
        cost.reset();
        // The outermost key's text is no longer than twice the message's.
        for _ in 0..3 {
            cost.enter(at).unwrap();
            cost.leave(4_194_304, at).unwrap();
        }
        cost.enter(at).unwrap();
        for _ in 0..2 {
            cost.enter(at).unwrap();
            cost.leave(4_194_304 / 2, at).unwrap();
        }
        cost.enter(at).unwrap();
        assert_eq!(cost.leave(1, at).unwrap_err().kind(), ErrorKind::Limit);
    }
}
