//! Variable length integers (docs/spec/extprot.md 4.1).

use super::broken::Broken;

/// Reads the vint at `at`. Returns it with its end. Accepts every form, over-long ones included.
///
/// # Errors
/// The bytes end inside the vint, or it has more than 64 bits.
#[inline(always)]
pub fn read(bytes: &[u8], at: usize) -> Result<(u64, usize), Broken> {
    match bytes.get(at) {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), at + 1)),
        _ => long(bytes, at),
    }
}

/// Top bit of each of eight bytes, set if another byte follows.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Returns the eight bytes at `at`. Fewer bytes are padded with bytes that do not end a vint.
/// `None` if no byte is left, or if `bytes` has fewer than eight.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let rest = bytes.get(at..)?;
    if let Some(eight) = rest.first_chunk() {
        return Some(u64::from_le_bytes(*eight));
    }
    let last = u64::from_le_bytes(*bytes.last_chunk()?);
    let left = 8 * rest.len() as u32;
    Some(last.checked_shr(64 - left)? | MORE << left)
}

#[inline(never)]
fn long(bytes: &[u8], at: usize) -> Result<(u64, usize), Broken> {
    if let Some(word) = word(bytes, at) {
        let ends = !word & MORE;
        if ends != 0 {
            // All bits up to the top bit of the last byte.
            return Ok((groups(word & (ends ^ (ends - 1))), at + ends.trailing_zeros() as usize / 8 + 1));
        }
    }
    byte_by_byte(bytes, at)
}

/// Joins eight groups of seven bits, each in a byte of its own.
#[inline]
const fn groups(word: u64) -> u64 {
    let pairs = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = (pairs & 0x0000_3fff_0000_3fff) | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    (fours & 0x0fff_ffff) | (fours & 0x0fff_ffff_0000_0000) >> 4
}

#[cold]
fn byte_by_byte(bytes: &[u8], at: usize) -> Result<(u64, usize), Broken> {
    let mut partial = Partial::default();
    for (n, byte) in bytes.get(at..).unwrap_or_default().iter().enumerate() {
        if let Some(value) = partial.add(*byte)? {
            return Ok((value, at + n + 1));
        }
    }
    Err(Broken::End)
}

/// A vint that arrives byte by byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Partial {
    value: u64,
    shift: u32,
}

impl Partial {
    /// Adds the next byte. Returns the number if that byte was the last.
    ///
    /// # Errors
    /// The number has more than 64 bits.
    #[inline]
    pub fn add(&mut self, byte: u8) -> Result<Option<u64>, Broken> {
        let group = u64::from(byte & 0x7f);
        match self.shift {
            0..63 => self.value |= group << self.shift,
            63 if group <= 1 => self.value |= group << 63,
            _ if group == 0 => {}
            _ => return Err(Broken::Overflow),
        }
        self.shift = (self.shift + 7).min(70);
        Ok((byte < 0x80).then_some(self.value))
    }
}

/// Works like [`read`], without a branch, for numbers whose length is hard to predict.
///
/// # Errors
/// As [`read`].
#[inline(always)]
pub fn number(bytes: &[u8], at: usize) -> Result<(u64, usize), Broken> {
    if let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk).map(|eight| u64::from_le_bytes(*eight)) {
        let ends = !word & MORE;
        if ends != 0 {
            return Ok((groups(word & (ends ^ (ends - 1))), at + ends.trailing_zeros() as usize / 8 + 1));
        }
    }
    long(bytes, at)
}

/// Returns the end of the vint at `at`.
///
/// # Errors
/// As [`read`].
#[inline(always)]
pub fn skip(bytes: &[u8], at: usize) -> Result<usize, Broken> {
    if let Some(word) = word(bytes, at) {
        let ends = !word & MORE;
        if ends != 0 {
            return Ok(at + ends.trailing_zeros() as usize / 8 + 1);
        }
    }
    byte_by_byte(bytes, at).map(|(_, end)| end)
}

/// Appends the shortest form of `value`.
#[inline]
pub fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the number of bytes of the shortest form of `value`.
#[inline]
pub const fn len(value: u64) -> usize {
    // Seven bits per byte, and one byte for zero.
    (70 - (value | 1).leading_zeros() as usize) / 7
}

#[cfg(test)]
mod tests {
    use polywire_testing::Rng;

    use super::*;

    /// Reads a vint byte by byte, as docs/spec/extprot.md 4.1 describes it.
    fn plain(bytes: &[u8], at: usize) -> Result<(u64, usize), Broken> {
        let mut value = 0u128;
        let mut shift = 0;
        for (n, byte) in bytes[at.min(bytes.len())..].iter().enumerate() {
            let group = u128::from(byte & 0x7f);
            if shift < 120 {
                value |= group << shift;
            }
            if value > u128::from(u64::MAX) || shift >= 120 && group > 0 {
                return Err(Broken::Overflow);
            }
            shift += 7;
            if *byte < 0x80 {
                return Ok((value as u64, at + n + 1));
            }
        }
        Err(Broken::End)
    }

    #[test]
    fn the_table_of_the_specification() {
        for (value, bytes) in
            [(0, &[0u8][..]), (127, &[0x7f]), (128, &[0x80, 1]), (300, &[0xac, 2]), (16384, &[0x80, 0x80, 1]), (u64::MAX, &[0xff; 9])]
        {
            let mut out = Vec::new();
            write(&mut out, value);
            assert_eq!(&out[..bytes.len()], bytes);
            assert_eq!((read(&out, 0), skip(&out, 0)), (Ok((value, out.len())), Ok(out.len())));
            assert_eq!(number(&out, 0), read(&out, 0));
            assert_eq!(len(value), out.len(), "{value}");
        }
    }

    #[test]
    fn over_long_forms_are_read_and_large_numbers_are_not() {
        let mut bytes = vec![0x81];
        bytes.extend([0x80; 1000]);
        assert_eq!(read(&bytes, 0), Err(Broken::End));
        bytes.push(0);
        assert_eq!(read(&bytes, 0), Ok((1, bytes.len())));
        bytes[1000] = 0x81;
        assert_eq!(read(&bytes, 0), Err(Broken::Overflow));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], 0), Err(Broken::Overflow));
        assert_eq!(read(&[0x80], 0), Err(Broken::End));
    }

    #[test]
    fn the_fast_ways_agree_with_the_plain_one() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..200_000 {
            let mut bytes: Vec<u8> = (0..rng.usize(..14)).map(|_| if rng.u8(..3) == 0 { 0x80 } else { rng.u8(..) | 0x80 }).collect();
            bytes.push(rng.u8(..) & if rng.bool() { 1 } else { 0x7f });
            bytes.extend((0..rng.usize(..10)).map(|_| rng.u8(..)));
            bytes.truncate(rng.usize(..=bytes.len()));
            let wanted = plain(&bytes, 0);
            assert_eq!(read(&bytes, 0), wanted, "{bytes:02x?}");
            assert_eq!(skip(&bytes, 0), wanted.map(|(_, end)| end), "{bytes:02x?}");
        }
        for bit in 0..64 {
            for value in [1u64 << bit, (1u64 << bit) - 1] {
                let mut out = Vec::new();
                write(&mut out, value);
                assert_eq!((len(value), read(&out, 0)), (out.len(), Ok((value, out.len()))));
            }
        }
    }
}
