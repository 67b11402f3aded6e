//! The steps of a message, as the machine takes them.

use crate::external::Group;

/// The two versions of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Amf0,
    Amf3,
}

/// Elements of a vector of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Int,
    UInt,
    Double,
}

impl Element {
    /// Returns the bytes of one.
    pub fn size(self) -> usize {
        if self == Element::Double { 8 } else { 4 }
    }
}

/// One step. Slices are parts of the message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Token<'b> {
    Null,
    Undefined,
    Unsupported,
    Bool(bool),
    Int(i32),
    /// A number that AMF has no type for: a version, or the place of an element.
    Count(u32),
    Number(f64, Version),
    /// A text; true if it is a reference to an earlier one.
    Text(&'b [u8], bool),
    /// A long string of AMF0.
    LongText(&'b [u8]),
    Xml(&'b [u8]),
    XmlDocument(&'b [u8]),
    /// Milliseconds since the epoch, and the time zone.
    Date(f64, i16),
    Bytes(&'b [u8]),
    /// A reference to an object, by its index.
    Reference(Version, u32),
    /// A vector of numbers: true if its length is fixed, and the bytes of its elements.
    Numbers(Element, bool, &'b [u8]),
    /// The start of a container.
    Open(Container<'b>),
    /// The name of the value that comes next; true if it is not spelled out here.
    Name(&'b [u8], bool),
    /// The name of a value by a flag, of that number.
    Flag(&'static Group, usize),
    /// The name of a sealed member, in the traits of a class.
    Member(&'b [u8]),
    /// Bytes around values, for people.
    Frame(&'static str),
    /// The end of the innermost container.
    Close,
}

/// The kinds of containers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Container<'b> {
    /// An object of a class, which is empty if it has none, with its mark, or 0.
    Object(&'b [u8], u64),
    /// Values.
    List(u32),
    /// An ECMA array: its count, and its number among the containers that are surveyed.
    Ecma(u32, usize),
    /// An array with names.
    Named,
    /// A dictionary: true if its keys are weak, its count, and its number among the containers that
    /// are surveyed.
    Dictionary(bool, u32, usize),
    /// A vector of objects: true if its length is fixed, the name of their class, their count.
    Objects(bool, &'b [u8], u32),
    /// A value of AMF3.
    Switch,
}
