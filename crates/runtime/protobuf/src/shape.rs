//! Tables of message types. The slow reader follows them to validate bytes, to find out what is
//! wrong with refused ones, and to bring fields into the order that the fast reader takes.

use polywire_runtime::PathStep;

use crate::error::{Cause, Error};

/// A message type.
#[derive(Debug)]
pub struct Message {
    /// Its full name.
    pub name: &'static str,
    /// Its fields, by number.
    pub fields: &'static [Field],
    /// True if unknown fields are kept.
    pub keeps: bool,
    /// True if a field of its oneof is required.
    pub chooses: bool,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// The type of one value.
    pub kind: Kind,
    /// How often it occurs.
    pub comes: Comes,
    /// Number of its oneof in the message, from 1; 0 for none.
    pub oneof: u32,
}

/// The number of times that a field occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comes {
    /// At most once.
    Once,
    /// Once.
    Required,
    /// Any number of times, each with its tag when it is written.
    Repeated,
    /// Any number of times, packed when it is written.
    Packed,
}

/// The type of one value.
#[derive(Debug)]
pub enum Kind {
    /// Any varint.
    Varint,
    /// A varint that is a signed number between these, inclusive.
    Range(i64, i64),
    /// Four bytes.
    Fixed32,
    /// Eight bytes.
    Fixed64,
    /// Text in UTF-8.
    Text,
    /// Any bytes.
    Bytes,
    /// A number that is one of these, in ascending order. Others are unknown fields (encoding
    /// guide, closed enums).
    Closed(&'static [i32]),
    /// A message behind its length.
    Message(&'static Message),
    /// A message between two tags.
    Group(&'static Message),
    /// An entry of a map: a message whose two fields are key and value.
    Entry(&'static Message),
}

/// Returns the error for a message that only one of the two readers accepts: a bug in this crate.
#[cold]
pub(crate) fn disagreed(shape: &'static Message) -> Error {
    Error::new(Cause::End, 0, vec![PathStep::Name(shape.name)])
}
