//! The rows that are wanted of an inspection.

use memchr::memmem;

use crate::error::{Error, Result};
use crate::tools::adapt::Projection;
use crate::walk::event::Span;
use crate::walk::path::Path;

use super::{Row, What};

/// The rows that are wanted: those that fit all that is set. Reading stops where no later row can
/// fit. Default: all rows.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Wanted {
    /// The row of this byte, by its offset; for a name, that of its value too.
    pub at: Option<u64>,
    /// The rows of this message, counted from 0.
    pub message: Option<u64>,
    /// The rows of these values, with their names and all they hold.
    pub paths: Option<Projection>,
    /// The rows of names, values and notes that hold this; for a name, that of its value too.
    pub find: Option<Needle>,
    /// At most this number of values, containers among them.
    pub limit: Option<u64>,
}

impl Wanted {
    /// Reports whether every row is wanted.
    pub(super) fn is_all(&self) -> bool {
        self.message.is_none() && self.limit.is_none() && !self.by_place()
    }

    /// Reports whether rows need their paths: they are shown without those around them.
    pub(super) fn by_place(&self) -> bool {
        self.at.is_some() || self.paths.is_some() || self.find.is_some()
    }

    /// Reports whether no row of a message fits.
    pub(super) fn skips(&self, message: u64, at: Span) -> bool {
        self.message.is_some_and(|wanted| message < wanted) || self.at.is_some_and(|offset| at.end <= offset)
    }
}

/// A text or bytes to be found.
///
/// ```
/// use polywire_core::tools::inspect::Needle;
///
/// assert!(Needle::parse("0xdeadbeef")?.is_bytes());
/// assert!(Needle::parse("de ad be ef")?.is_bytes());
/// assert!(!Needle::parse("dead")?.is_bytes());
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    text: String,
    /// The bytes that the text spells in hexadecimal.
    bytes: Option<Vec<u8>>,
}

impl Needle {
    /// Reads what a person wants to find. Hexadecimal digits after `0x`, or two or more pairs of
    /// them with blanks between, are bytes; they are looked for as text as well. All else is text.
    ///
    /// # Errors
    /// Nothing is to be found.
    pub fn parse(text: &str) -> Result<Needle> {
        if text.is_empty() {
            return Err(Error::usage("nothing to find").expected("a text, or bytes such as 0x1f8b or \"1f 8b\""));
        }
        let bytes = match text.strip_prefix("0x") {
            Some(digits) => pairs(&digits.replace(' ', "")),
            None => {
                let are_pairs = text.contains(' ') && text.split(' ').all(|pair| pair.len() == 2);
                if are_pairs { pairs(&text.replace(' ', "")) } else { None }
            }
        };
        Ok(Needle { text: text.to_string(), bytes })
    }

    /// Reports whether it is looked for as bytes.
    pub fn is_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    /// Reports whether a text has it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.text)
    }

    /// Reports whether bytes have it.
    pub(super) fn is_among(&self, raw: &[u8]) -> bool {
        memmem::find(raw, self.text.as_bytes()).is_some() || self.bytes.as_ref().is_some_and(|bytes| memmem::find(raw, bytes).is_some())
    }
}

/// Returns the bytes that pairs of hexadecimal digits spell.
fn pairs(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?);
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
    bytes.filter(|bytes| !bytes.is_empty())
}

/// A judge of rows as they come.
pub(super) struct Sieve<'w> {
    wanted: &'w Wanted,
    /// The heading of the current message, until a row below it is shown.
    heading: Option<Heading>,
    /// A name was shown for what was found in it, at this depth: its value is shown too.
    value_due: Option<usize>,
    in_part: bool,
    in_message: bool,
    pub(super) shown: u64,
    pub(super) values: u64,
    pub(super) stopped: bool,
}

struct Heading {
    message: u64,
    at: Span,
    value: String,
}

/// A judgement of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Show,
    Hide,
    /// Nor any row after it.
    Stop,
}

impl<'w> Sieve<'w> {
    pub(super) fn new(wanted: &'w Wanted) -> Sieve<'w> {
        Sieve { wanted, heading: None, value_due: None, in_part: false, in_message: false, shown: 0, values: 0, stopped: false }
    }

    /// Passes a row on to `rows`, if it is wanted, with the heading of its message before it.
    /// Returns false if no later row can be wanted.
    pub(super) fn row(&mut self, row: &Row<'_>, rows: &mut dyn FnMut(&Row<'_>) -> Result<()>) -> Result<bool> {
        match self.judge(row) {
            Verdict::Hide => return Ok(true),
            Verdict::Stop => {
                self.stopped = true;
                return Ok(false);
            }
            Verdict::Show => {}
        }
        if let Some(Heading { message, at, value }) = self.heading.take() {
            let (start, root) = (Span::new(at.start, at.start), Path::default());
            let around = Row { what: What::Message, message, bytes: start, raw: &[], at, depth: 0, label: None, kind: "message", ..*row };
            let own = Row { named: false, value: &value, notes: &[], holds: None, level: 0, decoded: false, path: Some(&root), ..around };
            rows(&own)?;
        }
        let starts_value = match row.what {
            What::Value | What::Open => true,
            What::Part => !self.in_part,
            _ => false,
        };
        self.in_part = row.what == What::Part;
        self.values += u64::from(starts_value);
        self.shown += u64::from(row.what != What::Message);
        rows(row)?;
        Ok(true)
    }

    fn judge(&mut self, row: &Row<'_>) -> Verdict {
        let wanted = self.wanted;
        if wanted.limit.is_some_and(|limit| self.values >= limit) {
            return Verdict::Stop;
        }
        if row.what == What::Unread && row.level == 0 {
            return Verdict::Show;
        }
        if let Some(message) = wanted.message {
            if row.level == 0 && row.message > message {
                return Verdict::Stop;
            }
            self.in_message |= row.what == What::Message && row.level == 0 && row.message == message;
            if !self.in_message {
                return Verdict::Hide;
            }
        }
        if !wanted.by_place() {
            return Verdict::Show;
        }
        if row.what == What::Message && row.level == 0 {
            self.heading = Some(Heading { message: row.message, at: row.at, value: row.value.to_string() });
            self.value_due = None;
            return Verdict::Hide;
        }
        let starts_value = matches!(row.what, What::Value | What::Open | What::Part);
        if self.value_due == Some(row.depth) && starts_value {
            self.value_due = None;
            return Verdict::Show;
        }
        let mut fits = wanted.paths.is_none() || row.marks.chosen;
        if let Some(offset) = wanted.at {
            if row.level == 0 && row.bytes.start > offset && self.value_due.is_none() {
                return Verdict::Stop;
            }
            fits &= !row.decoded && row.bytes.start <= offset && offset < row.bytes.end;
        }
        fits &= wanted.find.is_none() || row.marks.hit;
        if !fits {
            return Verdict::Hide;
        }
        let by_content = wanted.at.is_some() || wanted.find.is_some();
        self.value_due = (by_content && matches!(row.what, What::Field | What::Key)).then_some(row.depth);
        Verdict::Show
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_are_bytes_only_where_they_say_so() {
        let bytes = |text: &str| Needle::parse(text).unwrap().bytes;
        assert_eq!(bytes("0x1F8b"), Some(vec![0x1f, 0x8b]));
        assert_eq!(bytes("0x1f 8b 08"), Some(vec![0x1f, 0x8b, 8]));
        assert_eq!(bytes("de ad"), Some(vec![0xde, 0xad]));
        for text in ["0x", "0x1", "0xgg", "dead", "de", "de  ad", "of it", "de ad b", "é ab"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert!(Needle::parse("").is_err());
        let needle = Needle::parse("de ad").unwrap();
        assert!(
            needle.is_in("code ads: de ad") && needle.is_among(b"\0\xde\xad") && needle.is_among(b"de ad") && !needle.is_among(b"\xde")
        );
    }
}
