//! The errors of a decoder (docs/spec/extprot.md 5.6).

use std::fmt;

use crate::marker::Extprot;
use crate::wire::wire_type_name;

/// Why a message is refused, where, and in which field.
pub type Error = polywire_runtime::Error<Extprot>;

/// The mistake in refused bytes (docs/spec/extprot.md 5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A wire type that the protocol does not expect there, by its code
    /// (docs/spec/extprot.md 4.2). None stands for an invalid code.
    BadWireType(Option<u8>),
    /// No such constructor or variant, or a tag on a primitive.
    UnknownTag(u64),
    /// An absent field without a default.
    MissingField,
    /// An absent element of a tuple or argument of a constructor without a default, by its index.
    MissingTupleElement(u32),
    /// A size above its limit.
    LimitExceeded(Size, u64),
    /// A length or a payload that goes beyond the composite around it or the input.
    UnexpectedEnd,
    /// A vint of more than 64 bits.
    VintOverflow,
}

/// A size that [`Limits`](crate::limits::Limits) bound.
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
    /// Returns its name, in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Size::MessageLength => "message_length",
            Size::Elements => "elements",
            Size::StringLength => "string_length",
        }
    }
}

impl Cause {
    /// Returns its name, in lower case with underscores.
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
        match *self {
            Cause::BadWireType(Some(code)) => {
                write!(f, "the wire type {}, which the protocol does not expect here", wire_type_name(code).unwrap_or("Invalid"))
            }
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
