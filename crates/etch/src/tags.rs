//! The tag space `etch`: arrays whose elements have a declared type.

/// Name of the space, and of the format.
pub const SPACE: &str = "etch";

/// Returns the code of an array by the type code of its elements and its dimensions, from 1 to 9
/// (`docs/spec/etch.md 3.6`). An array of any type and one dimension has no mark.
///
/// An array of structures is a tuple of the name of their type and a list; others are a list.
pub const fn array(element: u8, dimensions: u8) -> u64 {
    (element as u64) << 8 | dimensions as u64
}

/// Splits a code into the type code of the elements and the dimensions.
pub(crate) const fn split(code: u64) -> (u8, u8) {
    ((code >> 8) as u8, code as u8)
}

/// Returns the name of a code, for people.
pub(crate) fn name(space: &str, code: u64) -> Option<&'static str> {
    let (element, dimensions) = split(code);
    if space != SPACE || array(element, dimensions) != code {
        return None;
    }
    Some(match element {
        0x83 => "array of boolean",
        0x84 => "array of byte",
        0x85 => "array of short",
        0x86 => "array of int",
        0x87 => "array of long",
        0x88 => "array of float",
        0x89 => "array of double",
        0x93 => "array of string",
        0x94 | 0x95 => "array of structures",
        0x96 => "array of any type",
        _ => return None,
    })
}
