//! Errors of the byte layout.

use polywire_core::{Error, ErrorKind};

/// Name of the format in the registry and in errors.
pub(crate) const NAME: &str = "protobuf";

/// The reason why bytes are not fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The bytes end in the middle of a field.
    End,
    /// A varint continues after its tenth byte, or a tag or length after its fifth.
    Overflow,
    /// A tag beyond 32 bits, or with field number 0.
    Tag,
    /// A length beyond 2³¹ - 1.
    Length(u64),
    /// Wire type 6 or 7.
    WireType(u32),
    /// The end of a group that did not start, or of another one, with its field number.
    Unopened(u32),
    /// The bytes end before the group of that field number.
    Unclosed(u32),
    /// Groups nested deeper than the limit.
    Depth,
}

/// A place where bytes are not fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireError {
    /// The reason.
    pub why: Broken,
    /// Offset in the message of the invalid field, tag or number. For [`Broken::End`] and
    /// [`Broken::Unclosed`], the end of the bytes.
    pub at: usize,
}

impl WireError {
    /// Converts the error to the walk's, for a message at `base` of a stream.
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

/// Makes the error for what starts at `at`.
#[cold]
pub(crate) fn wire_error(why: Broken, at: usize) -> WireError {
    WireError { why, at }
}
