//! How bytes are laid out: varints, tags, lengths and groups, as <https://protobuf.dev/programming-guides/encoding/> says ("Message Structure", "Base 128 Varints").
//!
//! Positions are offsets in the message. A function that may read to a bound takes the message cut off there, so that its positions stay those of the message.

pub mod framing;
mod group;
pub(crate) mod known;
pub mod skip;
pub mod varint;

use polywire_core::{Error, ErrorKind};

pub(crate) use group::Groups;

/// The largest field number (encoding guide, "Message Structure"; 29 bits are left beside the wire type).
pub const MAX_FIELD: u32 = (1 << 29) - 1;

/// The longest length-delimited value: lengths are int32 in all official implementations (encoding guide, "Size Limits").
pub const MAX_LENGTH: u64 = (1 << 31) - 1;

/// How a field's value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireType {
    /// int32, int64, uint32, uint64, sint32, sint64, bool, enum.
    Varint,
    /// fixed64, sfixed64, double.
    Fixed64,
    /// string, bytes, messages, packed repeated fields.
    Len,
    /// A group starts.
    Start,
    /// A group ends.
    End,
    /// fixed32, sfixed32, float.
    Fixed32,
}

impl WireType {
    /// The three lowest bits of a tag.
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

    /// The wire type of a tag; none of the two that do not exist.
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

    /// Its name in the encoding guide.
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

/// The tag of a field: its number and the wire type of its value.
pub const fn tag_of(number: u32, wire: WireType) -> u32 {
    number << 3 | wire.code()
}

/// Why bytes are no fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// They end in the middle of a field.
    End,
    /// A varint goes on after its tenth byte, or a tag or length after its fifth.
    Overflow,
    /// A tag beyond 32 bits, or with field number 0.
    Tag,
    /// A length beyond 2³¹ - 1.
    Length(u64),
    /// Wire type 6 or 7.
    WireType(u32),
    /// The end of a group that did not start, or of another one; its field number.
    Unopened(u32),
    /// The bytes end before the group of that field number does.
    Unclosed(u32),
    /// Groups within groups beyond the limit.
    Depth,
}

/// Bytes that are no fields, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub why: Broken,
    /// Offset in the message: of the field, tag or number that is wrong; of [`Broken::End`] and [`Broken::Unclosed`], where the bytes end.
    pub at: usize,
}

impl Fault {
    /// The fault as the walk tells it, in a message at `base` of a stream.
    #[cold]
    pub fn into_error(self, base: u64) -> Error {
        let at = base + self.at as u64;
        let data = |kind| Error::data(kind, at);
        match self.why {
            Broken::End => Error::truncated(at, "the rest of a field").hint("the message, or a length in it, is cut off"),
            Broken::Overflow => {
                data(ErrorKind::Range).seen("a varint that does not end").expected("at most ten bytes, of tags and lengths five")
            }
            Broken::Tag => data(ErrorKind::Syntax).seen("a tag with a field number of 0 or beyond 2^29 - 1").expected("the tag of a field"),
            Broken::Length(length) => data(ErrorKind::Range).seen(format!("a length of {length}")).expected("at most 2147483647 bytes"),
            Broken::WireType(code) => data(ErrorKind::Syntax).seen(format!("wire type {code}")).expected("one of the wire types 0 to 5"),
            Broken::Unopened(number) => data(ErrorKind::Syntax)
                .seen(format!("the end of the group {number}"))
                .expected("a field, or the end of the group that is open"),
            Broken::Unclosed(number) => Error::truncated(at, format!("the end of the group {number}")),
            Broken::Depth => data(ErrorKind::Limit)
                .seen("groups within groups beyond the limit `depth`")
                .hint("the limit guards against hostile input; raise it if the message is genuine"),
        }
    }
}

/// A fault of what starts at `at`.
#[cold]
pub(crate) fn fault(why: Broken, at: usize) -> Fault {
    Fault { why, at }
}

/// A tag that was read: the field number above three bits of wire type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag(pub u32);

impl Tag {
    /// The field's number.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0 >> 3
    }
}

/// The tag at `at`, its wire type, and where its value starts.
///
/// # Errors
/// It is none, or goes beyond the end of `window`.
#[inline(always)]
pub fn tag(window: &[u8], at: usize) -> Result<(Tag, WireType, usize), Fault> {
    let (tag, next) = bare_tag(window, at)?;
    Ok((tag, wire_of(tag, at)?, next))
}

/// The tag at `at`, whose number and wire type may be wrong, and where its value starts.
///
/// # Errors
/// It is no number of 32 bits, or goes beyond the end of `window`.
#[inline(always)]
pub(crate) fn bare_tag(window: &[u8], at: usize) -> Result<(Tag, usize), Fault> {
    match window.get(at) {
        Some(&first) if first < 0x80 => Ok((Tag(u32::from(first)), at + 1)),
        _ => long_tag(window, at).map(|(tag, next)| (Tag(tag), next)),
    }
}

/// The wire type of the tag that stands at `at`.
///
/// # Errors
/// Its number is 0, or there is no such wire type.
#[inline(always)]
pub(crate) fn wire_of(tag: Tag, at: usize) -> Result<WireType, Fault> {
    if tag.0 < 8 {
        return Err(fault(Broken::Tag, at));
    }
    WireType::of(tag.0).ok_or_else(|| fault(Broken::WireType(tag.0 & 7), at))
}

#[inline]
fn long_tag(window: &[u8], at: usize) -> Result<(u32, usize), Fault> {
    if let Some(&[low, high]) = window.get(at..at + 2).and_then(|pair| pair.first_chunk())
        && high < 0x80
    {
        return Ok((u32::from(low & 0x7f) | u32::from(high) << 7, at + 2));
    }
    let (tag, next) = varint::short(window, at)?;
    u32::try_from(tag).map(|tag| (tag, next)).map_err(|_| fault(Broken::Tag, at))
}

/// The value of a length-delimited field whose length stands at `at`: where it starts and ends.
///
/// # Errors
/// There is no length, or it goes beyond the end of `window`.
#[inline(always)]
pub fn length(window: &[u8], at: usize) -> Result<(usize, usize), Fault> {
    let (length, start) = match window.get(at) {
        Some(&first) if first < 0x80 => (u64::from(first), at + 1),
        _ => long_length(window, at)?,
    };
    if length > (window.len() - start) as u64 {
        return Err(fault(Broken::End, window.len()));
    }
    Ok((start, start + length as usize))
}

#[inline(never)]
fn long_length(window: &[u8], at: usize) -> Result<(u64, usize), Fault> {
    let (length, start) = varint::short(window, at)?;
    if length > MAX_LENGTH {
        return Err(fault(Broken::Length(length), at));
    }
    Ok((length, start))
}

/// The `N` bytes at `at`.
///
/// # Errors
/// They go beyond the end of `window`.
#[inline(always)]
pub fn array<const N: usize>(window: &[u8], at: usize) -> Result<[u8; N], Fault> {
    match window.get(at..).and_then(|rest| rest.first_chunk::<N>()) {
        Some(bytes) => Ok(*bytes),
        None => Err(fault(Broken::End, window.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_a_number_and_a_wire_type() {
        assert_eq!(tag(&[0x08], 0), Ok((Tag(8), WireType::Varint, 1)));
        assert_eq!(tag(&[0x82, 0x01], 0), Ok((Tag(0x82), WireType::Len, 2)));
        assert_eq!(tag(&[0xff, 0xff, 0xff, 0xff, 0x0f], 0), Err(fault(Broken::WireType(7), 0)));
        assert_eq!(tag(&[0xfd, 0xff, 0xff, 0xff, 0x0f], 0).map(|(tag, ..)| tag.number()), Ok(MAX_FIELD));
        // Longer forms than needed are accepted, up to five bytes.
        assert_eq!(tag(&[0x88, 0x80, 0x80, 0x80, 0x00], 0), Ok((Tag(8), WireType::Varint, 5)));
        assert_eq!(tag(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00], 0), Err(fault(Broken::Overflow, 0)));
        assert_eq!(tag(&[0x07], 0), Err(fault(Broken::Tag, 0)));
        assert_eq!(tag(&[0x80], 0), Err(fault(Broken::End, 1)));
        assert_eq!(tag(&[0x0e], 0), Err(fault(Broken::WireType(6), 0)));
        assert_eq!(tag(&[0xf8, 0xff, 0xff, 0xff, 0x1f], 0), Err(fault(Broken::Tag, 0)));
    }

    #[test]
    fn lengths_stay_inside() {
        assert_eq!(length(&[2, 7, 7], 0), Ok((1, 3)));
        assert_eq!(length(&[3, 7, 7], 0), Err(fault(Broken::End, 3)));
        assert_eq!(length(&[0xff, 0xff, 0xff, 0xff, 0x0f], 0), Err(fault(Broken::Length(u64::from(u32::MAX)), 0)));
        assert_eq!(length(&[0x81, 0x00, 7], 0), Ok((2, 3)));
    }
}
