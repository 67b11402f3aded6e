//! Meaning of the bytes of an adopted schema, by type.

use std::sync::Arc;

use polywire_core::schema::TimeUnit;

use crate::plan::Plan;
use crate::wire::codes::Simple;

/// A schema as a dictionary, with the meaning of its types.
#[derive(Debug)]
pub(crate) struct Adopted {
    pub(crate) plan: Arc<Plan>,
    /// Tag of a message.
    pub(crate) tag: u32,
    pub(super) nodes: Vec<Node>,
    pub(super) root: u32,
}

/// Index of a node.
pub(super) type Id = u32;

/// Meaning of the bytes of a type.
#[derive(Debug)]
pub(super) enum Node {
    /// A scalar of the dictionary.
    Simple(Simple),
    /// A double, whose whole numbers are integers.
    Number,
    /// A string.
    Words(Words),
    /// A number of units since 1970.
    Moment(TimeUnit),
    /// A structure of seconds since 1970 and nanoseconds.
    Instant,
    /// An enumeration, numbered from 0.
    Names(Vec<Name>, Simple, CaseForm),
    /// An array.
    List(Id),
    /// A structure of unnamed fields; true if it is emitted as a tuple, false for a list.
    Row(Fields, bool),
    /// An array of structures of two fields.
    Pairs(Id, Id),
    /// A structure.
    Record(Fields),
    /// A structure of one field that may be null.
    Nullable(Id),
    /// A structure whose only field is the value.
    Wrapper(Id),
    /// A polymorph.
    Sum(Vec<Case>, CaseForm),
    /// A structure of one field that is null.
    Null,
    /// A value under a mark that the schema declares.
    Marked(Box<str>, u64, Id),
    /// A string that holds a value of any type.
    Any,
    /// No value.
    Never,
}

/// Meaning of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Text,
    Octets,
    Bytes,
    /// Digits of a number of any size.
    Number,
}

/// Form in which a case or an enumerator is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseForm {
    /// As a variant.
    Variant,
    /// As text, or as a record of one field.
    Named,
    /// As the value that it holds.
    Untagged,
}

/// An enumerator.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) name: Box<str>,
    pub(super) index: u32,
}

/// Fields of a structure in the order of ids.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) fields: Vec<FieldNode>,
    /// Number of nullable fields.
    pub(super) nullable: u32,
}

#[derive(Debug)]
pub(super) struct FieldNode {
    pub(super) name: Box<str>,
    pub(super) node: Id,
    pub(super) presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Always,
    /// Null on the wire means that the field is absent.
    Absent,
    /// Null on the wire means null.
    Null,
    /// An array whose elements are emitted one by one; an empty one means that the field is absent.
    Repeated,
}

impl Presence {
    pub(super) fn is_nullable(self) -> bool {
        matches!(self, Presence::Absent | Presence::Null)
    }
}

/// A case of a polymorph.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: Box<str>,
    pub(super) index: u32,
    /// Tag of the case.
    pub(super) tag: u32,
    /// Values of the case, as the fields of the tag.
    pub(super) fields: Fields,
}

impl Fields {
    pub(super) fn new(fields: Vec<FieldNode>) -> Fields {
        let nullable = fields.iter().filter(|field| field.presence.is_nullable()).count() as u32;
        Fields { fields, nullable }
    }

    /// Returns the number of presence bytes. A structure without fields gets one that is null,
    /// since structures need a field.
    pub(super) fn presence_bytes(&self) -> usize {
        if self.fields.is_empty() { 1 } else { self.nullable.div_ceil(8) as usize }
    }
}
