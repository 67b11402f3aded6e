//! The byte layout of BSON: types of elements and the shortest values, from the grammar of the
//! specification.

pub use crate::spaces::bson::NAME;
pub(crate) use crate::spaces::bson::{BINARY, OBJECT_ID, binary_code};

/// Name of the one field around a message that is no document: in BSON, every message is a
/// document.
pub const MESSAGE: &str = "$msg";

pub(crate) const DOUBLE: u8 = 0x01;
pub(crate) const TEXT: u8 = 0x02;
pub(crate) const DOCUMENT: u8 = 0x03;
pub(crate) const ARRAY: u8 = 0x04;
pub(crate) const UNDEFINED: u8 = 0x06;
pub(crate) const BOOL: u8 = 0x08;
pub(crate) const DATETIME: u8 = 0x09;
pub(crate) const NULL: u8 = 0x0a;
pub(crate) const REGEX: u8 = 0x0b;
pub(crate) const DB_POINTER: u8 = 0x0c;
pub(crate) const CODE: u8 = 0x0d;
pub(crate) const SYMBOL: u8 = 0x0e;
pub(crate) const CODE_WITH_SCOPE: u8 = 0x0f;
pub(crate) const INT32: u8 = 0x10;
pub(crate) const TIMESTAMP: u8 = 0x11;
pub(crate) const INT64: u8 = 0x12;
pub(crate) const DECIMAL128: u8 = 0x13;
pub(crate) const MIN_KEY: u8 = 0xff;
pub(crate) const MAX_KEY: u8 = 0x7f;

/// Bytes of an ObjectId.
pub(crate) const OBJECT_ID_LEN: usize = 12;

/// Subtype of binary data without a special meaning.
pub(crate) const GENERIC: u8 = 0x00;
/// The old subtype of generic data, whose bytes start with their own length.
pub(crate) const BINARY_OLD: u8 = 0x02;

/// Length of an empty document: its length field and its end.
pub(crate) const MIN_DOCUMENT: usize = 5;
/// Length of an empty text in bytes: the zero byte, which the length counts.
pub(crate) const MIN_TEXT: usize = 1;
/// Length of the shortest code with scope: its length field, an empty text, an empty document.
pub(crate) const MIN_SCOPED: usize = 4 + 4 + MIN_TEXT + MIN_DOCUMENT;

/// Reports whether elements may have this type.
pub(crate) const fn is_type(kind: u8) -> bool {
    matches!(kind, DOUBLE..=DECIMAL128 | MIN_KEY | MAX_KEY)
}

/// Options of a regular expression that the specification names (bsonspec.org, element 11).
const OPTIONS: &str = "ilmsux";

/// Returns the options of a regular expression in alphabetical order, as the specification demands,
/// if they have another. The order means nothing.
pub(crate) fn sorted_options(options: &str) -> Option<String> {
    if options.chars().is_sorted() || !options.chars().all(|option| OPTIONS.contains(option)) {
        return None;
    }
    let mut letters: Vec<char> = options.chars().collect();
    letters.sort_unstable();
    Some(letters.into_iter().collect())
}
