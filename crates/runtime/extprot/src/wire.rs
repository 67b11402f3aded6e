//! The layout of bytes (docs/spec/extprot.md 4).

/// Numbers of the wire types (docs/spec/extprot.md 4.2). A set low bit means that a length
/// follows.
pub mod wire_type {
    /// An integer of variable length.
    pub const VINT: u64 = 0;
    /// Length, count, elements.
    pub const TUPLE: u64 = 1;
    /// One byte.
    pub const BITS8: u64 = 2;
    /// Length, bytes.
    pub const BYTES: u64 = 3;
    /// Four bytes: a signed number.
    pub const BITS32: u64 = 4;
    /// Length, count, elements of one type.
    pub const HTUPLE: u64 = 5;
    /// Eight bytes: a signed number.
    pub const BITS64_LONG: u64 = 6;
    /// Length, count, keys and values in turn.
    pub const ASSOC: u64 = 7;
    /// Eight bytes: an IEEE 754 number.
    pub const BITS64_FLOAT: u64 = 8;
    /// Nothing: the tag is the value.
    pub const ENUM: u64 = 10;
}

/// The reason why a vint can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VintError {
    /// It doesn't end within the bytes.
    End,
    /// It is above 2^64 - 1.
    Overflow,
}

/// Returns the vint at `at` and where it ends. Over-long forms are valid
/// (docs/spec/extprot.md 4.1).
pub(crate) fn vint(bytes: &[u8], at: usize) -> Result<(u64, usize), VintError> {
    let (mut value, mut shift) = (0u64, 0u32);
    for (index, &byte) in bytes.get(at..).unwrap_or_default().iter().enumerate() {
        let group = u64::from(byte & 0x7f);
        if group != 0 {
            if shift > 63 || (group << shift) >> shift != group {
                return Err(VintError::Overflow);
            }
            value |= group << shift;
        }
        if byte < 0x80 {
            return Ok((value, at + index + 1));
        }
        shift = (shift + 7).min(70);
    }
    Err(VintError::End)
}

/// Returns the name of a wire type, or none for an invalid code.
pub const fn wire_type_name(code: u8) -> Option<&'static str> {
    Some(match code as u64 {
        wire_type::VINT => "Vint",
        wire_type::TUPLE => "Tuple",
        wire_type::BITS8 => "Bits8",
        wire_type::BYTES => "Bytes",
        wire_type::BITS32 => "Bits32",
        wire_type::HTUPLE => "Htuple",
        wire_type::BITS64_LONG => "Bits64_long",
        wire_type::ASSOC => "Assoc",
        wire_type::BITS64_FLOAT => "Bits64_float",
        wire_type::ENUM => "Enum",
        _ => return None,
    })
}
