//! Skipping of values, by their prefixes only.

use super::{Broken, WireType, length, prefix, vint};

/// Returns the end of the value whose prefix is at `at`. Needs no recursion, since every composite
/// has a length.
///
/// # Errors
/// The prefix is invalid, or the value ends after `bytes` do.
#[inline]
pub fn value(bytes: &[u8], at: usize) -> Result<usize, Broken> {
    let (prefix, at) = prefix(bytes, at)?;
    payload(bytes, at, prefix.wire)
}

/// Returns the end of the payload at `at` of a value of type `wire`.
///
/// # Errors
/// The payload ends after `bytes` do, or a vint overflows.
#[inline]
pub fn payload(bytes: &[u8], at: usize, wire: WireType) -> Result<usize, Broken> {
    match wire.fixed() {
        Some(size) if size <= bytes.len() - at => Ok(at + size),
        Some(_) => Err(Broken::End),
        None if wire.has_length() => length(bytes, at).map(|(_, end)| end),
        None => vint::skip(bytes, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wire_type_is_stepped_over() {
        for (bytes, end) in [
            (&[0x00, 0xff, 0x01][..], Ok(3)),
            (&[0x02, 0xff], Ok(2)),
            (&[0x04, 1, 2, 3, 4], Ok(5)),
            (&[0x06, 1, 2, 3, 4, 5, 6, 7, 8], Ok(9)),
            (&[0x08, 1, 2, 3, 4, 5, 6, 7, 8], Ok(9)),
            (&[0x0a, 9], Ok(1)),
            (&[0xfa, 0x01], Ok(2)),
            (&[0x03, 2, 0x68, 0x69], Ok(4)),
            (&[0x01, 1, 0], Ok(3)),
            (&[0x05, 1, 0], Ok(3)),
            (&[0x07, 1, 0], Ok(3)),
            (&[0x03, 3, 0x68, 0x69], Err(Broken::End)),
            (&[0x06, 1, 2, 3], Err(Broken::End)),
            (&[0x02], Err(Broken::End)),
            (&[0x0b], Err(Broken::WireType)),
        ] {
            assert_eq!(value(bytes, 0), end, "{bytes:02x?}");
        }
    }
}
