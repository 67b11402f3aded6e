//! The structure of BSON documents: elements, their names and types, and where values start.

use std::borrow::Cow;

use polywire_core::walk::{Shape, Step, Structure};
use polywire_core::{Error, ErrorKind, Frame, Reader, Result};

use super::cursor::Cursor;
use super::wire::{self, ARRAY, DOCUMENT, MIN_DOCUMENT};

/// The structure of BSON documents, one after the other.
#[derive(Debug, Default)]
pub(super) struct BsonStructure {
    /// Open documents, true for arrays.
    levels: Vec<bool>,
    /// Type of the value that comes.
    kind: u8,
}

impl Structure for BsonStructure {
    fn next<'s>(&'s mut self, buf: &'s [u8], base: u64, eof: bool) -> Result<Step<'s>> {
        let missing = |what: &'static str| match eof {
            true => Err(Error::truncated(base + buf.len() as u64, what).format_is(wire::NAME)),
            false => Ok(Step::More(1)),
        };
        let Some(is_array) = self.levels.last().copied() else {
            self.kind = DOCUMENT;
            return match buf.len() {
                0 if eof => Ok(Step::End),
                0..4 => missing("the length of a document"),
                _ => length(buf, base).map(|()| Step::Value { at: 0, shape: Shape::Named, name: None }),
            };
        };
        let Some(&kind) = buf.first() else { return missing("the type of an element, or the end of its document") };
        if kind == 0 {
            self.levels.pop();
            return Ok(Step::Close(1));
        }
        if !wire::is_type(kind) {
            let error = Error::data(ErrorKind::Syntax, base).seen(format!("byte 0x{kind:02x}"));
            return Err(error.expected("the type of an element, or 00").format_is(wire::NAME));
        }
        let Some(end) = memchr::memchr(0, &buf[1..]) else { return missing("the name of an element") };
        let at = 1 + end + 1;
        self.kind = kind;
        let shape = match kind {
            DOCUMENT => Shape::Named,
            ARRAY => Shape::List,
            _ => Shape::Scalar,
        };
        if shape != Shape::Scalar {
            if buf.len() < at + 4 {
                return missing("the length of a document");
            }
            length(&buf[at..], base + at as u64)?;
        }
        let name = (!is_array).then(|| String::from_utf8_lossy(&buf[1..1 + end]));
        Ok(Step::Value { at, shape, name: name.map(|name: Cow<'_, str>| name) })
    }

    fn enter(&mut self, _: &[u8]) -> usize {
        self.levels.push(self.kind == ARRAY);
        4
    }

    fn value(&mut self, reader: &mut dyn Reader, buf: &[u8], base: u64, eof: bool, entry: bool) -> Result<Frame> {
        if entry && self.kind != DOCUMENT {
            let error = Error::data(ErrorKind::Unsupported, base).seen(format!("an entry of type 0x{:02x}", self.kind));
            return Err(error
                .expected("a document (0x03), since every message is one")
                .hint("convert the whole to another format first, such as json")
                .format_is(wire::NAME));
        }
        if self.kind == DOCUMENT {
            return reader.frame(buf, base, eof);
        }
        let mut cursor = Cursor::new(buf, base);
        match cursor.skip(self.kind) {
            Ok(()) => Ok(Frame::Message { start: 0, end: cursor.pos() }),
            Err(error) if error.kind() == ErrorKind::Truncated && !eof => Ok(Frame::More(1)),
            Err(error) => Err(error.format_is(wire::NAME)),
        }
    }

    fn passed(&mut self) {}
}

/// Checks the length of the document that `buf` begins with.
fn length(buf: &[u8], base: u64) -> Result<()> {
    let length = buf.first_chunk().map_or(0, |length| i32::from_le_bytes(*length));
    if usize::try_from(length).is_ok_and(|length| length >= MIN_DOCUMENT) {
        return Ok(());
    }
    let error = Error::data(ErrorKind::Syntax, base).seen(format!("a length of {length}"));
    Err(error.expected(format!("the length of a document, of at least {MIN_DOCUMENT}")).format_is(wire::NAME))
}
