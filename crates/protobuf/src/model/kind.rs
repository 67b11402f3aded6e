//! Types of fields, how often they come, and their presence.

use super::ids::{EnumId, MessageId};

/// Type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub enum Kind {
    Double,
    Float,
    Int64,
    UInt64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    UInt32,
    SFixed32,
    SFixed64,
    SInt32,
    SInt64,
    Enum(EnumId),
    /// A message with its length before it.
    Message(MessageId),
    /// A message between two tags: proto2's `group`, or the feature `message_encoding = DELIMITED`.
    Group(MessageId),
}

impl Kind {
    /// Returns the message type, of either layout.
    pub const fn message(self) -> Option<MessageId> {
        match self {
            Kind::Message(id) | Kind::Group(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the wire type of one value (encoding guide, "Message Structure").
    pub const fn wire_type(self) -> u32 {
        match self {
            Kind::Int64 | Kind::UInt64 | Kind::Int32 | Kind::Bool | Kind::UInt32 | Kind::SInt32 | Kind::SInt64 | Kind::Enum(_) => 0,
            Kind::Double | Kind::Fixed64 | Kind::SFixed64 => 1,
            Kind::String | Kind::Bytes | Kind::Message(_) => 2,
            Kind::Group(_) => 3,
            Kind::Float | Kind::Fixed32 | Kind::SFixed32 => 5,
        }
    }

    /// Returns whether values can be packed.
    pub const fn packable(self) -> bool {
        !matches!(self.wire_type(), 2 | 3)
    }

    /// Returns the keyword of a scalar type, or `enum`, `message` or `group`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Double => "double",
            Kind::Float => "float",
            Kind::Int64 => "int64",
            Kind::UInt64 => "uint64",
            Kind::Int32 => "int32",
            Kind::Fixed64 => "fixed64",
            Kind::Fixed32 => "fixed32",
            Kind::Bool => "bool",
            Kind::String => "string",
            Kind::Bytes => "bytes",
            Kind::UInt32 => "uint32",
            Kind::SFixed32 => "sfixed32",
            Kind::SFixed64 => "sfixed64",
            Kind::SInt32 => "sint32",
            Kind::SInt64 => "sint64",
            Kind::Enum(_) => "enum",
            Kind::Message(_) => "message",
            Kind::Group(_) => "group",
        }
    }
}

/// How often a field comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// At most once.
    Singular,
    /// Any number of times.
    Repeated,
    /// A map: any number of entries, whose message is that of the field.
    Map,
}

/// How a field shows that it is absent (application note "Field Presence").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presence {
    /// The default of the type is not written, and an absent field has it. Repeated fields are
    /// implicit too.
    Implicit,
    /// A field that is set is written, default or not.
    Explicit,
    /// A message without the field is refused.
    Required,
}
