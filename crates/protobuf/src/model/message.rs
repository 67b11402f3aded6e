//! Messages, their fields, oneofs and extensions.

use std::ops::Range;

use super::default::Default;
use super::file::Span;
use super::ids::{ExtensionId, FileId, MessageId};
use super::kind::{Cardinality, Kind, Presence};
use super::names::short;
use super::well_known::WellKnown;

/// The highest field number (language guide, "Assigning Field Numbers").
pub const MAX_NUMBER: u32 = (1 << 29) - 1;

/// Numbers that are kept for the implementation (language guide, "Assigning Field Numbers").
pub const RESERVED_NUMBERS: Range<u32> = 19000..20000;

/// A message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// The file that it is in.
    pub file: FileId,
    /// The message that it is in.
    pub parent: Option<MessageId>,
    /// Fields in the order of the text.
    pub fields: Vec<Field>,
    /// Oneofs in the order of the text. Those that only stand for the word `optional` in proto3 are not among them.
    pub oneofs: Vec<Oneof>,
    /// Extensions of it, by number.
    pub extensions: Vec<ExtensionId>,
    /// Numbers for extensions.
    pub extension_ranges: Vec<Range<u32>>,
    /// Numbers that no field may have.
    pub reserved: Vec<Range<u32>>,
    /// Names that no field may have.
    pub reserved_names: Vec<Box<str>>,
    /// Whether it is the entry of a map field: `key` 1 and `value` 2.
    pub map_entry: bool,
    /// Whether it is laid out as MessageSets of old were (`message_set_wire_format`).
    pub message_set: bool,
    /// The type whose JSON form is its own (ProtoJSON format, "JSON Options" and the table of types).
    pub well_known: Option<WellKnown>,
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
    /// Indices of fields by number.
    pub(crate) numbers: Vec<(u32, u32)>,
}

/// A field of a message, or an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name: of an extension its full one.
    pub name: Box<str>,
    /// Name in JSON: of an extension `[full.name]`.
    pub json_name: Box<str>,
    /// Number, from 1 to [`MAX_NUMBER`].
    pub number: u32,
    /// Type of one value.
    pub kind: Kind,
    /// How often it comes.
    pub cardinality: Cardinality,
    /// Whether it is written packed. Readers take both.
    pub packed: bool,
    /// Whether absence can be told.
    pub presence: Presence,
    /// The default that takes effect for an absent field: as written, or the type's own. None for messages, and where the field is repeated.
    pub default: Option<Default>,
    /// Whether `default` was written.
    pub has_default: bool,
    /// The oneof that it is in, an index into [`Message::oneofs`].
    pub oneof: Option<u32>,
    /// Whether text has to be UTF-8, for readers and writers.
    pub utf8: bool,
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

/// An extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// The field.
    pub field: Field,
    /// The message that it extends.
    pub extendee: MessageId,
    /// The file that it is in.
    pub file: FileId,
    /// The message that it is declared in.
    pub scope: Option<MessageId>,
}

/// A oneof.
#[derive(Debug, Clone, PartialEq)]
pub struct Oneof {
    /// Name.
    pub name: Box<str>,
    /// Indices of its fields.
    pub fields: Vec<u32>,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

impl Message {
    /// The field of that number; extensions are not among them, see [`Pool::field`].
    pub fn by_number(&self, number: u32) -> Option<&Field> {
        let found = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.fields[self.numbers[found].1 as usize])
    }

    /// The field of that name.
    pub fn by_name(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// The last part of its name.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}
