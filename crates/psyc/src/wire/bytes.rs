//! Single bytes with a meaning, their classes, and the nominal limits.

/// Ends a line.
pub const LF: u8 = b'\n';
/// Stands between a name and its value.
pub const TAB: u8 = b'\t';
/// Starts the end mark, and the elements of a list.
pub const BAR: u8 = b'|';
/// The end mark, at the start of a line.
pub const END: &[u8] = b"|\n";
/// What ends data whose size is not told.
pub const DELIMITER: &[u8] = b"\n|\n";

/// The nominal limit of a content whose size is not told; receivers may refuse more.
pub const CONTENT_SIZE_MAX: usize = 512;
/// The nominal limit of a value whose size is not told; receivers may refuse more.
pub const MODIFIER_SIZE_MAX: usize = 256;
/// The nominal limit of an element whose size is not told; receivers may refuse more.
pub const ELEM_SIZE_MAX: usize = 128;
/// Data, values and elements longer than this are rendered with their size, unless told otherwise.
pub const SIZE_THRESHOLD: usize = 9;
/// The largest size that is believed, in bytes, unless a parser is told another limit.
pub const SIZE_LIMIT: usize = isize::MAX as usize;

/// Whether a byte may stand in a keyword: letters, digits, underscore.
#[inline]
pub const fn is_keyword_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte is an operator.
#[inline]
pub const fn is_operator(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b'+' | b'-' | b'@' | b'?' | b'!')
}
