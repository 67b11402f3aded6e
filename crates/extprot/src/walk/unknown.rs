//! Elements that a protocol does not know, kept until what they stood in is written again.

use polywire_core::event::Note;

use super::FIRST_OF_TUPLE;
use crate::wire::skip;

/// The unknown elements of one message, by the place of what they stand in.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    /// Places in the tree of the values; those of a place that is closed come before those of the one around it.
    rows: Vec<Row>,
    bytes: Vec<u8>,
    state: State,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    place: usize,
    elements: u64,
    start: usize,
    end: usize,
}

/// Whether an unknown element may belong to the container that is open.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// A primitive follows that is read from a tuple.
    First,
    /// What is unknown now lies in that tuple.
    Inside,
}

impl Unknown {
    /// Any event but a note.
    #[inline]
    pub(super) fn event(&mut self) {
        self.state = if self.state == State::First { State::Inside } else { State::Open };
    }

    /// Whether the note is elements of the container at `place`, which are kept.
    pub(super) fn keep(&mut self, note: Note<'_>, place: Option<usize>) -> bool {
        match (note, place) {
            (Note::Unknown(_), _) if self.state == State::Inside => self.state = State::Open,
            (Note::Coerced(FIRST_OF_TUPLE), _) => self.state = State::First,
            (Note::Unknown(bytes), Some(place)) => {
                let mut elements = 0;
                let mut at = 0;
                while at < bytes.len() {
                    match skip::value(bytes, at) {
                        Ok(end) => at = end,
                        Err(_) => return false,
                    }
                    elements += 1;
                }
                let start = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                self.rows.push(Row { place, elements, start, end: self.bytes.len() });
                return true;
            }
            _ => {}
        }
        false
    }

    /// The message is complete: from here on [`Unknown::at`] finds what was kept.
    pub(super) fn complete(&mut self) {
        self.rows.sort_by_key(|row| row.place);
    }

    /// The elements of the container at `place`: how many, and their bytes.
    pub(super) fn at(&self, place: usize) -> (u64, &[u8]) {
        match self.rows.binary_search_by_key(&place, |row| row.place) {
            Ok(n) => (self.rows[n].elements, &self.bytes[self.rows[n].start..self.rows[n].end]),
            Err(_) => (0, &[]),
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.bytes.clear();
        self.state = State::Open;
    }
}
