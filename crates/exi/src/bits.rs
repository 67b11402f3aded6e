//! Reads bits, and bytes that need not lie at the bounds of bytes.

use polywire_core::{Error, ErrorKind, Result, Span};

/// Returns the number of bits for a number below `count` (EXI 1.0, 7.1.9).
#[inline(always)]
pub(crate) fn width(count: usize) -> u32 {
    if count < 2 { 0 } else { usize::BITS - (count - 1).leading_zeros() }
}

/// Number of characters that are read at once.
const CHUNK: usize = 32;

/// A part of a stream that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits<'b> {
    bytes: &'b [u8],
    /// Number of bits read so far.
    at: usize,
    /// True if every value starts at a byte.
    aligned: bool,
    /// Offset of `bytes` in the stream.
    base: u64,
    /// True if `bytes` was inflated: everything in it lies at `base`.
    inflated: bool,
}

impl<'b> Bits<'b> {
    /// Starts at the first bit of `bytes`, which lie at `base` in the stream.
    pub fn new(bytes: &'b [u8], base: u64) -> Bits<'b> {
        Bits { bytes, at: 0, aligned: false, base, inflated: false }
    }

    /// Starts at the first byte of inflated bytes, whose stream starts at `base`.
    pub fn inflated(bytes: &'b [u8], base: u64) -> Bits<'b> {
        Bits { bytes, at: 0, aligned: true, base, inflated: true }
    }

    /// Sets whether every value starts at a byte.
    pub fn set_aligned(&mut self, aligned: bool) {
        self.aligned = aligned;
    }

    /// Returns the offset in the stream of the byte that has the next bit.
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        if self.inflated { self.base } else { self.base + (self.at >> 3) as u64 }
    }

    /// Returns the range of the bytes from offset `start` to the last bit that was read.
    #[inline(always)]
    pub fn since(&self, start: u64) -> Span {
        let end = if self.inflated { start } else { self.base + ((self.at + 7) >> 3) as u64 };
        Span::new(start, end.max(start))
    }

    /// Returns the number of the byte that has the next bit.
    pub fn pos(&self) -> usize {
        self.at >> 3
    }

    /// Returns the bytes behind the current one, or all from the current bit on at a byte's start.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes.get((self.at + 7) >> 3..).unwrap_or_default()
    }

    /// Returns the bytes from the current one on.
    pub fn rest_from_current(&self) -> &'b [u8] {
        self.bytes.get(self.at >> 3..).unwrap_or_default()
    }

    /// Steps over whole bytes.
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + 8 * count).min(self.bytes.len() << 3);
    }

    /// Steps over the rest of a byte.
    #[inline]
    pub fn align(&mut self) {
        self.at = (self.at + 7) & !7;
    }

    /// Returns the 57 bits or more at the current place, in the upper bits of a word. Bits behind
    /// the end are 0.
    #[inline(always)]
    fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let word = match self.bytes.get(byte..byte + 8).and_then(|eight| eight.try_into().ok()) {
            Some(eight) => u64::from_be_bytes(eight),
            None => self.peek_end(byte),
        };
        word << (self.at & 7)
    }

    #[cold]
    fn peek_end(&self, byte: usize) -> u64 {
        let mut eight = [0; 8];
        let rest = self.bytes.get(byte..).unwrap_or_default();
        eight[..rest.len()].copy_from_slice(rest);
        u64::from_be_bytes(eight)
    }

    #[cold]
    fn truncated(&self) -> Error {
        let end = if self.inflated { self.base } else { self.base + self.bytes.len() as u64 };
        Error::truncated(end, "more of the EXI stream")
    }

    /// Reads `count` bits, at most 32.
    #[inline(always)]
    pub fn bits(&mut self, count: u32) -> Result<u32> {
        if count == 0 {
            return Ok(0);
        }
        let end = self.at + count as usize;
        if end > self.bytes.len() << 3 {
            return Err(self.truncated());
        }
        let value = (self.peek() >> (64 - count)) as u32;
        self.at = end;
        Ok(value)
    }

    /// Reads an n-bit unsigned integer (7.1.9): bits, or the bytes that hold them, the lowest
    /// first.
    #[inline(always)]
    pub fn number(&mut self, width: u32) -> Result<u32> {
        if !self.aligned || width == 0 {
            return self.bits(width);
        }
        let mut value = 0;
        for n in 0..width.div_ceil(8) {
            value |= self.bits(8)? << (8 * n);
        }
        Ok(value)
    }

    /// Reads an n-bit unsigned integer if it is `expected`, and returns whether it is.
    #[inline(always)]
    pub fn is_next(&mut self, width: u32, expected: u32) -> bool {
        let at = self.at;
        let is_next = self.number(width).is_ok_and(|number| number == expected);
        if !is_next {
            self.at = at;
        }
        is_next
    }

    /// Reads an unsigned integer (7.1.6) of at most 63 bits.
    #[inline(always)]
    pub fn unsigned(&mut self) -> Result<u64> {
        let first = self.bits(8)?;
        if first < 0x80 { Ok(u64::from(first)) } else { self.long_unsigned(first) }
    }

    #[inline(never)]
    fn long_unsigned(&mut self, first: u32) -> Result<u64> {
        let at = self.offset();
        let (mut value, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = u64::from(self.bits(8)?);
            if shift > 56 && byte != 0 {
                return Err(Error::data(ErrorKind::Range, at).seen("an unsigned integer of more than 63 bits").expected("a smaller one"));
            }
            if shift <= 56 {
                value |= (byte & 0x7f) << shift;
            }
            shift += 7;
            if byte < 0x80 {
                return Ok(value);
            }
        }
    }

    /// Appends `count` characters to `out` (7.1.10).
    #[inline(always)]
    pub fn characters(&mut self, count: u64, out: &mut String) -> Result<()> {
        // Each takes a byte at least.
        if count > self.bytes.len() as u64 - (self.at as u64 >> 3) {
            return Err(self.truncated());
        }
        let mut left = count as usize;
        while left > 0 {
            let Some(text) = self.ascii(left) else { return self.mixed_characters(left, out) };
            let take = left.min(CHUNK);
            let len = out.len() + take;
            // A whole chunk costs less than a part of it.
            out.push_str(std::str::from_utf8(&text).unwrap_or_default());
            out.truncate(len);
            left -= take;
            self.at += 8 * take;
        }
        Ok(())
    }

    /// Returns the next characters if the next chunk of `count` has ASCII only; any ASCII follows
    /// them in the chunk. Does not read the last bytes of the stream.
    #[inline(always)]
    fn ascii(&self, count: usize) -> Option<[u8; CHUNK]> {
        let rest = self.bytes.get(self.at >> 3..)?;
        let (first, second) = (rest.first_chunk::<CHUNK>()?, rest.get(1..)?.first_chunk::<CHUNK>()?);
        let shift = (self.at & 7) as u32;
        let count = count.min(CHUNK) as u8;
        let (mut text, mut high) = ([0; CHUNK], 0);
        for n in 0..CHUNK {
            // The second byte is shifted in two steps, as 8 are too many for one.
            let byte = first[n] << shift | second[n] >> 1 >> (7 - shift);
            high |= if (n as u8) < count { byte } else { 0 };
            text[n] = byte & 0x7f;
        }
        (high < 0x80).then_some(text)
    }

    #[inline(never)]
    fn mixed_characters(&mut self, mut left: usize, out: &mut String) -> Result<()> {
        const HIGH: u64 = 0x8080_8080_8080_8000;
        let end = self.bytes.len() << 3;
        let mut buf = [0; 64];
        while left > 0 {
            // Seven ASCII characters at once, as long as there are such.
            let mut held = 0;
            while left > 0 && held <= 56 {
                let word = self.peek();
                let take = if word & HIGH == 0 { left.min(7) } else { ((word & HIGH).leading_zeros() as usize / 8).min(left) };
                if take == 0 || self.at + 8 * take > end {
                    break;
                }
                buf[held..held + 8].copy_from_slice(&word.to_be_bytes());
                held += take;
                left -= take;
                self.at += 8 * take;
                if take < 7 {
                    break;
                }
            }
            // All of it is ASCII.
            out.push_str(std::str::from_utf8(&buf[..held]).unwrap_or_default());
            if left > 0 && (held == 0 || self.peek() >> 63 == 1) {
                let at = self.offset();
                let code = self.unsigned()?;
                let Some(c) = u32::try_from(code).ok().and_then(char::from_u32) else {
                    return Err(Error::data(ErrorKind::Encoding, at)
                        .seen(format!("a character of the number {code}"))
                        .expected("one of Unicode's"));
                };
                out.push(c);
                left -= 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_logarithms() {
        let widths: Vec<u32> = [0, 1, 2, 3, 4, 5, 8, 9, 256, 257].map(width).to_vec();
        assert_eq!(widths, [0, 0, 1, 2, 2, 3, 3, 4, 8, 9]);
    }

    #[test]
    fn numbers_are_read_from_any_bit() {
        let mut bits = Bits::new(&[0b1010_0101, 0b1100_0000, 0x12, 0x34, 0x56], 9);
        assert_eq!((bits.bits(3).unwrap(), bits.bits(7).unwrap()), (0b101, 0b001_0111));
        assert_eq!((bits.offset(), bits.bits(0).unwrap()), (10, 0));
        bits.align();
        bits.set_aligned(true);
        assert_eq!(bits.number(12).unwrap(), 0x3412);
        assert_eq!(bits.number(9).unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn unsigned_integers_have_seven_bits_in_a_byte() {
        for (bytes, value) in
            [(&[0x7f][..], Some(127)), (&[0x80, 1], Some(128)), (&[0xe5, 0x8e, 0x26], Some(624_485)), (&[0x80, 0x80, 0], Some(0))]
        {
            assert_eq!(Bits::new(bytes, 0).unsigned().ok(), value);
        }
        assert_eq!(Bits::new(&[0xff; 12], 0).unsigned().unwrap_err().kind(), ErrorKind::Range);
    }

    #[test]
    fn characters_are_read_from_any_bit() {
        let text = "The quick brown fox jumps over the lazy dog, and the naïve 🦀 looks on: ééé";
        for shift in 0..8 {
            let mut bytes = vec![0u8];
            let mut put = |byte: u8| {
                let last = bytes.len() - 1;
                bytes[last] |= byte >> shift;
                bytes.push(if shift == 0 { 0 } else { byte << (8 - shift) });
            };
            for c in text.chars() {
                let mut code = u32::from(c);
                while code > 0x7f {
                    put((code & 0x7f) as u8 | 0x80);
                    code >>= 7;
                }
                put(code as u8);
            }
            let mut bits = Bits::new(&bytes, 0);
            bits.bits(shift).unwrap();
            let mut out = String::new();
            bits.characters(text.chars().count() as u64, &mut out).unwrap();
            assert_eq!(out, text);
            assert!(bits.characters(2, &mut out).is_err());
        }
    }
}
