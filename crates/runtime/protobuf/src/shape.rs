//! Message types as tables: what validates bytes without making anything of them, finds out what is wrong with bytes that were refused, and puts
//! in order what comes in an order that the fast way does not take.

use polywire_runtime::PathStep;

use crate::error::{Cause, Error};

/// A message type.
#[derive(Debug)]
pub struct Message {
    /// Its full name.
    pub name: &'static str,
    /// Its fields, by number.
    pub fields: &'static [Field],
    /// Whether fields that it does not have are kept.
    pub keeps: bool,
    /// Whether a field of its oneof is required.
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
    /// How often it comes.
    pub comes: Comes,
    /// Which oneof of the message it is in, from 1; 0 for none.
    pub oneof: u32,
}

/// How often a field comes.
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
    /// A varint that as a signed number is between these.
    Range(i64, i64),
    /// Four bytes.
    Fixed32,
    /// Eight bytes.
    Fixed64,
    /// Text in UTF-8.
    Text,
    /// Any bytes.
    Bytes,
    /// A number that is one of these, which are in order; others are unknown fields (encoding guide, enums that are closed).
    Closed(&'static [i32]),
    /// A message behind its length.
    Message(&'static Message),
    /// A message between two tags.
    Group(&'static Message),
    /// An entry of a map: a message whose two fields are key and value.
    Entry(&'static Message),
}

/// What a decoder says of a message that one way takes and the other does not, which is a mistake of this crate.
#[cold]
pub(crate) fn disagreed(shape: &'static Message) -> Error {
    Error::new(Cause::End, 0, vec![PathStep::Name(shape.name)])
}
