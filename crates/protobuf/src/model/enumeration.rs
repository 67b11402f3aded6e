//! Enums and their values.

use super::file::Span;
use super::ids::{FileId, MessageId};
use super::names::short;
use super::well_known::WellKnown;

/// An enum.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// File that declares it.
    pub file: FileId,
    /// Message that contains it.
    pub parent: Option<MessageId>,
    /// Values in the order of the text; the first is the default.
    pub values: Vec<EnumValue>,
    /// Numbers without a value are unknown fields (closed enum).
    pub closed: bool,
    /// Numbers that no value may have.
    pub reserved: Vec<std::ops::RangeInclusive<i32>>,
    /// Names that no value may have.
    pub reserved_names: Vec<Box<str>>,
    /// Well-known type with a JSON form of its own: `NullValue`.
    pub well_known: Option<WellKnown>,
    /// Marks it deprecated.
    pub deprecated: bool,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
    /// Indices of values by number; the first of each number.
    pub(crate) numbers: Vec<(i32, u32)>,
}

/// A value of an enum.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue {
    /// Name, without that of the enum.
    pub name: Box<str>,
    /// Number.
    pub number: i32,
    /// Marks it deprecated.
    pub deprecated: bool,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
}

impl Enum {
    /// Returns the value of a number; the first of several.
    pub fn by_number(&self, number: i32) -> Option<&EnumValue> {
        let found = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.values[self.numbers[found].1 as usize])
    }

    /// Returns the value of a name.
    pub fn by_name(&self, name: &str) -> Option<&EnumValue> {
        self.values.iter().find(|value| &*value.name == name)
    }

    /// Returns the last part of its name.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}
