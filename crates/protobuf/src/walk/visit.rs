//! What a walk of the bytes tells, in the terms of the schema.

use polywire_core::bytes::utf8;
use polywire_core::{Error, ErrorKind, Next, Result, Span};

use crate::plan::{Field, Message};

/// A scalar as its type says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'m> {
    Bool(bool),
    I32(i32),
    I64(i64),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    Text(&'m str),
    /// A string that is no UTF-8, where the schema allows that.
    Octets(&'m [u8]),
    Bytes(&'m [u8]),
    Enum(i32),
}

/// A message to be told in the place of another one that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inner {
    /// Index of its type.
    pub(crate) message: u32,
    /// Where it starts and ends in the message.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Receives a message in logical order: each field once, lists and maps in one piece, last values and merged messages as the specification has them.
pub(crate) trait Visitor<'m> {
    /// Whether it may take fields and their values at once.
    const TAKES_FIELDS: bool = false;

    /// A message starts: that of a field, a list's element, a map's value, or the whole.
    fn message(&mut self, message: &Message, at: Span) -> Result<Next>;

    /// Fields of the message that started last to which [`Visitor::field`] is known to say [`Next::Skip`], as bits by their places in the text of the schema. It need not
    /// be asked again; of those that follow each other it hears of the first.
    #[inline(always)]
    fn unwanted(&self) -> u64 {
        0
    }

    /// The string from `start` to `end` of the message, of the field whose bit that is: field and value at once. False if they are to be told one after the other; nothing was
    /// done then.
    #[inline(always)]
    fn takes_text(&mut self, _bit: u64, _start: usize, _end: usize) -> bool {
        false
    }

    /// The same of a truth value.
    #[inline(always)]
    fn takes_truth(&mut self, _bit: u64, _value: bool) -> bool {
        false
    }

    /// It ends. What is given back takes its place as another message, with its own start and end.
    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>>;

    /// A field of a message; its value follows.
    fn field(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// The values of a repeated field start.
    fn list(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// They end.
    fn list_end(&mut self, at: Span) -> Result<()>;

    /// The entries of a map start.
    fn map(&mut self, field: &Field, at: Span) -> Result<Next>;

    /// A key of the map; its value follows.
    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next>;

    /// They end.
    fn map_end(&mut self, at: Span) -> Result<()>;

    /// A scalar: of a field, a list or a map.
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()>;

    /// A scalar that is a string, whose bytes were not looked at.
    #[inline(always)]
    fn string(&mut self, field: &Field, bytes: &'m [u8], at: Span) -> Result<()> {
        match utf8(bytes) {
            Some(text) => self.scalar(field, Value::Text(text), at),
            None if field.utf8 => Err(no_text(bytes, at)),
            None => self.scalar(field, Value::Octets(bytes), at),
        }
    }

    /// A field that the schema does not have, tag and value.
    fn unknown(&mut self, start: usize, end: usize) -> Result<()>;

    /// Something strange that changes nothing.
    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()>;
}

/// The error of a string whose bytes, the last of those `at`, are no UTF-8.
#[cold]
pub(crate) fn no_text(bytes: &[u8], at: Span) -> Error {
    let bad = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), |_| 0);
    Error::data(ErrorKind::Encoding, at.end - (bytes.len() - bad) as u64)
        .seen(format!("byte 0x{:02x}", bytes.get(bad).copied().unwrap_or_default()))
        .expected("UTF-8, as strings have to be")
        .hint("a field of type `bytes` may hold anything")
}
