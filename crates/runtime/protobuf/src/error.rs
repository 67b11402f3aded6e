//! The errors of a decoder.

use std::fmt;

use crate::marker::Protobuf;

/// Why bytes are refused, where, and in which field.
pub type Error = polywire_runtime::Error<Protobuf>;

/// The mistake in refused bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// Bytes that end inside a field, a message in a field, or a group.
    End,
    /// A varint of more than ten bytes, or a tag or length of more than five.
    Overflow,
    /// A tag with field number 0, or beyond 32 bits.
    Tag,
    /// Wire type 6 or 7.
    WireType,
    /// The end of a group that is not open.
    Group,
    /// A length beyond 2 GiB.
    Length,
    /// Text that is not UTF-8.
    Text,
    /// A number that is no value of the field's type.
    Range,
    /// A required field that the message lacks.
    Missing,
    /// Nesting of messages above the limit.
    Depth,
    /// A message of more bytes than the limit.
    Size,
}

impl Cause {
    /// Returns its name, in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::End => "unexpected_end",
            Cause::Overflow => "varint_overflow",
            Cause::Tag => "bad_tag",
            Cause::WireType => "bad_wire_type",
            Cause::Group => "bad_group",
            Cause::Length => "bad_length",
            Cause::Text => "bad_text",
            Cause::Range => "out_of_range",
            Cause::Missing => "missing_field",
            Cause::Depth => "depth_limit",
            Cause::Size => "size_limit",
        }
    }

    /// Returns what was seen, for people.
    pub const fn text(self) -> &'static str {
        match self {
            Cause::End => "the end of the bytes that hold the value",
            Cause::Overflow => "a number that does not end after ten bytes, or a tag or length that does not after five",
            Cause::Tag => "a tag with field number 0 or beyond 32 bits",
            Cause::WireType => "the wire type 6 or 7",
            Cause::Group => "the end of a group that is not open",
            Cause::Length => "a length beyond 2 GiB",
            Cause::Text => "text that is not UTF-8",
            Cause::Range => "a number that the type of the field does not have",
            Cause::Missing => "no such field, which is required",
            Cause::Depth => "more messages within each other than the limit",
            Cause::Size => "more bytes than the limit",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
