//! What a walk of the bytes tells, in the terms of the schema.

use polywire_core::error::Result;
use polywire_core::event::{Next, Span};

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
    /// A message starts: that of a field, a list's element, a map's value, or the whole.
    fn message(&mut self, message: &Message, at: Span) -> Result<Next>;

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

    /// A field that the schema does not have, tag and value.
    fn unknown(&mut self, start: usize, end: usize) -> Result<()>;

    /// Something strange that changes nothing.
    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()>;
}
