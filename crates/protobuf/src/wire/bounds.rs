//! The bounds of values.

use super::error::{Broken, WireError, wire_error};
use super::varint;

/// The longest length-delimited value: lengths are int32 in all official implementations (encoding
/// guide, "Size Limits").
pub const MAX_LENGTH: u64 = (1 << 31) - 1;

/// Returns start and end of the value whose length is at `at`.
///
/// # Errors
/// There is no valid length, or the value goes beyond the end of `window`.
#[inline(always)]
pub fn length(window: &[u8], at: usize) -> Result<(usize, usize), WireError> {
    let (length, start) = match window.get(at) {
        Some(&first) if first < 0x80 => (u64::from(first), at + 1),
        _ => long_length(window, at)?,
    };
    if length > (window.len() - start) as u64 {
        return Err(wire_error(Broken::End, window.len()));
    }
    Ok((start, start + length as usize))
}

#[inline(never)]
fn long_length(window: &[u8], at: usize) -> Result<(u64, usize), WireError> {
    let (length, start) = varint::short(window, at)?;
    if length > MAX_LENGTH {
        return Err(wire_error(Broken::Length(length), at));
    }
    Ok((length, start))
}

/// Returns the `N` bytes at `at`.
///
/// # Errors
/// The bytes go beyond the end of `window`.
#[inline(always)]
pub fn array<const N: usize>(window: &[u8], at: usize) -> Result<[u8; N], WireError> {
    match window.get(at..).and_then(|rest| rest.first_chunk::<N>()) {
        Some(bytes) => Ok(*bytes),
        None => Err(wire_error(Broken::End, window.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_stay_inside() {
        assert_eq!(length(&[2, 7, 7], 0), Ok((1, 3)));
        assert_eq!(length(&[3, 7, 7], 0), Err(wire_error(Broken::End, 3)));
        assert_eq!(length(&[0xff, 0xff, 0xff, 0xff, 0x0f], 0), Err(wire_error(Broken::Length(u64::from(u32::MAX)), 0)));
        assert_eq!(length(&[0x81, 0x00, 7], 0), Ok((2, 3)));
    }
}
