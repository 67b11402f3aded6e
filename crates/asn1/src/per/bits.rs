//! Bits of a message, read and written in words of 64.

use polywire_core::{Error, ErrorKind, Result};

/// Reads bits, the most significant one of a byte first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    at: u64,
    end: u64,
    /// Offset of the first byte in the stream.
    base: u64,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64) -> Bits<'a> {
        Bits { bytes, at: 0, end: bytes.len() as u64 * 8, base }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Position of the next bit.
    #[inline]
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Position behind the last bit.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    #[inline]
    pub(crate) fn left(&self) -> u64 {
        self.end - self.at
    }

    /// Moves to a position, and sets the end; both lie within the bytes.
    #[inline]
    pub(crate) fn set(&mut self, at: u64, end: u64) {
        let last = self.bytes.len() as u64 * 8;
        self.end = end.min(last);
        self.at = at.min(self.end);
    }

    /// Reads up to 64 bits as a number.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> Result<u64> {
        debug_assert!(count <= 64);
        if u64::from(count) > self.end - self.at {
            return Err(self.ends());
        }
        let number = self.word(self.at, count);
        self.at += u64::from(count);
        Ok(number)
    }

    /// Returns up to 64 bits at a position; those behind the bytes are 0.
    #[inline]
    fn word(&self, at: u64, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        let (byte, shift) = ((at >> 3) as usize, (at & 7) as u32);
        let (word, next) = match self.bytes.get(byte..byte + 8) {
            Some(chunk) => {
                let mut word = [0; 8];
                word.copy_from_slice(chunk);
                (u64::from_be_bytes(word), self.bytes.get(byte + 8).copied().unwrap_or(0))
            }
            None => (self.last_word(byte), 0),
        };
        let word = if shift == 0 { word } else { word << shift | u64::from(next) >> (8 - shift) };
        word >> (64 - count)
    }

    /// Returns the eight bytes from `byte` on, of which some are behind the last; those are 0.
    #[inline]
    fn last_word(&self, byte: usize) -> u64 {
        let missing = (byte + 8).saturating_sub(self.bytes.len());
        match self.bytes.last_chunk() {
            _ if missing >= 8 => 0,
            Some(last) => u64::from_be_bytes(*last) << (missing * 8),
            None => self.bytes[byte..].iter().fold(0, |word, byte| word << 8 | u64::from(*byte)) << (missing * 8),
        }
    }

    /// Returns the next 64 bits; those behind the bytes are 0.
    #[inline(always)]
    fn next_word(&self) -> u64 {
        let (byte, shift) = ((self.at >> 3) as usize, (self.at & 7) as u32);
        match self.bytes.get(byte..byte + 9) {
            Some(chunk) => {
                let mut word = [0; 8];
                word.copy_from_slice(&chunk[..8]);
                u64::from_be_bytes(word) << shift | u64::from(chunk[8]) >> (8 - shift)
            }
            None => self.word(self.at, 64),
        }
    }

    /// Reads one to seven octets behind an octet that counts them: their number. Returns `None`,
    /// and reads nothing, if there is something else.
    #[inline(always)]
    pub(crate) fn counted(&mut self) -> Option<(u64, u32)> {
        let found = self.seen_counted()?;
        self.step(8 + u64::from(found.1) * 8);
        Some(found)
    }

    /// Returns what [`counted`](Bits::counted) would, and reads nothing.
    #[inline(always)]
    pub(crate) fn seen_counted(&self) -> Option<(u64, u32)> {
        let word = self.next_word();
        let octets = (word >> 56) as u32;
        let bits = 8 + u64::from(octets) * 8;
        if !(1..=7).contains(&octets) || bits > self.end - self.at {
            return None;
        }
        Some((word << 8 >> (64 - octets * 8), octets))
    }

    /// Returns the range of octets behind an octet that counts them, at most 127 and where an octet
    /// begins, and reads nothing. Returns `None` if there is something else.
    #[inline(always)]
    pub(crate) fn seen_octets(&self) -> Option<(usize, usize)> {
        let start = (self.at >> 3) as usize + 1;
        let octets = usize::from(*self.bytes.get(start - 1)?);
        if self.at & 7 != 0 || octets > 127 {
            return None;
        }
        self.range(start, octets)
    }

    /// Steps over bits that were seen to be there.
    #[inline(always)]
    pub(crate) fn step(&mut self, bits: u64) {
        debug_assert!(bits <= self.end - self.at);
        self.at += bits;
    }

    /// Reads a number of octets where an octet begins: their range in the bytes. Returns `None`,
    /// and reads nothing, if there is something else.
    #[inline(always)]
    pub(crate) fn fixed_octets(&mut self, octets: usize) -> Option<(usize, usize)> {
        if self.at & 7 != 0 {
            return None;
        }
        let range = self.range((self.at >> 3) as usize, octets)?;
        self.at += (octets as u64) << 3;
        Some(range)
    }

    #[inline(always)]
    fn range(&self, start: usize, octets: usize) -> Option<(usize, usize)> {
        let end = start + octets;
        if (end as u64) << 3 > self.end { None } else { Some((start, end)) }
    }

    /// Reads one bit.
    #[inline]
    pub(crate) fn flag(&mut self) -> Result<bool> {
        Ok(self.take(1)? == 1)
    }

    /// Returns the bit at a position that was read before.
    #[inline]
    pub(crate) fn is_set(&self, at: u64) -> bool {
        self.bytes.get((at >> 3) as usize).is_some_and(|byte| byte << (at & 7) & 0x80 != 0)
    }

    /// Steps over bits.
    #[inline]
    pub(crate) fn skip(&mut self, count: u64) -> Result<()> {
        if count > self.end - self.at {
            return Err(self.ends());
        }
        self.at += count;
        Ok(())
    }

    /// Returns whole bytes at the next position, if it is that of a byte.
    #[inline]
    pub(crate) fn borrow(&mut self, bytes: u64) -> Result<Option<&'a [u8]>> {
        if self.at & 7 != 0 {
            return Ok(None);
        }
        if bytes > (self.end - self.at) >> 3 {
            return Err(self.ends());
        }
        let start = (self.at >> 3) as usize;
        self.at += bytes << 3;
        Ok(Some(&self.bytes[start..start + bytes as usize]))
    }

    /// Appends bits to `to`, in bytes of which the last may have zeros behind.
    pub(crate) fn copy(&mut self, count: u64, to: &mut Vec<u8>) -> Result<()> {
        if count > self.end - self.at {
            return Err(self.ends());
        }
        to.reserve(count.div_ceil(8) as usize);
        if self.at & 7 == 0 {
            let start = (self.at >> 3) as usize;
            to.extend_from_slice(&self.bytes[start..start + (count >> 3) as usize]);
            let rest = (count & 7) as u32;
            if rest > 0 {
                to.push((self.word(self.at + (count & !7), rest) << (8 - rest)) as u8);
            }
        } else {
            let (mut at, mut left) = (self.at, count);
            while left >= 64 {
                to.extend_from_slice(&self.word(at, 64).to_be_bytes());
                (at, left) = (at + 64, left - 64);
            }
            if left > 0 {
                let word = self.word(at, left as u32) << (64 - left);
                to.extend_from_slice(&word.to_be_bytes()[..(left as usize).div_ceil(8)]);
            }
        }
        self.at += count;
        Ok(())
    }

    /// Returns an error at a position.
    #[cold]
    pub(crate) fn error(&self, kind: ErrorKind, at: u64) -> Error {
        Error::data(kind, self.base + (at >> 3)).bit((at & 7) as u8)
    }

    /// Returns the error of a value that needs more bits than there are.
    #[cold]
    #[inline(never)]
    pub(crate) fn ends(&self) -> Error {
        let what = if self.end == self.bytes.len() as u64 * 8 { "the end of the input" } else { "the end of the open type" };
        self.error(ErrorKind::Truncated, self.at).seen(what).expected("more bits of the value")
    }
}

/// Makes bits.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct BitsOut {
    bytes: Vec<u8>,
    /// Bits of the last byte that are not yet used.
    free: u32,
}

impl BitsOut {
    /// Empties it; its memory stays.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.free = 0;
    }

    /// Number of bits.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64 * 8 - u64::from(self.free)
    }

    /// The bytes; unused bits of the last one are 0.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends up to 64 bits: the lowest ones of a number.
    #[inline]
    pub(crate) fn put(&mut self, number: u64, count: u32) {
        debug_assert!(count <= 64);
        if count == 0 {
            return;
        }
        let number = if count == 64 { number } else { number & ((1 << count) - 1) };
        let mut left = count;
        if self.free > 0 {
            let used = left.min(self.free);
            let part = (number >> (left - used)) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= part << (self.free - used);
            }
            self.free -= used;
            left -= used;
        }
        if left == 0 {
            return;
        }
        let word = number << (64 - left);
        let bytes = left.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&word.to_be_bytes()[..bytes]);
        self.free = bytes as u32 * 8 - left;
    }

    /// Appends up to 128 bits.
    pub(crate) fn put_wide(&mut self, number: u128, count: u32) {
        if count > 64 {
            self.put((number >> 64) as u64, count - 64);
        }
        self.put(number as u64, count.min(64));
    }

    #[inline]
    pub(crate) fn flag(&mut self, is: bool) {
        self.put(u64::from(is), 1);
    }

    /// Appends zeros up to the next byte.
    #[inline]
    pub(crate) fn align(&mut self) {
        self.free = 0;
    }

    /// Appends the first bits of bytes.
    pub(crate) fn copy(&mut self, bytes: &[u8], count: u64) {
        let bytes = &bytes[..(count.div_ceil(8) as usize).min(bytes.len())];
        let rest = (count & 7) as u32;
        if self.free == 0 {
            self.bytes.extend_from_slice(bytes);
            if rest > 0 {
                self.free = 8 - rest;
                if let Some(last) = self.bytes.last_mut() {
                    *last &= 0xff << self.free;
                }
            }
            return;
        }
        let whole = (count >> 3) as usize;
        let mut chunks = bytes[..whole].chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.put(u64::from_be_bytes(word), 64);
        }
        for byte in chunks.remainder() {
            self.put(u64::from(*byte), 8);
        }
        if rest > 0 {
            self.put(u64::from(bytes[whole] >> (8 - rest)), rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let mut out = BitsOut::default();
        let mut random = 88_172_645_463_325_252u64;
        let mut put = Vec::new();
        for _ in 0..2_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let count = (random % 65) as u32;
            let number = if count == 0 { 0 } else { random >> (64 - count) };
            out.put(number, count);
            put.push((number, count));
        }
        let bytes = out.bytes().to_vec();
        let mut bits = Bits::new(&bytes, 0);
        for (number, count) in &put {
            assert_eq!(bits.take(*count).unwrap(), *number);
        }
        assert_eq!(bits.at(), out.len());
        // The same bits in copies of every length and place.
        for start in 0..40u64 {
            for count in 0..150 {
                let mut bits = Bits::new(&bytes, 0);
                bits.skip(start).unwrap();
                let mut copy = Vec::new();
                bits.copy(count, &mut copy).unwrap();
                let mut again = BitsOut::default();
                again.put(0, (start % 9) as u32);
                again.copy(&copy, count);
                assert_eq!(again.len(), start % 9 + count);
                let mut back = Bits::new(again.bytes(), 0);
                back.skip(start % 9).unwrap();
                let mut second = Vec::new();
                back.copy(count, &mut second).unwrap();
                assert_eq!(second, copy);
                let mut first = Bits::new(&bytes, 0);
                first.skip(start).unwrap();
                let mut one = Bits::new(&copy, 0);
                for _ in 0..count {
                    assert_eq!(one.flag().unwrap(), first.flag().unwrap());
                }
            }
        }
    }

    #[test]
    fn the_end_is_an_error_with_its_bit() {
        let mut bits = Bits::new(&[0xa5, 0x80], 10);
        assert_eq!(bits.take(11).unwrap(), 0b101_0010_1100);
        let error = bits.take(6).unwrap_err();
        assert_eq!(error.to_string(), "expected more bits of the value, saw the end of the input, at byte 11, bit 3");
        assert_eq!(bits.take(5).unwrap(), 0);
        assert!(bits.flag().is_err());
        bits.set(4, 8);
        assert!(bits.borrow(1).unwrap().is_none());
        bits.skip(4).unwrap();
        assert!(bits.borrow(1).is_err());
    }
}
