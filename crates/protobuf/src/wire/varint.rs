//! Base-128 varints (encoding guide, "Base 128 Varints"): seven bits a byte, the lowest first, at
//! most ten bytes.

use super::error::{Broken, WireError, wire_error};

/// Largest number of bytes of a 64-bit varint.
pub const MAX_BYTES: usize = 10;

/// Returns the number at `at` and its end. As in official decoders, bits beyond 64 in the tenth
/// byte are dropped, and forms longer than needed are accepted.
///
/// # Errors
/// The varint has more than ten bytes, or goes beyond the end of `window`.
#[inline(always)]
pub fn read(window: &[u8], at: usize) -> Result<(u64, usize), WireError> {
    match window.get(at) {
        Some(&first) if first < 0x80 => Ok((u64::from(first), at + 1)),
        _ => long(window, at),
    }
}

#[inline]
fn long(window: &[u8], at: usize) -> Result<(u64, usize), WireError> {
    match window.get(at..at + MAX_BYTES).and_then(|bytes| bytes.first_chunk::<MAX_BYTES>()) {
        Some(bytes) => {
            let mut value = u64::from(bytes[0] & 0x7f);
            for (n, &byte) in bytes.iter().enumerate().skip(1) {
                value |= u64::from(byte & 0x7f) << (7 * n);
                if byte < 0x80 {
                    return Ok((value, at + n + 1));
                }
            }
            Err(wire_error(Broken::Overflow, at))
        }
        None => near_end(window, at),
    }
}

#[cold]
fn near_end(window: &[u8], at: usize) -> Result<(u64, usize), WireError> {
    let mut value = 0;
    for (n, &byte) in window.get(at..).unwrap_or_default().iter().enumerate().take(MAX_BYTES) {
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return Ok((value, at + n + 1));
        }
    }
    // Fewer than ten bytes are left here.
    Err(wire_error(Broken::End, window.len()))
}

/// Returns the number at `at` and its end, of at most five bytes as in tags and lengths.
///
/// # Errors
/// The number has more bytes, or goes beyond the end of `window`.
pub(super) fn short(window: &[u8], at: usize) -> Result<(u64, usize), WireError> {
    let mut value = 0;
    for n in 0..5 {
        let Some(&byte) = window.get(at + n) else { return Err(wire_error(Broken::End, window.len())) };
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return Ok((value, at + n + 1));
        }
    }
    Err(wire_error(Broken::Overflow, at))
}

/// Returns the length of the shortest form in bytes.
#[inline(always)]
pub const fn len(value: u64) -> usize {
    // Each byte has seven bits: (bits * 9 + 64) / 64 is bits / 7 rounded up, for 1 to 64 bits.
    ((64 - (value | 1).leading_zeros()) as usize * 9 + 64) / 64
}

/// Returns the shortest form, and its length.
#[inline]
pub fn bytes(mut value: u64) -> ([u8; MAX_BYTES], usize) {
    let mut out = [0; MAX_BYTES];
    let mut n = 0;
    while value >= 0x80 {
        out[n] = value as u8 | 0x80;
        value >>= 7;
        n += 1;
    }
    out[n] = value as u8;
    (out, n + 1)
}

/// Appends the shortest form.
#[inline(always)]
pub fn put(out: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        out.push(value as u8);
    } else {
        let (bytes, len) = bytes(value);
        out.extend_from_slice(&bytes[..len]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_come_back() {
        for value in (0..64).map(|bit| 1u64 << bit).flat_map(|power| [power - 1, power, power + 1]).chain([u64::MAX]) {
            let mut out = Vec::new();
            put(&mut out, value);
            assert_eq!((out.len(), read(&out, 0)), (len(value), Ok((value, out.len()))));
            for end in 0..out.len() {
                assert_eq!(read(&out[..end], 0), Err(wire_error(Broken::End, end)));
            }
            // With room behind the number, the fast path is taken.
            let end = out.len();
            out.extend([0xff; 12]);
            assert_eq!(read(&out, 0), Ok((value, end)));
        }
    }

    #[test]
    fn long_forms_are_taken_and_longer_ones_refused() {
        assert_eq!(read(&[0x81, 0x80, 0x00], 0), Ok((1, 3)));
        let mut ten = [0x80; 10];
        ten[9] = 0x7f;
        assert_eq!(read(&ten, 0), Ok((1 << 63, 10)));
        assert_eq!(read(&[0x80; 10], 0), Err(wire_error(Broken::Overflow, 0)));
        assert_eq!(read(&[0x80; 9], 0), Err(wire_error(Broken::End, 9)));
        assert_eq!(read(&[0; 3], 5), Err(wire_error(Broken::End, 3)));
    }
}
