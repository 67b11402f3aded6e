//! Descriptors resolved: names to indices, features to what they mean, defaults to values. Nothing downstream looks at a syntax or an edition.

mod default;
mod features;
mod names;
mod resolve;
mod well_known;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Index, Range};

pub use default::Default;
pub(crate) use default::unescape;
pub(crate) use names::candidates;
pub use names::json_name;
pub use well_known::WellKnown;

/// The highest field number (language guide, "Assigning Field Numbers").
pub const MAX_NUMBER: u32 = (1 << 29) - 1;

/// Numbers that are kept for the implementation (language guide, "Assigning Field Numbers").
pub const RESERVED_NUMBERS: Range<u32> = 19000..20000;

macro_rules! id {
    ($(#[$doc:meta] $name:ident)*) => {$(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Position in the pool's list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

id! {
    /// A file of a pool.
    FileId
    /// A message of a pool.
    MessageId
    /// An enum of a pool.
    EnumId
    /// An extension of a pool.
    ExtensionId
}

/// A set of files, resolved.
#[derive(Debug, Clone, PartialEq, std::default::Default)]
pub struct Pool {
    pub(crate) files: Vec<File>,
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) services: Vec<Service>,
    pub(crate) names: HashMap<Box<str>, Symbol>,
}

/// What a full name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A package, or a part of one's name.
    Package,
    /// A message.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A value of an enum, by its index. Its name is in the scope that the enum is in.
    Value(EnumId, u32),
    /// A field of a message, by its index.
    Field(MessageId, u32),
    /// A oneof of a message, by its index.
    Oneof(MessageId, u32),
    /// An extension.
    Extension(ExtensionId),
    /// A service, by its index.
    Service(u32),
    /// A method of a service, by the indices of both.
    Method(u32, u32),
}

/// Where something stands in the text of its file: lines and columns from 0, columns in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One behind the last column.
    pub end_column: u32,
}

/// A `.proto` file.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Path, as imports name it.
    pub name: Box<str>,
    /// Package, empty if there is none.
    pub package: Box<str>,
    /// Syntax or edition.
    pub edition: Edition,
    /// Files that it imports, in order.
    pub imports: Vec<FileId>,
    /// Which of the imports are public, by index.
    pub public: Vec<u32>,
    /// Whether it should not be used any more.
    pub deprecated: bool,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// `syntax = "proto2"`, or nothing.
    Proto2,
    /// `syntax = "proto3"`.
    Proto3,
    /// `edition = "2023"`.
    E2023,
    /// `edition = "2024"`.
    E2024,
}

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
    /// The message, of both layouts.
    pub const fn message(self) -> Option<MessageId> {
        match self {
            Kind::Message(id) | Kind::Group(id) => Some(id),
            _ => None,
        }
    }

    /// The wire type of one value (encoding, "Message Structure").
    pub const fn wire_type(self) -> u32 {
        match self {
            Kind::Int64 | Kind::UInt64 | Kind::Int32 | Kind::Bool | Kind::UInt32 | Kind::SInt32 | Kind::SInt64 | Kind::Enum(_) => 0,
            Kind::Double | Kind::Fixed64 | Kind::SFixed64 => 1,
            Kind::String | Kind::Bytes | Kind::Message(_) => 2,
            Kind::Group(_) => 3,
            Kind::Float | Kind::Fixed32 | Kind::SFixed32 => 5,
        }
    }

    /// Whether values can be packed.
    pub const fn packable(self) -> bool {
        !matches!(self.wire_type(), 2 | 3)
    }

    /// The word of a scalar type, and `enum`, `message` or `group`.
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
    /// A map: any number of entries, whose message is the field's.
    Map,
}

/// Whether absence can be told (application note "Field Presence").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presence {
    /// The type's default is not written; what is absent has it. Repeated fields have this too.
    Implicit,
    /// What is set is written, default or not.
    Explicit,
    /// A message without it is refused.
    Required,
}

/// An enum.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// The file that it is in.
    pub file: FileId,
    /// The message that it is in.
    pub parent: Option<MessageId>,
    /// Values in the order of the text; the first is the default.
    pub values: Vec<EnumValue>,
    /// Whether numbers without a value are unknown fields (closed enums).
    pub closed: bool,
    /// Numbers that no value may have.
    pub reserved: Vec<std::ops::RangeInclusive<i32>>,
    /// Names that no value may have.
    pub reserved_names: Vec<Box<str>>,
    /// The type whose JSON form is its own: `NullValue`.
    pub well_known: Option<WellKnown>,
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
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
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

/// A service.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Full name, without a dot before it.
    pub name: Box<str>,
    /// The file that it is in.
    pub file: FileId,
    /// Methods in order.
    pub methods: Vec<Method>,
    /// What its comment says.
    pub doc: Box<str>,
    /// Its name in the text, where places are known.
    pub at: Option<Span>,
}

/// A method of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name.
    pub name: Box<str>,
    /// What it takes.
    pub input: MessageId,
    /// What it gives.
    pub output: MessageId,
    /// Whether it takes a stream of messages.
    pub client_streaming: bool,
    /// Whether it gives a stream of messages.
    pub server_streaming: bool,
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

impl Enum {
    /// The value of that number: the first of several.
    pub fn by_number(&self, number: i32) -> Option<&EnumValue> {
        let found = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.values[self.numbers[found].1 as usize])
    }

    /// The value of that name.
    pub fn by_name(&self, name: &str) -> Option<&EnumValue> {
        self.values.iter().find(|value| &*value.name == name)
    }

    /// The last part of its name.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}

pub(crate) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Pool {
    /// Files, each after those that it imports.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Messages of all files, each before those in it.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Enums of all files.
    pub fn enums(&self) -> &[Enum] {
        &self.enums
    }

    /// Extensions of all files.
    pub fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// Services of all files.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// What a full name stands for; a dot before it is allowed.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name.strip_prefix('.').unwrap_or(name)).copied()
    }

    /// The message of a full name.
    pub fn message(&self, name: &str) -> Option<MessageId> {
        match self.symbol(name)? {
            Symbol::Message(id) => Some(id),
            _ => None,
        }
    }

    /// The message of a full name, or of the last part of one where no other has the same.
    pub fn find(&self, name: &str) -> Option<MessageId> {
        self.message(name).or_else(|| {
            let mut same = self.message_ids().filter(|id| self[*id].short_name() == name);
            same.next().filter(|_| same.next().is_none())
        })
    }

    /// The enum of a full name.
    pub fn enumeration(&self, name: &str) -> Option<EnumId> {
        match self.symbol(name)? {
            Symbol::Enum(id) => Some(id),
            _ => None,
        }
    }

    /// The field of a message that has a number on the wire, extensions included.
    pub fn field(&self, message: MessageId, number: u32) -> Option<&Field> {
        let message = &self[message];
        message.by_number(number).or_else(|| {
            let found = message.extensions.binary_search_by_key(&number, |id| self[*id].field.number).ok()?;
            Some(&self[message.extensions[found]].field)
        })
    }

    /// Key and value of a map field.
    pub fn map_entry(&self, field: &Field) -> Option<(&Field, &Field)> {
        let entry = &self[field.kind.message().filter(|_| field.cardinality == Cardinality::Map)?];
        Some((entry.by_number(1)?, entry.by_number(2)?))
    }

    /// The message that is meant where none is named: of those at top level, in files that no other imports, the last that no other message holds; if each is held, the last.
    pub fn root(&self) -> Option<MessageId> {
        let imported: HashSet<FileId> = self.files.iter().flat_map(|file| file.imports.iter().copied()).collect();
        // A message without fields is the scope of the enums in it, and held where these are.
        let scope = |id: EnumId| self[id].parent.filter(|parent| self[*parent].fields.is_empty());
        let held = |field: &Field| match field.kind {
            Kind::Enum(id) => scope(id),
            kind => kind.message(),
        };
        let held: HashSet<MessageId> =
            self.message_ids().flat_map(|id| self[id].fields.iter().filter_map(held).filter(move |held| *held != id)).collect();
        let candidates = || self.message_ids().filter(|id| self[*id].parent.is_none() && !imported.contains(&self[*id].file));
        candidates().filter(|id| !held.contains(id)).last().or_else(|| candidates().last())
    }

    /// All enums with their handles, in order.
    pub fn enum_ids(&self) -> impl Iterator<Item = EnumId> + use<> {
        (0..self.enums.len() as u32).map(EnumId)
    }

    /// All messages with their handles, in order.
    pub fn message_ids(&self) -> impl Iterator<Item = MessageId> + use<> {
        (0..self.messages.len() as u32).map(MessageId)
    }
}

macro_rules! indexed {
    ($($id:ty, $target:ty, $list:ident;)*) => {$(
        impl Index<$id> for Pool {
            type Output = $target;

            fn index(&self, id: $id) -> &$target {
                &self.$list[id.index()]
            }
        }
    )*};
}

indexed! {
    FileId, File, files;
    MessageId, Message, messages;
    EnumId, Enum, enums;
    ExtensionId, Extension, extensions;
}

/// As the file says it.
impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Edition::Proto2 => "proto2",
            Edition::Proto3 => "proto3",
            Edition::E2023 => "2023",
            Edition::E2024 => "2024",
        })
    }
}
