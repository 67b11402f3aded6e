//! The layout of values (docs/spec/usds.md 4). Each function returns the value at an offset and
//! where it ends.

use crate::error::Problem;

/// The byte of true.
pub const TRUE: u8 = 0xff;
/// The byte of false.
pub const FALSE: u8 = 0x00;
/// Maximum of the fifth byte of a tag that opens a root or a polymorph: tags are signed, of 32
/// bits.
pub const ID: u8 = 0x07;
/// Maximum of the fifth byte of sizes and counts, which are unsigned, of 32 bits.
pub const SIZE: u8 = 0x0f;

/// Reads `N` bytes.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<([u8; N], usize), Problem> {
    let chunk = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(Problem::End)?;
    Ok((*chunk, at + N))
}

/// Reads a BOOLEAN.
pub(crate) fn boolean(bytes: &[u8], at: usize) -> Result<(bool, usize), Problem> {
    match bytes.get(at) {
        Some(&TRUE) => Ok((true, at + 1)),
        Some(&FALSE) => Ok((false, at + 1)),
        Some(_) => Err(Problem::Boolean),
        None => Err(Problem::End),
    }
}

/// Reads a number of at most `most` bytes in its shortest form. The last one is at most `last`.
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

/// Reads a UVARINT: seven bits a byte, the low ones first.
pub(crate) fn uvarint(bytes: &[u8], at: usize) -> Result<(u64, usize), Problem> {
    number(bytes, at, 10, 1).map(|(value, end)| (value as u64, end))
}

/// Reads a UVARINT of 32 bits: an id or a size.
pub(crate) fn narrow(bytes: &[u8], at: usize, last: u8) -> Result<(u32, usize), Problem> {
    number(bytes, at, 5, last).map(|(value, end)| (value as u32, end))
}

/// Reads a VARINT: twice the magnitude, plus 1 if negative, as a UVARINT of up to 65 bits.
pub(crate) fn varint(bytes: &[u8], at: usize) -> Result<(i64, usize), Problem> {
    let (value, end) = number(bytes, at, 10, 2).map_err(|problem| if problem == Problem::Padded { Problem::Varint } else { problem })?;
    if value == 1 {
        return Err(Problem::Varint);
    }
    let magnitude = (value >> 1) as i128;
    let number = if value & 1 == 1 { -magnitude } else { magnitude };
    i64::try_from(number).map(|number| (number, end)).map_err(|_| Problem::Overflow)
}

/// Reads text or bytes behind their length.
pub(crate) fn sized(bytes: &[u8], at: usize) -> Result<(&[u8], usize), Problem> {
    let (len, start) = narrow(bytes, at, SIZE)?;
    let text = bytes[start..].get(..len as usize).ok_or(Problem::End)?;
    Ok((text, start + text.len()))
}
