//! Elements that a protocol does not know, on their way from a reader's remarks to the bytes that are written.

use polywire_core::bytes::Mark;
use polywire_core::{Note, Span};

use super::shared::{FIRST_OF_TUPLE, ONLY_OF_TUPLE};
use crate::wire::{self, WireType, skip};

/// What remarks have announced about the value that comes, or is being written.
#[derive(Debug, Default)]
pub(super) struct Unknown(State);

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Nothing,
    /// A primitive follows that is read from a tuple; whether more is in it.
    First(bool),
    Kept(Kept),
}

/// What is to be ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    Nothing,
    /// The tuple that a primitive was read from, with the gaps of its length and count.
    Tuple {
        length: Mark,
        count: Mark,
    },
    /// The tag of a tuple that follows, and where it stands.
    Tag(u64, Span),
}

impl Unknown {
    /// Whether the next scalar is read from a tuple, and whether more is in it.
    #[inline]
    pub(super) fn first(&mut self) -> Option<bool> {
        let State::First(more) = self.0 else { return None };
        self.clear();
        Some(more)
    }

    /// That scalar was written, in a tuple with these gaps, of which the rest comes as a remark.
    pub(super) fn inside(&mut self, length: Mark, count: Mark) {
        self.0 = State::Kept(Kept::Tuple { length, count });
    }

    /// The gaps of the tuple that this scalar was written in, if it is to be ended.
    pub(super) fn tuple(&mut self) -> Option<(Mark, Mark)> {
        let State::Kept(Kept::Tuple { length, count }) = self.0 else { return None };
        self.clear();
        Some((length, count))
    }

    /// What is to be ended before the next event.
    #[inline]
    pub(super) fn take(&mut self) -> Kept {
        match std::mem::take(&mut self.0) {
            State::Kept(kept) => kept,
            State::Nothing | State::First(_) => Kept::Nothing,
        }
    }

    /// Whether the note is about the value that follows.
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

/// How many elements these bytes are, if they are whole ones.
pub(super) fn elements(bytes: &[u8]) -> Option<u64> {
    let mut elements = 0;
    let mut at = 0;
    while at < bytes.len() {
        at = skip::value(bytes, at).ok()?;
        elements += 1;
    }
    Some(elements)
}
