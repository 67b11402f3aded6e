//! The bytes that start the toy's messages and values.

/// Name in the registry and in errors, and the tag space of the format's tagged values.
pub const NAME: &str = "toy";

/// First bytes of a message.
pub const MAGIC: &[u8] = b"TOY1";
/// Bytes before the body of a message: the magic number, and the length.
pub const HEADER: usize = 8;

pub const NULL: u8 = b'n';
pub const FALSE: u8 = b'f';
pub const TRUE: u8 = b't';
/// A whole number from zero up: a varint.
pub const UNSIGNED: u8 = b'u';
/// A whole number below zero: the varint of its bits, inverted.
pub const NEGATIVE: u8 = b'-';
/// A binary64 number, big-endian.
pub const FLOAT: u8 = b'd';
pub const TEXT: u8 = b's';
pub const BYTES: u8 = b'b';
pub const LIST: u8 = b'l';
/// Names without heads, each with its value.
pub const RECORD: u8 = b'r';
/// Keys, each with its value.
pub const MAP: u8 = b'm';
/// A varint, and one value.
pub const TAGGED: u8 = b'x';
