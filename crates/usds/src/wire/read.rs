//! Reading of numbers, booleans and sizes (docs/spec/usds.md 4).

use crate::error::Problem;

/// Result of reading a primitive: the value, or the problem without its offset.
pub type Wire<T> = Result<T, Problem>;

/// Largest id of a tag or field, a signed number of 32 bits.
pub const MAX_ID: u32 = i32::MAX as u32;

/// Byte of true.
pub const TRUE: u8 = 0xff;
/// Byte of false.
pub const FALSE: u8 = 0x00;

/// Returns the `N` bytes at `at`, and their end.
#[inline(always)]
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Wire<([u8; N], usize)> {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()) {
        Some(chunk) => Ok((*chunk, at + N)),
        None => Err(Problem::End),
    }
}

/// Reads a boolean. Returns it with its end.
#[inline(always)]
pub fn boolean(bytes: &[u8], at: usize) -> Wire<(bool, usize)> {
    match bytes.get(at) {
        Some(&TRUE) => Ok((true, at + 1)),
        Some(&FALSE) => Ok((false, at + 1)),
        Some(_) => Err(Problem::Boolean),
        None => Err(Problem::End),
    }
}

/// Reads a UVARINT: seven bits per byte, low bits first, at most ten bytes, in its shortest form.
/// Returns it with its end.
#[inline(always)]
pub fn uvarint(bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    match bytes.get(at) {
        Some(&byte) if byte < 0x80 => Ok((u64::from(byte), at + 1)),
        Some(&low) => match bytes.get(at + 1) {
            Some(&high @ 1..0x80) => Ok((u64::from(low & 0x7f) | u64::from(high) << 7, at + 2)),
            _ => long_uvarint(bytes, at),
        },
        None => Err(Problem::End),
    }
}

fn long_uvarint(bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    let mut value = 0u64;
    for (n, &byte) in bytes[at..].iter().take(10).enumerate() {
        if n == 9 && byte > 1 {
            return Err(Problem::Overflow);
        }
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return if byte == 0 { Err(Problem::Padded) } else { Ok((value, at + n + 1)) };
        }
    }
    Err(Problem::End)
}

/// Reads a UVARINT of 32 bits whose fifth byte is at most `last`: `07` for ids, which are signed,
/// and `0F` for sizes and counts.
#[inline(always)]
fn narrow(bytes: &[u8], at: usize, last: u8) -> Wire<(u32, usize)> {
    match bytes.get(at) {
        Some(&byte) if byte < 0x80 => Ok((u32::from(byte), at + 1)),
        Some(_) => long_narrow(bytes, at, last),
        None => Err(Problem::End),
    }
}

fn long_narrow(bytes: &[u8], at: usize, last: u8) -> Wire<(u32, usize)> {
    let mut value = 0u32;
    for (n, &byte) in bytes[at..].iter().take(5).enumerate() {
        if n == 4 && byte > last {
            return Err(Problem::Overflow);
        }
        value |= u32::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return if byte == 0 { Err(Problem::Padded) } else { Ok((value, at + n + 1)) };
        }
    }
    Err(Problem::End)
}

/// Reads the id of a tag or field. Returns it with its end.
#[inline(always)]
pub fn id(bytes: &[u8], at: usize) -> Wire<(u32, usize)> {
    narrow(bytes, at, 0x07)
}

/// Reads a size, a length or a count. Returns it with its end.
#[inline(always)]
pub fn size(bytes: &[u8], at: usize) -> Wire<(u32, usize)> {
    narrow(bytes, at, 0x0f)
}

/// Reads the size at `at`. Returns the start and the end of the bytes that it measures.
#[inline(always)]
pub fn sized(bytes: &[u8], at: usize) -> Wire<(usize, usize)> {
    let (len, start) = size(bytes, at)?;
    match start.checked_add(len as usize) {
        Some(end) if end <= bytes.len() => Ok((start, end)),
        _ => Err(Problem::End),
    }
}

/// Reads a VARINT: twice the magnitude, plus 1 if negative, as a UVARINT of up to 65 bits. Returns
/// it with its end.
#[inline]
pub fn varint(bytes: &[u8], at: usize) -> Wire<(i64, usize)> {
    let mut value = 0u128;
    for (n, &byte) in bytes.get(at..).unwrap_or_default().iter().take(10).enumerate() {
        if n == 9 && byte > 2 {
            return Err(Problem::Overflow);
        }
        value |= u128::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            if (byte == 0 && n > 0) || value == 1 {
                return Err(Problem::Varint);
            }
            let magnitude = (value >> 1) as i128;
            let number = if value & 1 == 1 { -magnitude } else { magnitude };
            return i64::try_from(number).map(|number| (number, at + n + 1)).map_err(|_| Problem::Overflow);
        }
    }
    Err(Problem::End)
}

#[cfg(test)]
mod tests {
    use super::super::write::{put_uvarint, put_varint, uvarint_len};
    use super::*;

    #[test]
    fn numbers_come_back_in_their_shortest_form() {
        let mut numbers: Vec<u64> = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]).collect();
        numbers.extend([u64::MAX, u64::MAX - 1]);
        for number in numbers {
            let mut bytes = vec![0xee];
            put_uvarint(&mut bytes, number);
            assert_eq!(bytes.len(), 1 + uvarint_len(number));
            assert_eq!(uvarint(&bytes, 1), Ok((number, bytes.len())));
            for end in 1..bytes.len() {
                assert_eq!(uvarint(&bytes[..end], 1), Err(Problem::End));
            }
            assert_eq!(size(&bytes, 1).ok(), u32::try_from(number).ok().map(|number| (number, bytes.len())));
            assert_eq!(id(&bytes, 1).ok(), u32::try_from(number).ok().filter(|id| *id <= MAX_ID).map(|number| (number, bytes.len())));
            for number in [number as i64, (number as i64).wrapping_neg()] {
                let mut bytes = Vec::new();
                put_varint(&mut bytes, number);
                assert_eq!(varint(&bytes, 0), Ok((number, bytes.len())));
            }
        }
    }

    #[test]
    fn other_forms_are_refused() {
        assert_eq!(uvarint(&[0x80, 0], 0), Err(Problem::Padded));
        assert_eq!(uvarint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], 0), Err(Problem::Overflow));
        assert_eq!(uvarint(&[0xff; 11], 0), Err(Problem::Overflow));
        assert_eq!(varint(&[1], 0), Err(Problem::Varint));
        assert_eq!(varint(&[0x81, 0], 0), Err(Problem::Varint));
        // 2⁶³ fits only as a negative number.
        assert_eq!(varint(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2], 0), Err(Problem::Overflow));
        assert_eq!(varint(&[0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2], 0), Err(Problem::Overflow));
        assert_eq!(varint(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 3], 0), Err(Problem::Overflow));
        assert_eq!(id(&[0xff, 0xff, 0xff, 0xff, 0x08], 0), Err(Problem::Overflow));
        assert_eq!(size(&[0xff, 0xff, 0xff, 0xff, 0x10], 0), Err(Problem::Overflow));
        assert_eq!(boolean(&[1], 0), Err(Problem::Boolean));
    }
}
