//! Byte layout (docs/spec/extprot.md 4). Only this module knows it, besides fast copies that tests
//! compare with it.

mod broken;
pub mod frame;
pub mod skip;
pub mod versioned;
pub mod vint;

use std::fmt;

pub use broken::Broken;

/// Wire type with its code (docs/spec/extprot.md 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum WireType {
    /// Zigzag-coded vint.
    Vint = 0,
    /// Values of different types.
    Tuple = 1,
    /// One byte.
    Bits8 = 2,
    /// A string.
    Bytes = 3,
    /// A 32-bit integer; no protocol type produces it.
    Bits32 = 4,
    /// Values of one type.
    Htuple = 5,
    /// A 64-bit integer.
    Bits64Long = 6,
    /// Pairs; no protocol type produces them.
    Assoc = 7,
    /// IEEE 754 binary64.
    Bits64Float = 8,
    /// A tag without a payload.
    Enum = 10,
}

impl WireType {
    /// Wire types by code; `None` for invalid codes.
    const BY_CODE: [Option<WireType>; 16] = [
        Some(WireType::Vint),
        Some(WireType::Tuple),
        Some(WireType::Bits8),
        Some(WireType::Bytes),
        Some(WireType::Bits32),
        Some(WireType::Htuple),
        Some(WireType::Bits64Long),
        Some(WireType::Assoc),
        Some(WireType::Bits64Float),
        None,
        Some(WireType::Enum),
        None,
        None,
        None,
        None,
        None,
    ];

    /// Returns the wire type in the low bits of a prefix, or `None` if the code is invalid.
    #[inline]
    pub const fn of(prefix: u64) -> Option<WireType> {
        WireType::BY_CODE[(prefix & 15) as usize]
    }

    /// Returns the code.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            WireType::Vint => "Vint",
            WireType::Tuple => "Tuple",
            WireType::Bits8 => "Bits8",
            WireType::Bytes => "Bytes",
            WireType::Bits32 => "Bits32",
            WireType::Htuple => "Htuple",
            WireType::Bits64Long => "Bits64_long",
            WireType::Assoc => "Assoc",
            WireType::Bits64Float => "Bits64_float",
            WireType::Enum => "Enum",
        }
    }

    /// Returns whether the payload starts with a length, as the low bit of the code says.
    #[inline]
    pub const fn has_length(self) -> bool {
        self as u8 & 1 == 1
    }

    /// Returns the payload's length in bytes, if it is fixed.
    #[inline]
    pub const fn fixed(self) -> Option<usize> {
        match self {
            WireType::Bits8 => Some(1),
            WireType::Bits32 => Some(4),
            WireType::Bits64Long | WireType::Bits64Float => Some(8),
            WireType::Enum => Some(0),
            _ => None,
        }
    }

    /// Returns the prefix of a value of this wire type (docs/spec/extprot.md 4.2). Tags are below
    /// 2⁶⁰.
    #[inline]
    pub const fn prefix(self, tag: u64) -> u64 {
        tag << 4 | self as u64
    }
}

impl fmt::Display for WireType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Prefix of a value, as [`prefix()`] returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// Wire type.
    pub wire: WireType,
    /// Tag.
    pub tag: u64,
}

/// Reads the prefix at `at`. Returns it with its end. `bytes` must end where the enclosing
/// composite ends.
///
/// # Errors
/// The bytes end, the vint overflows, or the wire type is invalid.
#[inline(always)]
pub fn prefix(bytes: &[u8], at: usize) -> Result<(Prefix, usize), Broken> {
    let (prefix, at) = vint::read(bytes, at)?;
    match WireType::of(prefix) {
        Some(wire) => Ok((Prefix { wire, tag: prefix >> 4 }, at)),
        None => Err(Broken::WireType),
    }
}

/// Reads the length at `at`. Returns the start and end of the bytes that it measures.
///
/// # Errors
/// The vint is invalid, or `bytes` end before those bytes do.
#[inline]
pub fn length(bytes: &[u8], at: usize) -> Result<(usize, usize), Broken> {
    let (length, at) = vint::read(bytes, at)?;
    if length <= (bytes.len() - at) as u64 { Ok((at, at + length as usize)) } else { Err(Broken::End) }
}

/// Fields between the prefix of a Tuple, Htuple or Assoc and its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Number of bytes after the length.
    pub length: u64,
    /// Number of elements that the message claims. Never allocate from it.
    pub count: u64,
    /// Offset of the first element.
    pub first: usize,
    /// Offset of the end of the composite.
    pub end: usize,
}

/// Reads the length and the count at `at` of a composite that must end at or before `end`, which is
/// within `bytes`.
///
/// # Errors
/// A vint is invalid, or the composite is longer. The offset is where the bytes end; it is the
/// composite's end if the count does not fit into the composite.
#[inline(always)]
pub fn sizes(bytes: &[u8], at: usize, end: usize) -> Result<Sizes, (Broken, usize)> {
    // Most composites have one byte for each.
    if let Some(&[length, count]) = bytes.get(at..end).and_then(<[u8]>::first_chunk)
        && (length | count) < 0x80
        && length > 0
        && usize::from(length) < end - at
    {
        return Ok(Sizes { length: u64::from(length), count: u64::from(count), first: at + 2, end: at + 1 + usize::from(length) });
    }
    // Larger composites have a length of two bytes.
    if let Some(&[low, high, count]) = bytes.get(at..end).and_then(<[u8]>::first_chunk)
        && low >= 0x80
        && (high | count) < 0x80
    {
        let length = usize::from(low & 0x7f) | usize::from(high) << 7;
        if length > 0 && length <= end - at - 2 {
            return Ok(Sizes { length: length as u64, count: u64::from(count), first: at + 3, end: at + 2 + length });
        }
    }
    long_sizes(bytes, at, end)
}

#[inline(never)]
fn long_sizes(bytes: &[u8], at: usize, end: usize) -> Result<Sizes, (Broken, usize)> {
    let bytes = bytes.get(..end).ok_or((Broken::End, bytes.len()))?;
    let (inside, stop) = length(bytes, at).map_err(|why| (why, end))?;
    let (count, first) = vint::read(&bytes[..stop], inside).map_err(|why| (why, stop))?;
    Ok(Sizes { length: (stop - inside) as u64, count, first, end: stop })
}

/// Returns the `N` bytes at `at`.
///
/// # Errors
/// Fewer bytes are left.
#[inline]
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Broken> {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(array) => Ok(*array),
        None => Err(Broken::End),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_tag_and_wire_type() {
        assert_eq!(prefix(&[0xba, 0x02], 0), Ok((Prefix { wire: WireType::Enum, tag: 19 }, 2)));
        assert_eq!(WireType::Enum.prefix(19), 314);
        assert_eq!(prefix(&[0x19], 0), Err(Broken::WireType));
        assert_eq!(prefix(&[], 0), Err(Broken::End));
        for code in 0..16 {
            let found = WireType::of(code);
            assert_eq!(found.map(|wire| u64::from(wire.code())), (![9, 11, 12, 13, 14, 15].contains(&code)).then_some(code));
        }
    }

    #[test]
    fn sizes_stay_inside() {
        assert_eq!(sizes(&[3, 1, 7, 7, 9], 0, 5), Ok(Sizes { length: 3, count: 1, first: 2, end: 4 }));
        assert_eq!(sizes(&[0x83, 0, 0x81, 0, 7, 9], 0, 5), Ok(Sizes { length: 3, count: 1, first: 4, end: 5 }));
        assert_eq!(sizes(&[0, 1, 7], 0, 3), Err((Broken::End, 1)));
        assert_eq!(sizes(&[3, 1, 7], 0, 3), Err((Broken::End, 3)));
        assert_eq!(sizes(&[3, 1, 7, 7], 0, 3), Err((Broken::End, 3)));
        assert_eq!(sizes(&[1, 0x80, 0], 0, 3), Err((Broken::End, 2)));
        assert_eq!(sizes(&[], 0, 0), Err((Broken::End, 0)));
    }

    #[test]
    fn a_length_stays_inside() {
        assert_eq!(length(&[2, 7, 7], 0), Ok((1, 3)));
        assert_eq!(length(&[3, 7, 7], 0), Err(Broken::End));
        assert_eq!(length(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 0), Err(Broken::End));
    }
}
