//! A cursor over the bytes of a message.

use crate::error::{Error, ErrorKind, Result};

/// A cursor over one message. Its slices borrow from the message; every error carries the stream
/// offset.
#[derive(Debug, Clone, Copy)]
pub struct Input<'m> {
    bytes: &'m [u8],
    pos: usize,
    base: u64,
}

macro_rules! fixed {
    ($($name:ident, $from:ident, $int:ty, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[inline]
        pub fn $name(&mut self, what: &'static str) -> Result<$int> {
            Ok(<$int>::$from(self.array(what)?))
        }
    )*};
}

impl<'m> Input<'m> {
    /// Makes a cursor at the start of `bytes`, which lie at offset `base` of a stream.
    pub fn new(bytes: &'m [u8], base: u64) -> Input<'m> {
        Input { bytes, pos: 0, base }
    }

    /// Returns the offset of the cursor in the message.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Returns the offset of the cursor in the stream.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Returns the number of bytes not yet read.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Returns the bytes not yet read.
    #[inline]
    pub fn rest(&self) -> &'m [u8] {
        &self.bytes[self.pos..]
    }

    /// Returns the next byte without consuming it.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Moves the cursor to position `pos` of the message, at most its end.
    pub fn seek(&mut self, pos: usize) {
        self.pos = pos.min(self.bytes.len());
    }

    #[cold]
    fn truncated(&self, what: &'static str) -> Error {
        Error::truncated(self.base + self.bytes.len() as u64, what)
    }

    /// Reads a byte; `what` names in errors what was expected.
    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        match self.bytes.get(self.pos) {
            Some(&byte) => {
                self.pos += 1;
                Ok(byte)
            }
            None => Err(self.truncated(what)),
        }
    }

    /// Reads `len` bytes without a copy. A claimed length beyond the end is an error, never an
    /// allocation.
    #[inline]
    pub fn take(&mut self, len: u64, what: &'static str) -> Result<&'m [u8]> {
        match usize::try_from(len).ok().and_then(|len| self.rest().get(..len)) {
            Some(bytes) => {
                self.pos += bytes.len();
                Ok(bytes)
            }
            None => {
                let seen = format!("{} of {len} bytes, then the end of the input", self.remaining());
                Err(self.truncated(what).seen(seen))
            }
        }
    }

    /// Reads `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        match self.rest().first_chunk::<N>() {
            Some(bytes) => {
                self.pos += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(what)),
        }
    }

    fixed! {
        u16_be, from_be_bytes, u16, "Reads a big-endian 16-bit integer.";
        u32_be, from_be_bytes, u32, "Reads a big-endian 32-bit integer.";
        u64_be, from_be_bytes, u64, "Reads a big-endian 64-bit integer.";
        u16_le, from_le_bytes, u16, "Reads a little-endian 16-bit integer.";
        u32_le, from_le_bytes, u32, "Reads a little-endian 32-bit integer.";
        u64_le, from_le_bytes, u64, "Reads a little-endian 64-bit integer.";
        f32_be, from_be_bytes, f32, "Reads a big-endian binary32.";
        f64_be, from_be_bytes, f64, "Reads a big-endian binary64.";
        f32_le, from_le_bytes, f32, "Reads a little-endian binary32.";
        f64_le, from_le_bytes, f64, "Reads a little-endian binary64.";
    }

    /// Reads a little-endian base-128 varint (LEB128): seven bits a byte, at most ten bytes,
    /// refused beyond 64 bits.
    #[inline]
    pub fn varint(&mut self, what: &'static str) -> Result<u64> {
        let start = self.offset();
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8(what)?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Error::data(ErrorKind::Range, start).seen("a varint of more than 64 bits").expected(what))
    }

    /// Returns bytes as UTF-8; an error carries the offset of the first bad byte. `bytes` must have
    /// been taken from this message.
    pub fn utf8(&self, bytes: &'m [u8]) -> Result<&'m str> {
        std::str::from_utf8(bytes).map_err(|error| {
            let start = super::offset_in(self.bytes, bytes).unwrap_or(self.pos);
            let bad = start + error.valid_up_to();
            let byte = self.bytes.get(bad).copied().unwrap_or_default();
            Error::data(ErrorKind::Encoding, self.base + bad as u64).seen(format!("byte 0x{byte:02x}")).expected("UTF-8 text")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_widths_in_both_orders() {
        let mut input = Input::new(&[1, 2, 1, 2, 0, 0, 0, 3], 100);
        assert_eq!(input.u16_be("x").unwrap(), 0x0102);
        assert_eq!(input.u16_le("x").unwrap(), 0x0201);
        assert_eq!(input.u32_be("x").unwrap(), 3);
        assert_eq!(input.u8("x").unwrap_err().offset(), Some(108));
    }

    #[test]
    fn claimed_lengths_are_checked_against_what_is_there() {
        let mut input = Input::new(b"abc", 0);
        assert_eq!(input.take(u64::MAX, "text").unwrap_err().kind(), ErrorKind::Truncated);
        assert_eq!(input.take(3, "text").unwrap(), b"abc");
    }

    #[test]
    fn varints_of_all_lengths_and_no_longer() {
        for value in (0..64).map(|bit| 1u64 << bit).chain([0, u64::MAX, 300]) {
            let mut out = crate::bytes::OutBuf::default();
            out.varint(value);
            let mut bytes = Vec::new();
            out.finish(&mut bytes);
            let mut input = Input::new(&bytes, 0);
            assert_eq!(input.varint("n").unwrap(), value);
            assert_eq!(input.remaining(), 0);
            assert_eq!(Input::new(&bytes[..bytes.len() - 1], 0).varint("n").unwrap_err().kind(), ErrorKind::Truncated);
        }
        for bad in [[0xff; 10], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]] {
            assert_eq!(Input::new(&bad, 0).varint("n").unwrap_err().kind(), ErrorKind::Range);
        }
    }

    #[test]
    fn bad_text_is_named_by_its_first_bad_byte() {
        let input = Input::new(b"ab\xffcd", 10);
        let error = input.utf8(b"ab").err().or(input.utf8(&input.bytes[1..]).err()).unwrap();
        assert_eq!(error.offset(), Some(12));
    }
}
