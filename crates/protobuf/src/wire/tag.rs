//! Tags: the number of a field and the wire type of its value.

use super::error::{Broken, WireError, wire_error};
use super::varint;

/// The largest field number (encoding guide, "Message Structure"; 29 bits are left beside the wire
/// type).
pub const MAX_FIELD: u32 = (1 << 29) - 1;

/// The layout of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireType {
    /// int32, int64, uint32, uint64, sint32, sint64, bool, enum.
    Varint,
    /// fixed64, sfixed64, double.
    Fixed64,
    /// string, bytes, messages, packed repeated fields.
    Len,
    /// The start of a group.
    Start,
    /// The end of a group.
    End,
    /// fixed32, sfixed32, float.
    Fixed32,
}

impl WireType {
    /// Returns the wire type as the three lowest bits of a tag.
    pub const fn code(self) -> u32 {
        match self {
            WireType::Varint => 0,
            WireType::Fixed64 => 1,
            WireType::Len => 2,
            WireType::Start => 3,
            WireType::End => 4,
            WireType::Fixed32 => 5,
        }
    }

    /// Returns the wire type of a tag, or `None` for the two that do not exist.
    #[inline(always)]
    pub const fn of(tag: u32) -> Option<WireType> {
        Some(match tag & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Len,
            3 => WireType::Start,
            4 => WireType::End,
            5 => WireType::Fixed32,
            _ => return None,
        })
    }

    /// Returns its name in the encoding guide.
    pub const fn name(self) -> &'static str {
        match self {
            WireType::Varint => "VARINT",
            WireType::Fixed64 => "I64",
            WireType::Len => "LEN",
            WireType::Start => "SGROUP",
            WireType::End => "EGROUP",
            WireType::Fixed32 => "I32",
        }
    }
}

/// Returns the tag of a field, made of its number and the wire type of its value.
pub const fn tag_of(number: u32, wire: WireType) -> u32 {
    number << 3 | wire.code()
}

/// A tag that was read: the field number, above three bits of wire type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag(pub u32);

impl Tag {
    /// Returns the field's number.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0 >> 3
    }
}

/// Returns the tag at `at`, its wire type, and the offset of its value.
///
/// # Errors
/// There is no valid tag, or it goes beyond the end of `window`.
#[inline(always)]
pub fn tag(window: &[u8], at: usize) -> Result<(Tag, WireType, usize), WireError> {
    let (tag, next) = bare_tag(window, at)?;
    Ok((tag, wire_of(tag, at)?, next))
}

/// Returns the tag at `at`, whose number and wire type may be invalid, and the offset of its value.
///
/// # Errors
/// The tag exceeds 32 bits, or goes beyond the end of `window`.
#[inline(always)]
pub(crate) fn bare_tag(window: &[u8], at: usize) -> Result<(Tag, usize), WireError> {
    match window.get(at) {
        Some(&first) if first < 0x80 => Ok((Tag(u32::from(first)), at + 1)),
        _ => long_tag(window, at).map(|(tag, next)| (Tag(tag), next)),
    }
}

/// Returns the wire type of the tag at `at`.
///
/// # Errors
/// Its number is 0, or the wire type does not exist.
#[inline(always)]
pub(crate) fn wire_of(tag: Tag, at: usize) -> Result<WireType, WireError> {
    if tag.0 < 8 {
        return Err(wire_error(Broken::Tag, at));
    }
    WireType::of(tag.0).ok_or_else(|| wire_error(Broken::WireType(tag.0 & 7), at))
}

#[inline]
fn long_tag(window: &[u8], at: usize) -> Result<(u32, usize), WireError> {
    if let Some(&[low, high]) = window.get(at..at + 2).and_then(|pair| pair.first_chunk())
        && high < 0x80
    {
        return Ok((u32::from(low & 0x7f) | u32::from(high) << 7, at + 2));
    }
    let (tag, next) = varint::short(window, at)?;
    u32::try_from(tag).map(|tag| (tag, next)).map_err(|_| wire_error(Broken::Tag, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_number_and_a_wire_type() {
        assert_eq!(tag(&[0x08], 0), Ok((Tag(8), WireType::Varint, 1)));
        assert_eq!(tag(&[0x82, 0x01], 0), Ok((Tag(0x82), WireType::Len, 2)));
        assert_eq!(tag(&[0xff, 0xff, 0xff, 0xff, 0x0f], 0), Err(wire_error(Broken::WireType(7), 0)));
        assert_eq!(tag(&[0xfd, 0xff, 0xff, 0xff, 0x0f], 0).map(|(tag, ..)| tag.number()), Ok(MAX_FIELD));
        // Up to five bytes, longer forms than needed are accepted.
        assert_eq!(tag(&[0x88, 0x80, 0x80, 0x80, 0x00], 0), Ok((Tag(8), WireType::Varint, 5)));
        assert_eq!(tag(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00], 0), Err(wire_error(Broken::Overflow, 0)));
        assert_eq!(tag(&[0x07], 0), Err(wire_error(Broken::Tag, 0)));
        assert_eq!(tag(&[0x80], 0), Err(wire_error(Broken::End, 1)));
        assert_eq!(tag(&[0x0e], 0), Err(wire_error(Broken::WireType(6), 0)));
        assert_eq!(tag(&[0xf8, 0xff, 0xff, 0xff, 0x1f], 0), Err(wire_error(Broken::Tag, 0)));
    }
}
