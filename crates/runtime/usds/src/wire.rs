//! How values are laid out (section 4). Each function gives the value at an offset, and where it ends.

use crate::error::Problem;

/// The byte of true.
pub const TRUE: u8 = 0xff;
/// The byte of false.
pub const FALSE: u8 = 0x00;
/// A tag as it opens a root or a polymorph is signed, of 32 bits: its fifth byte is at most this.
pub const ID: u8 = 0x07;
/// Sizes and counts are unsigned, of 32 bits.
pub const SIZE: u8 = 0x0f;

/// `N` bytes.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<([u8; N], usize), Problem> {
    let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(Problem::End)?;
    Ok((*chunk, at + N))
}

/// A truth value.
pub(crate) fn boolean(bytes: &[u8], at: usize) -> Result<(bool, usize), Problem> {
    match bytes.get(at) {
        Some(&TRUE) => Ok((true, at + 1)),
        Some(&FALSE) => Ok((false, at + 1)),
        Some(_) => Err(Problem::Boolean),
        None => Err(Problem::End),
    }
}

/// A number of at most `most` bytes, of which the last is at most `last`, in its shortest form.
fn number(bytes: &[u8], at: usize, most: usize, last: u8) -> Result<(u128, usize), Problem> {
    let mut value = 0u128;
    for (n, &byte) in bytes.get(at..).unwrap_or_default().iter().take(most).enumerate() {
        if n + 1 == most && byte > last {
            return Err(Problem::Overflow);
        }
        value |= u128::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return if byte == 0 && n > 0 { Err(Problem::Padded) } else { Ok((value, at + n + 1)) };
        }
    }
    Err(Problem::End)
}

/// A UVARINT: seven bits a byte, the low ones first.
pub(crate) fn uvarint(bytes: &[u8], at: usize) -> Result<(u64, usize), Problem> {
    number(bytes, at, 10, 1).map(|(value, end)| (value as u64, end))
}

/// A UVARINT of 32 bits: an id or a size.
pub(crate) fn narrow(bytes: &[u8], at: usize, last: u8) -> Result<(u32, usize), Problem> {
    number(bytes, at, 5, last).map(|(value, end)| (value as u32, end))
}

/// A VARINT: twice the magnitude, and 1 for below zero, as a UVARINT of up to 65 bits.
pub(crate) fn varint(bytes: &[u8], at: usize) -> Result<(i64, usize), Problem> {
    let (value, end) = number(bytes, at, 10, 2).map_err(|problem| if problem == Problem::Padded { Problem::Varint } else { problem })?;
    if value == 1 {
        return Err(Problem::Varint);
    }
    let magnitude = (value >> 1) as i128;
    let number = if value & 1 == 1 { -magnitude } else { magnitude };
    i64::try_from(number).map(|number| (number, end)).map_err(|_| Problem::Overflow)
}

/// Text or bytes behind their length.
pub(crate) fn sized(bytes: &[u8], at: usize) -> Result<(&[u8], usize), Problem> {
    let (len, start) = narrow(bytes, at, SIZE)?;
    let text = bytes[start..].get(..len as usize).ok_or(Problem::End)?;
    Ok((text, start + text.len()))
}
