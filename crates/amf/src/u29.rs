//! Integers of 29 bits in one to four bytes (AMF3 1.3.1).

use polywire_core::Result;
use polywire_core::bytes::Input;

/// The largest value.
pub(crate) const MAX: u32 = (1 << 29) - 1;

/// The largest signed integer; the smallest is one further from zero.
pub(crate) const MAX_SIGNED: i64 = (1 << 28) - 1;

/// Reads an integer without a sign.
#[inline]
pub(crate) fn read(input: &mut Input<'_>, what: &'static str) -> Result<u32> {
    let first = input.u8(what)?;
    if first < 0x80 {
        return Ok(u32::from(first));
    }
    let mut value = u32::from(first & 0x7f);
    for _ in 0..2 {
        let byte = input.u8(what)?;
        value = value << 7 | u32::from(byte & 0x7f);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    // The fourth byte has all its bits.
    Ok(value << 8 | u32::from(input.u8(what)?))
}

/// Returns the signed integer of 29 bits.
#[inline]
pub(crate) const fn signed(value: u32) -> i32 {
    ((value << 3) as i32) >> 3
}

/// Returns the number of bytes that an integer needs.
pub(crate) const fn len(value: u32) -> usize {
    match value {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        _ => 4,
    }
}

/// Appends an integer of at most 29 bits.
pub(crate) fn put(out: &mut Vec<u8>, value: u32) {
    let low = |shift: u32| (value >> shift) as u8 | 0x80;
    match len(value) {
        1 => out.push(value as u8),
        2 => out.extend([low(7), value as u8 & 0x7f]),
        3 => out.extend([low(14), low(7), value as u8 & 0x7f]),
        _ => out.extend([(value >> 22) as u8 | 0x80, low(15), low(8), value as u8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_lengths_come_back() {
        let edges = [0, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000, MAX];
        for value in edges {
            let mut out = Vec::new();
            put(&mut out, value);
            assert_eq!(out.len(), len(value), "{value:x}");
            let mut input = Input::new(&out, 0);
            assert_eq!((read(&mut input, "a number").unwrap(), input.remaining()), (value, 0));
        }
        assert_eq!([signed(MAX), signed(0x1000_0000), signed(0xfff_ffff)], [-1, -(1 << 28), (1 << 28) - 1]);
        assert!(read(&mut Input::new(&[0xff, 0xff, 0xff], 0), "a number").is_err());
    }
}
