//! How the types of a plan are laid out in Protobuf: what code is made of, whatever schema language
//! they come from.

use crate::plan::{Plan, Type, Value};

/// A plan and its layout.
pub(super) struct Mapped {
    /// The types, where the schema language is Protobuf's.
    pub plan: Plan,
    /// The layouts of the plan's types, in its order.
    pub layouts: Vec<Layout>,
    /// The full name of each.
    pub names: Vec<String>,
}

/// A type with a name.
#[derive(Debug, Clone)]
pub(super) enum Layout {
    /// A struct: a message of these fields, in the order of the struct's.
    Message(Vec<Member>),
    /// An enum that is a oneof of the messages that hold it.
    Oneof(Vec<Choice>),
    /// An enum that is a message of one oneof.
    Choice(Vec<Choice>),
    /// An enum of numbers.
    Numbers(Numbers),
    /// A type that is neither read nor written.
    Absent,
}

/// Numbers that stand for cases.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    /// Those of the cases, in their order.
    pub of: Vec<i32>,
    /// True if a last case holds all other numbers.
    pub open: bool,
    /// Other names of cases.
    pub aliases: Vec<(String, usize)>,
}

/// A case of a oneof.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub number: u32,
    pub name: String,
    pub wire: Wire,
    /// True if the value is behind a pointer.
    pub boxed: bool,
}

/// A field of a message.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Its number; of a oneof the lowest of those of its cases, of unknown fields 0.
    pub number: u32,
    pub name: String,
    pub wire: Wire,
    pub comes: Comes,
    /// True if the value is behind a pointer.
    pub boxed: bool,
    /// The value of an absent field, if the message's own default lacks one.
    pub default: Option<(Value, Type)>,
}

/// How often a field comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comes {
    /// It has to be there.
    Required,
    /// Absence is no value.
    Explicit,
    /// Absence is the type's default, which is not written.
    Implicit,
    /// Absence is a default, and all values are written.
    Default,
    /// Any number of values.
    Repeated {
        /// True if they are written packed.
        packed: bool,
    },
    /// Entries of a map, whose wire is [`Wire::Entry`].
    Map,
    /// A oneof: at most one of its cases.
    Oneof,
    /// Fields that the message does not have, as they are.
    Unknown,
}

/// The type of one value.
#[derive(Debug, Clone)]
pub(super) enum Wire {
    Scalar(Scalar),
    /// A type of the plan, by its index: an enum of numbers.
    Enum(usize),
    /// A type of the plan: a message behind its length.
    Message(usize),
    /// A type of the plan: a message between two tags.
    Group(usize),
    /// The type of the plan that a oneof is.
    Oneof(usize),
    /// A message without a type of its own, whose fields are the parts of a tuple.
    Row(Vec<Member>),
    /// A message around one value, or list.
    Alone(Box<Member>),
    /// Key and value of a map.
    Entry(Box<(Scalar, Wire)>),
}

/// A type of values without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
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
    /// Narrow numbers, as varints.
    Byte,
    Int8,
    Int16,
    UInt16,
}

impl Scalar {
    /// The wire type of one value (encoding guide, "Message Structure").
    pub const fn wire_type(self) -> u32 {
        match self {
            Scalar::Double | Scalar::Fixed64 | Scalar::SFixed64 => 1,
            Scalar::String | Scalar::Bytes => 2,
            Scalar::Float | Scalar::Fixed32 | Scalar::SFixed32 => 5,
            _ => 0,
        }
    }
}

impl Wire {
    /// The wire type of one value.
    pub const fn wire_type(&self) -> u32 {
        match self {
            Wire::Scalar(scalar) => scalar.wire_type(),
            Wire::Enum(_) => 0,
            Wire::Group(_) => 3,
            _ => 2,
        }
    }

    /// Returns whether values can be packed.
    pub const fn packable(&self) -> bool {
        !matches!(self.wire_type(), 2 | 3)
    }
}

/// The bytes of the tag of a field.
pub(super) fn tag(number: u32, wire_type: u32) -> Vec<u8> {
    let mut tag = u64::from(number) << 3 | u64::from(wire_type);
    let mut bytes = Vec::new();
    while tag >= 0x80 {
        bytes.push(tag as u8 | 0x80);
        tag >>= 7;
    }
    bytes.push(tag as u8);
    bytes
}
