//! Text templates (docs/spec/psyc.md 14): text with names in braces that values replace.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use memchr::memmem;

/// The progress of filling a template, numbered as in docs/spec/psyc.md 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// -1: nothing was substituted and nothing written. The text is the template as it is.
    NoSubstitution,
    /// 0: done.
    Complete,
    /// 1: the next piece does not fit: call again with another buffer.
    Incomplete,
}

impl Status {
    /// Returns the number of docs/spec/psyc.md 14.
    pub const fn number(self) -> i32 {
        match self {
            Status::NoSubstitution => -1,
            Status::Complete => 0,
            Status::Incomplete => 1,
        }
    }
}

/// The result of one call of [`Text::fill`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// The progress.
    pub status: Status,
    /// The number of bytes written at the start of the buffer.
    pub written: usize,
}

/// A template that is being filled.
///
/// Text is written in pieces: a value, the text between two values, and the text after the last
/// one. A piece is never split over buffers, so a piece that is larger than every buffer is never
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'t> {
    template: &'t [u8],
    open: &'t [u8],
    close: &'t [u8],
    /// Bytes of the template whose text was written (psyc-D26).
    cursor: usize,
}

/// A placeholder for which there is a value.
struct Place<V> {
    start: usize,
    end: usize,
    value: V,
}

impl<'t> Text<'t> {
    /// Returns a template with names in `[` and `]`.
    pub const fn new(template: &'t [u8]) -> Text<'t> {
        Text::with_braces(template, b"[", b"]")
    }

    /// Returns a template with names between other braces. Nothing is substituted if a brace is
    /// empty.
    pub const fn with_braces(template: &'t [u8], open: &'t [u8], close: &'t [u8]) -> Text<'t> {
        Text { template, open, close, cursor: 0 }
    }

    /// Returns the template at an earlier [`Text::cursor`].
    #[must_use]
    pub const fn at(self, cursor: usize) -> Text<'t> {
        Text { cursor: if cursor < self.template.len() { cursor } else { self.template.len() }, ..self }
    }

    /// Returns the number of bytes of the template that are done, as text or as placeholders. With
    /// the template and the braces, it is the whole state.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Returns the template.
    pub const fn template(&self) -> &'t [u8] {
        self.template
    }

    /// Writes as many pieces to `out` as fit. `lookup` returns the value of a name, or `None` if
    /// the placeholder stays as it is. It may be asked again for a name whose value did not fit.
    ///
    /// ```
    /// use polywire_psyc::text::{Status, Text};
    ///
    /// let mut text = Text::new(b"[_nick] joins [_room].");
    /// let mut out = [0; 32];
    /// let filled = text.fill(&mut out, |name| match name {
    ///     b"_nick" => Some("Ann"),
    ///     _ => None,
    /// });
    /// assert_eq!((filled.status, &out[..filled.written]), (Status::Complete, &b"Ann joins [_room]."[..]));
    /// ```
    pub fn fill<V: AsRef<[u8]>>(&mut self, out: &mut [u8], mut lookup: impl FnMut(&'t [u8]) -> Option<V>) -> Filled {
        let mut written = 0;
        let mut put = |piece: &[u8]| match out.get_mut(written..written + piece.len()) {
            Some(room) => {
                room.copy_from_slice(piece);
                written += piece.len();
                true
            }
            None => false,
        };
        let status = loop {
            let Some(Place { start, end, value }) = self.next_place(&mut lookup) else {
                if self.cursor == 0 {
                    break Status::NoSubstitution;
                }
                if !put(&self.template[self.cursor..]) {
                    break Status::Incomplete;
                }
                self.cursor = self.template.len();
                break Status::Complete;
            };
            if !put(&self.template[self.cursor..start]) {
                break Status::Incomplete;
            }
            self.cursor = start;
            if !put(value.as_ref()) {
                break Status::Incomplete;
            }
            self.cursor = end;
        };
        Filled { status, written }
    }

    /// Appends the whole text to `out`, and returns whether anything was substituted.
    #[cfg(feature = "alloc")]
    pub fn append<V: AsRef<[u8]>>(mut self, out: &mut Vec<u8>, mut lookup: impl FnMut(&'t [u8]) -> Option<V>) -> bool {
        let mut found = false;
        while let Some(Place { start, end, value }) = self.next_place(&mut lookup) {
            out.extend_from_slice(&self.template[self.cursor..start]);
            out.extend_from_slice(value.as_ref());
            self.cursor = end;
            found = true;
        }
        out.extend_from_slice(&self.template[self.cursor..]);
        found
    }

    /// Returns the next placeholder with a value, from the cursor on.
    fn next_place<V>(&self, lookup: &mut impl FnMut(&'t [u8]) -> Option<V>) -> Option<Place<V>> {
        if self.open.is_empty() || self.close.is_empty() {
            return None;
        }
        let mut from = self.cursor;
        loop {
            let start = from + find(&self.template[from..], self.open)?;
            let name = start + self.open.len();
            let len = find(&self.template[name..], self.close)?;
            let end = name + len + self.close.len();
            // psyc-D25: of a placeholder without a name, no byte more than it is skipped.
            if len > 0
                && let Some(value) = lookup(&self.template[name..name + len])
            {
                return Some(Place { start, end, value });
            }
            from = end;
        }
    }
}

fn find(text: &[u8], brace: &[u8]) -> Option<usize> {
    match brace {
        [byte] => memchr::memchr(*byte, text),
        _ => memmem::find(text, brace),
    }
}
