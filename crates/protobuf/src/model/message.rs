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

/// Numbers reserved for the implementation (language guide, "Assigning Field Numbers").
pub const RESERVED_NUMBERS: Range<u32> = 19000..20000;

/// A message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// File that declares it.
    pub file: FileId,
    /// Message that contains it.
    pub parent: Option<MessageId>,
    /// Fields in the order of the text.
    pub fields: Vec<Field>,
    /// Oneofs in the order of the text, without those that a compiler makes for `optional` in
    /// proto3.
    pub oneofs: Vec<Oneof>,
    /// Its extensions, by number.
    pub extensions: Vec<ExtensionId>,
    /// Numbers for extensions.
    pub extension_ranges: Vec<Range<u32>>,
    /// Numbers that no field may have.
    pub reserved: Vec<Range<u32>>,
    /// Names that no field may have.
    pub reserved_names: Vec<Box<str>>,
    /// Marks the entry of a map field: `key` 1 and `value` 2.
    pub map_entry: bool,
    /// Marks the old MessageSet layout (`message_set_wire_format`).
    pub message_set: bool,
    /// Well-known type with a JSON form of its own (ProtoJSON format, "JSON Options" and the table
    /// of types).
    pub well_known: Option<WellKnown>,
    /// Marks it deprecated.
    pub deprecated: bool,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
    /// Indices of fields by number.
    pub(crate) numbers: Vec<(u32, u32)>,
}

/// A field of a message, or an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name; of an extension, its full name.
    pub name: Box<str>,
    /// Name in JSON; of an extension, `[full.name]`.
    pub json_name: Box<str>,
    /// Number, from 1 to [`MAX_NUMBER`].
    pub number: u32,
    /// Type of one value.
    pub kind: Kind,
    /// How often it comes.
    pub cardinality: Cardinality,
    /// Values are written packed. Readers accept both layouts.
    pub packed: bool,
    /// How absence shows.
    pub presence: Presence,
    /// Default of an absent field: as written, or that of the type. `None` for messages and
    /// repeated fields.
    pub default: Option<Default>,
    /// The text gives a default.
    pub has_default: bool,
    /// Its oneof, an index into [`Message::oneofs`].
    pub oneof: Option<u32>,
    /// Text has to be UTF-8, for readers and writers.
    pub utf8: bool,
    /// Marks it deprecated.
    pub deprecated: bool,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
}

impl Field {
    /// Returns the name of the field in messages of other formats: its name in JSON if no field of
    /// a `.proto` could have that name, such as `order-id`, else its own. An extension has no name
    /// but that in JSON.
    pub fn message_name(&self) -> &str {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let json = self.json_name.as_bytes();
        let is_identifier = json.iter().all(|byte| is_part(*byte)) && !json.first().is_some_and(u8::is_ascii_digit);
        if is_identifier { &self.name } else { &self.json_name }
    }
}

/// An extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// The field.
    pub field: Field,
    /// The message that it extends.
    pub extendee: MessageId,
    /// File that declares it.
    pub file: FileId,
    /// Message that declares it.
    pub scope: Option<MessageId>,
}

/// A oneof.
#[derive(Debug, Clone, PartialEq)]
pub struct Oneof {
    /// Name.
    pub name: Box<str>,
    /// Indices of its fields.
    pub fields: Vec<u32>,
    /// Text of its comment.
    pub doc: Box<str>,
    /// Place of its name in the text, if places are known.
    pub at: Option<Span>,
}

impl Message {
    /// Returns the field of a number. For extensions see [`Pool::field`](super::Pool::field).
    pub fn by_number(&self, number: u32) -> Option<&Field> {
        let found = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.fields[self.numbers[found].1 as usize])
    }

    /// Returns the field of a name.
    pub fn by_name(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }

    /// Returns the last part of its name.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}
