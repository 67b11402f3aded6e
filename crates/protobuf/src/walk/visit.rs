//! The visitor of a message: what a walk reports, in the terms of the schema.

use polywire_core::bytes::utf8;
use polywire_core::{Error, ErrorKind, Next, Result, Span};

use crate::plan::{Field, Message};
use crate::scalar::Value;

/// A message that is visited in place of another one that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inner {
    /// Index of its type.
    pub(crate) message: u32,
    /// Range of its bytes in the message.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Receives a message in logical order: each field once, lists and maps in one piece, last values
/// and merged messages as the specification has them.
pub(crate) trait Visitor<'m> {
    /// The visitor may take a field and its value in one call.
    const TAKES_FIELDS: bool = false;

    /// Starts a message: a field's, a list's element, a map's value, or the whole.
    fn message(&mut self, message: &Message, at: Span) -> Result<Next>;

    /// Returns the fields of the message that started last for which [`Visitor::field`] is known to
    /// return [`Next::Skip`], as bits by their places in the schema's text. The visitor sees at
    /// most the first of such fields in a row.
    #[inline(always)]
    fn unwanted(&self) -> u64 {
        0
    }

    /// Takes the string at `start..end`, of the field with that bit: field and value in one call.
    /// Returns `false`, without effect, if they are to be visited one after the other.
    #[inline(always)]
    fn takes_text(&mut self, _bit: u64, _start: usize, _end: usize) -> bool {
        false
    }

    /// Takes a truth value, as [`Visitor::takes_text`] does a string.
    #[inline(always)]
    fn takes_truth(&mut self, _bit: u64, _value: bool) -> bool {
        false
    }

    /// Ends a message. A returned message is visited in its place, with its own start and end.
    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>>;

    /// Starts a field of a message; its value follows.
    fn field(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// Starts the values of a repeated field.
    fn list(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// Ends the values of a repeated field.
    fn list_end(&mut self, at: Span) -> Result<()>;

    /// Starts the entries of a map.
    fn map(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// Starts an entry with its key; its value follows.
    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next>;

    /// Ends the entries of a map.
    fn map_end(&mut self, at: Span) -> Result<()>;

    /// Receives a scalar of a field, a list or a map.
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()>;

    /// Receives a string whose bytes were not validated.
    #[inline(always)]
    fn string(&mut self, field: &Field, bytes: &'m [u8], at: Span) -> Result<()> {
        match utf8(bytes) {
            Some(text) => self.scalar(field, Value::Text(text), at),
            None if field.utf8 => Err(no_text(bytes, at)),
            None => self.scalar(field, Value::Octets(bytes), at),
        }
    }

    /// Receives a field that the schema does not have, tag and value.
    fn unknown(&mut self, start: usize, end: usize) -> Result<()>;

    /// Receives a number of a packed list that the closed enum of the field does not have: a varint
    /// without a tag, which counts as an unknown field of that number.
    fn stray(&mut self, field: &Field, start: usize, end: usize) -> Result<()>;

    /// Receives a remark about something unusual that changes no value.
    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()>;
}

/// Returns the error for a string that is not UTF-8 and whose bytes are the last of `at`.
#[cold]
pub(crate) fn no_text(bytes: &[u8], at: Span) -> Error {
    let bad = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), |_| 0);
    Error::data(ErrorKind::Encoding, at.end - (bytes.len() - bad) as u64)
        .seen(format!("byte 0x{:02x}", bytes.get(bad).copied().unwrap_or_default()))
        .expected("UTF-8 in a string")
        .hint("a field of type `bytes` may hold anything")
}
