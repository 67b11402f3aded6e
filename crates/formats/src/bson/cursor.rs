//! A cursor that stays within its document.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

use super::wire::{self, MIN_DOCUMENT, MIN_SCOPED, MIN_TEXT, OBJECT_ID_LEN};

/// A cursor over one message. A value that reaches beyond the end of its document is rejected,
/// whatever follows in the message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'m> {
    pub(super) input: Input<'m>,
    msg: &'m [u8],
    base: u64,
    /// Position of the byte that ends the innermost document; in a truncated message it may lie
    /// beyond the bytes.
    pub(super) end: usize,
}

impl<'m> Cursor<'m> {
    pub(super) fn new(msg: &'m [u8], base: u64) -> Cursor<'m> {
        Cursor { input: Input::new(msg, base), msg, base, end: usize::MAX }
    }

    pub(super) fn pos(&self) -> usize {
        self.input.pos()
    }

    /// Takes the next `len` bytes.
    #[inline]
    pub(super) fn take(&mut self, len: usize, what: &'static str) -> Result<&'m [u8]> {
        self.fits(len, self.pos(), what)?;
        self.input.take(len as u64, what)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        self.fits(N, self.pos(), what)?;
        self.input.array(what)
    }

    /// Moves to `to`, which lies in the document.
    pub(super) fn seek(&mut self, to: usize) -> Result<()> {
        if to > self.msg.len() {
            return Err(Error::truncated(self.base + self.msg.len() as u64, "a value that is stepped over"));
        }
        self.input.seek(to);
        Ok(())
    }

    /// Reads a 32-bit length of at least `min` bytes.
    #[inline]
    pub(super) fn length(&mut self, min: usize, what: &'static str) -> Result<usize> {
        let at = self.pos();
        let length = i32::from_le_bytes(self.array(what)?);
        match usize::try_from(length) {
            Ok(length) if length >= min => Ok(length),
            _ => Err(self
                .wrong(at, format!("a length of {length}"))
                .expected(format!("{what}, of at least {min}"))
                .hint("lengths are 32-bit signed integers, little-endian")),
        }
    }

    /// Reads a text with its length, without the zero byte that the length counts.
    #[inline]
    pub(super) fn text(&mut self, what: &'static str) -> Result<&'m [u8]> {
        let len = self.length(MIN_TEXT, "the length of a text")?;
        let bytes = self.take(len, what)?;
        let (&last, text) = bytes.split_last().unwrap_or((&0, bytes));
        if last != 0 {
            return Err(self.wrong(self.pos() - 1, format!("byte 0x{last:02x}")).expected("00, the end of a text"));
        }
        Ok(text)
    }

    /// Reads a text that ends at the first zero byte, without that byte.
    #[inline]
    pub(super) fn cstring(&mut self, what: &'static str) -> Result<&'m [u8]> {
        let rest = self.input.rest();
        let left = self.end.saturating_sub(self.pos());
        let within = &rest[..rest.len().min(left)];
        match memchr::memchr(0, within) {
            Some(len) => {
                let text = &within[..len];
                self.input.seek(self.pos() + len + 1);
                Ok(text)
            }
            None if left > rest.len() => Err(Error::truncated(self.base + self.msg.len() as u64, what)),
            None => Err(self.wrong(self.pos(), format!("{what} without an end in its document")).expected("00 after it")),
        }
    }

    /// Reads the length of a document within this one; returns its end.
    #[inline]
    pub(super) fn document(&mut self) -> Result<usize> {
        self.counted(MIN_DOCUMENT, "the length of a document")
    }

    /// Reads the length of code with its scope; returns their end.
    pub(super) fn scoped(&mut self) -> Result<usize> {
        self.counted(MIN_SCOPED, "the length of code with its scope")
    }

    /// Reads a length that counts its own four bytes; returns the end of the range that it counts.
    fn counted(&mut self, min: usize, what: &'static str) -> Result<usize> {
        let at = self.pos();
        let len = self.length(min, what)?;
        self.fits(len, at, what)?;
        Ok(at + len)
    }

    /// Steps over a value of a type.
    pub(super) fn skip(&mut self, kind: u8) -> Result<()> {
        let what = "a value that is stepped over";
        let fixed = match kind {
            wire::DOUBLE | wire::DATETIME | wire::TIMESTAMP | wire::INT64 => 8,
            wire::INT32 => 4,
            wire::BOOL => 1,
            wire::DECIMAL128 => 16,
            wire::OBJECT_ID => OBJECT_ID_LEN,
            wire::UNDEFINED | wire::NULL | wire::MIN_KEY | wire::MAX_KEY => 0,
            wire::TEXT | wire::CODE | wire::SYMBOL => self.length(MIN_TEXT, what)?,
            wire::DB_POINTER => self.length(MIN_TEXT, what)? + OBJECT_ID_LEN,
            wire::BINARY => self.length(0, what)? + 1,
            wire::DOCUMENT | wire::ARRAY => {
                let end = self.document()?;
                return self.seek(end);
            }
            wire::CODE_WITH_SCOPE => {
                let end = self.scoped()?;
                return self.seek(end);
            }
            wire::REGEX => {
                self.cstring(what)?;
                self.cstring(what)?;
                0
            }
            _ => return Err(self.unknown(kind, self.pos())),
        };
        self.take(fixed, what).map(|_| ())
    }

    /// Returns bytes of this message as text.
    #[inline]
    pub(super) fn utf8(&self, bytes: &'m [u8]) -> Result<&'m str> {
        match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => self.input.utf8(bytes),
        }
    }

    /// Returns the error at position `at`.
    #[cold]
    pub(super) fn wrong(&self, at: usize, seen: String) -> Error {
        Error::data(ErrorKind::Syntax, self.base + at as u64).seen(seen)
    }

    /// Returns the error for a type that the specification does not have, at position `at`.
    #[cold]
    pub(super) fn unknown(&self, kind: u8, at: usize) -> Error {
        self.wrong(at, format!("an element of type 0x{kind:02x}")).expected("a type from 0x01 to 0x13, 0x7f or 0xff")
    }

    /// Checks that `len` bytes from position `at` are within the document.
    #[inline]
    fn fits(&self, len: usize, at: usize, what: &'static str) -> Result<()> {
        let left = self.end.saturating_sub(at);
        if len > left { Err(self.too_long(len, left, at, what)) } else { Ok(()) }
    }

    #[cold]
    fn too_long(&self, len: usize, left: usize, at: usize, what: &'static str) -> Error {
        self.wrong(at, format!("{what}: {len} bytes, with {left} left in the document around it"))
            .expected("a value that ends within its document")
    }
}
