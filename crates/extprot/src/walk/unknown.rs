//! Elements unknown to a protocol, on their way from a reader's remarks to the writer's bytes.

use polywire_core::bytes::Mark;
use polywire_core::{Note, Span};

use super::shared::{FIRST_OF_TUPLE, ONLY_OF_TUPLE};
use crate::wire::{self, WireType, skip};

/// State announced by remarks about the next value, or the one being written.
#[derive(Debug, Default)]
pub(super) struct Unknown(State);

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Nothing,
    /// The next primitive is read from a tuple; true if more elements follow in it.
    First(bool),
    Kept(Kept),
}

/// Work to finish before the next event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    Nothing,
    /// The tuple around a primitive, with the gaps of its length and count.
    Tuple {
        length: Mark,
        count: Mark,
    },
    /// Tag of the tuple that follows, and the span of the tag.
    Tag(u64, Span),
}

impl Unknown {
    /// Returns whether more elements follow, if the next scalar is read from a tuple.
    #[inline]
    pub(super) fn first(&mut self) -> Option<bool> {
        let State::First(more) = self.0 else { return None };
        self.clear();
        Some(more)
    }

    /// Records that the scalar was written in a tuple with these gaps, whose rest follows as a
    /// remark.
    pub(super) fn inside(&mut self, length: Mark, count: Mark) {
        self.0 = State::Kept(Kept::Tuple { length, count });
    }

    /// Returns the gaps of the tuple around the scalar, if the tuple must be finished.
    pub(super) fn tuple(&mut self) -> Option<(Mark, Mark)> {
        let State::Kept(Kept::Tuple { length, count }) = self.0 else { return None };
        self.clear();
        Some((length, count))
    }

    /// Takes the work to finish before the next event.
    #[inline]
    pub(super) fn take(&mut self) -> Kept {
        match std::mem::take(&mut self.0) {
            State::Kept(kept) => kept,
            State::Nothing | State::First(_) => Kept::Nothing,
        }
    }

    /// Returns whether the note is about the value that follows.
    pub(super) fn announces(&mut self, note: Note<'_>, at: Span) -> bool {
        match note {
            Note::Coerced(remark @ (FIRST_OF_TUPLE | ONLY_OF_TUPLE)) => self.0 = State::First(remark == FIRST_OF_TUPLE),
            Note::Unknown(bytes) => match wire::prefix(bytes, 0) {
                Ok((prefix, end)) if prefix.wire == WireType::Tuple && end == bytes.len() => {
                    self.0 = State::Kept(Kept::Tag(prefix.tag, at));
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    pub(super) fn clear(&mut self) {
        self.0 = State::Nothing;
    }
}

/// Counts the elements in these bytes; `None` if the last one is incomplete.
pub(super) fn elements(bytes: &[u8]) -> Option<u64> {
    let mut elements = 0;
    let mut at = 0;
    while at < bytes.len() {
        at = skip::value(bytes, at).ok()?;
        elements += 1;
    }
    Some(elements)
}
