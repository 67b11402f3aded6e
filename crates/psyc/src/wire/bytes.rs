//! Single bytes with a meaning, their classes, and the nominal limits.

/// The end of a line.
pub const LF: u8 = b'\n';
/// The separator of a name and its value.
pub const TAB: u8 = b'\t';
/// The first byte of the end mark, and of the elements of a list.
pub const BAR: u8 = b'|';
/// The end mark, at the start of a line.
pub const END: &[u8] = b"|\n";
/// The end of data that has no declared size.
pub const DELIMITER: &[u8] = b"\n|\n";

/// The nominal limit of a content that has no declared size; receivers may refuse more.
pub const CONTENT_SIZE_MAX: usize = 512;
/// The nominal limit of a value that has no declared size; receivers may refuse more.
pub const MODIFIER_SIZE_MAX: usize = 256;
/// The nominal limit of an element that has no declared size; receivers may refuse more.
pub const ELEM_SIZE_MAX: usize = 128;
/// The length above which data, values and elements are rendered with their size by default.
pub const SIZE_THRESHOLD: usize = 9;
/// The default limit of declared sizes, in bytes.
pub const SIZE_LIMIT: usize = isize::MAX as usize;

/// Returns whether a byte may stand in a keyword: letters, digits, underscore.
#[inline]
pub const fn is_keyword_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a byte is an operator.
#[inline]
pub const fn is_operator(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b'+' | b'-' | b'@' | b'?' | b'!')
}
