//! Errors of decoders (docs/spec/extprot.md 5.6).

use std::borrow::Cow;
use std::fmt;

use polywire_core::{Error, ErrorKind};

use crate::wire::WireType;

/// Reason why a message is refused, with the offset and the path of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Kind of error.
    pub cause: Cause,
    /// Offset of the refused value in the message. For [`Cause::UnexpectedEnd`], the offset where
    /// the composite or the input ends.
    pub at: usize,
    /// Names of messages, variants and fields, outermost first (docs/spec/extprot.md 5.6).
    pub path: Vec<String>,
}

/// Kind of error (docs/spec/extprot.md 5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A wire type that the protocol does not expect here; `None` if the code is invalid.
    BadWireType(Option<WireType>),
    /// An unknown constructor or variant, or a tag on a primitive.
    UnknownTag(u64),
    /// A field is absent and has no default.
    MissingField,
    /// An element of a tuple or an argument of a constructor is absent and has no default. Holds
    /// its index.
    MissingTupleElement(u32),
    /// A size is above its limit.
    LimitExceeded(Size, u64),
    /// A length or a payload exceeds the enclosing composite or the input.
    UnexpectedEnd,
    /// A vint has more than 64 bits.
    VintOverflow,
}

/// Sizes that [`SizeLimits`] limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// Bytes of a message or list.
    MessageLength,
    /// Elements of a message or list.
    Elements,
    /// Bytes of a string.
    StringLength,
}

impl Size {
    /// Returns the name, as in `max_elements`.
    pub const fn name(self) -> &'static str {
        match self {
            Size::MessageLength => "message_length",
            Size::Elements => "elements",
            Size::StringLength => "string_length",
        }
    }
}

/// Limits of docs/spec/extprot.md 5.5, inclusive. They apply to decoded values, not to skipped
/// ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeLimits {
    /// Most bytes of a message or list after its length.
    pub message_length: u64,
    /// Most elements of a message or list.
    pub elements: u64,
    /// Most bytes of a string.
    pub string_length: u64,
}

impl SizeLimits {
    /// No limits: a message is bounded by its length only.
    pub const NONE: SizeLimits = SizeLimits { message_length: u64::MAX, elements: u64::MAX, string_length: u64::MAX };
}

impl Default for SizeLimits {
    fn default() -> SizeLimits {
        SizeLimits::NONE
    }
}

impl Cause {
    /// Returns the name, in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::BadWireType(_) => "bad_wire_type",
            Cause::UnknownTag(_) => "unknown_tag",
            Cause::MissingField => "missing_field",
            Cause::MissingTupleElement(_) => "missing_tuple_element",
            Cause::LimitExceeded(..) => "limit_exceeded",
            Cause::UnexpectedEnd => "unexpected_eof",
            Cause::VintOverflow => "vint_overflow",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::BadWireType(Some(wire)) => write!(f, "the wire type {wire}, which the protocol does not expect here"),
            Cause::BadWireType(None) => f.write_str("an invalid wire type"),
            Cause::UnknownTag(tag) => write!(f, "the tag {tag}, which the protocol does not know here"),
            Cause::MissingField => f.write_str("no such field, which has no default"),
            Cause::MissingTupleElement(index) => write!(f, "no element {index}, which has no default"),
            Cause::LimitExceeded(size, actual) => write!(f, "{} of {actual}, which is above the limit", size.name().replace('_', " ")),
            Cause::UnexpectedEnd => f.write_str("the end of the bytes that hold the value"),
            Cause::VintOverflow => f.write_str("a number of more than 64 bits"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {}", self.cause, self.at)?;
        if self.path.is_empty() { Ok(()) } else { write!(f, ", in {}", self.path.join("/")) }
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// Converts the failure into the error of a walk over a message at offset `base` of a stream.
    pub fn into_error(self, base: u64) -> Error {
        let kind = match self.cause {
            Cause::UnexpectedEnd => ErrorKind::Truncated,
            Cause::LimitExceeded(..) => ErrorKind::Limit,
            Cause::VintOverflow => ErrorKind::Range,
            _ => ErrorKind::Syntax,
        };
        let expected: Cow<'static, str> = match (self.path.is_empty(), self.cause) {
            (true, _) => "a value".into(),
            (false, Cause::UnexpectedEnd) => format!("the rest of {}", self.path.join("/")).into(),
            (false, _) => self.path.join("/").into(),
        };
        Error::data(kind, base + self.at as u64).seen(self.cause.to_string()).expected(expected)
    }
}
