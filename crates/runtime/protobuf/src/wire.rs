//! The layout of bytes (encoding guide, "Message Structure") for the slow reader. Each function
//! returns the value at an offset and where it ends.

use crate::error::Cause;

/// Wire types (encoding guide, "Message Structure").
pub mod wire_type {
    /// A varint.
    pub const VARINT: u32 = 0;
    /// Eight bytes.
    pub const FIXED64: u32 = 1;
    /// A length and as many bytes.
    pub const LEN: u32 = 2;
    /// The start of a group.
    pub const START: u32 = 3;
    /// The end of a group.
    pub const END: u32 = 4;
    /// Four bytes.
    pub const FIXED32: u32 = 5;
}

/// Maximum size of a message in bytes.
const MAX_LENGTH: u64 = 0x7fff_ffff;

/// The result of a function: a value and where it ends, or what is wrong and where.
pub(crate) type At<T> = Result<(T, usize), (Cause, usize)>;

/// Reads a varint of at most ten bytes. Bits beyond 64 are dropped, over-long forms are valid.
pub(crate) fn varint(bytes: &[u8], at: usize) -> At<u64> {
    number(bytes, at, 10)
}

fn number(bytes: &[u8], at: usize, most: usize) -> At<u64> {
    let mut value = 0;
    for n in 0..most {
        let Some(&byte) = bytes.get(at + n) else { return Err((Cause::End, bytes.len())) };
        value |= u64::from(byte & 0x7f) << (7 * n);
        if byte < 0x80 {
            return Ok((value, at + n + 1));
        }
    }
    Err((Cause::Overflow, at))
}

/// Reads a tag.
pub(crate) fn tag(bytes: &[u8], at: usize) -> At<u32> {
    let (value, next) = number(bytes, at, 5)?;
    match u32::try_from(value) {
        Ok(tag) if tag >= 8 && tag & 7 <= 5 => Ok((tag, next)),
        Ok(tag) if tag >= 8 => Err((Cause::WireType, at)),
        _ => Err((Cause::Tag, at)),
    }
}

/// Reads a length. Returns where the bytes behind it start, and where they end.
pub(crate) fn length(bytes: &[u8], at: usize) -> At<usize> {
    let (length, start) = number(bytes, at, 5)?;
    if length > MAX_LENGTH {
        return Err((Cause::Length, at));
    }
    let end = start + length as usize;
    if end > bytes.len() { Err((Cause::End, bytes.len())) } else { Ok((start, end)) }
}

/// Returns where the value of a field at `at` ends, whose tag was read. Groups nest to at most
/// `depth`.
pub(crate) fn skip(bytes: &[u8], at: usize, tag: u32, depth: u32) -> Result<usize, (Cause, usize)> {
    let fixed = |size: usize| if bytes.len() - at < size { Err((Cause::End, bytes.len())) } else { Ok(at + size) };
    match tag & 7 {
        wire_type::VARINT => varint(bytes, at).map(|(_, end)| end),
        wire_type::FIXED64 => fixed(8),
        wire_type::LEN => length(bytes, at).map(|(_, end)| end),
        wire_type::START => group(bytes, at, tag >> 3, depth).map(|(_, behind)| behind),
        wire_type::FIXED32 => fixed(4),
        _ => Err((Cause::Group, at)),
    }
}

/// Returns where the group of that number ends whose first field is at `at`: before its end tag,
/// and behind it.
pub(crate) fn group(bytes: &[u8], mut at: usize, number: u32, depth: u32) -> Result<(usize, usize), (Cause, usize)> {
    let mut open = vec![number];
    loop {
        if at >= bytes.len() {
            return Err((Cause::End, bytes.len()));
        }
        let (found, next) = tag(bytes, at)?;
        match found & 7 {
            wire_type::START => {
                if open.len() >= depth as usize {
                    return Err((Cause::Depth, at));
                }
                open.push(found >> 3);
                at = next;
            }
            wire_type::END => {
                if open.pop() != Some(found >> 3) {
                    return Err((Cause::Group, at));
                }
                if open.is_empty() {
                    return Ok((at, next));
                }
                at = next;
            }
            _ => at = skip(bytes, next, found, depth)?,
        }
    }
}

/// Appends a varint.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
