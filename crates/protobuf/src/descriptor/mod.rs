//! Descriptors: schemas as messages, in the types of `descriptor.proto`.
//!
//! Enumerated fields keep their number, so that a value of a later version is not lost; [`kind`],
//! [`label`] and [`edition`] name the known ones. Other options, including custom ones, are kept as
//! bytes and written at their place in the order of numbers.

pub(crate) mod slot;

use polywire_core::{Budget, Error, Fault, Limits, Result};

pub use slot::{Message, Other, Packed, Wire};
use slot::{Slot, message};

message! {
    /// Files that were compiled together, each after those that it imports.
    FileDescriptorSet {
        /// The files.
        1 file: Vec<FileDescriptor>,
    }
}

message! {
    /// A `.proto` file.
    FileDescriptor {
        /// Path, as imports name it.
        1 name: Option<String>,
        /// Package.
        2 package: Option<String>,
        /// Paths of the imports.
        3 dependency: Vec<String>,
        /// Messages at top level.
        4 message_type: Vec<Descriptor>,
        /// Enums at top level.
        5 enum_type: Vec<EnumDescriptor>,
        /// Services.
        6 service: Vec<ServiceDescriptor>,
        /// Extensions at top level.
        7 extension: Vec<FieldDescriptor>,
        /// Options.
        8 options: Option<Box<FileOptions>>,
        /// Places and comments.
        9 source_code_info: Option<Box<SourceCodeInfo>>,
        /// Indices of the public imports.
        10 public_dependency: Vec<i32>,
        /// Indices of the weak imports.
        11 weak_dependency: Vec<i32>,
        /// `proto2` (or nothing), `proto3` or `editions`.
        12 syntax: Option<String>,
        /// Number of the edition.
        14 edition: Option<i32>,
        /// Paths of imports for options only.
        15 option_dependency: Vec<String>,
    }
}

message! {
    /// A message type.
    Descriptor {
        /// Name.
        1 name: Option<String>,
        /// Fields in the order of the text.
        2 field: Vec<FieldDescriptor>,
        /// Messages in it.
        3 nested_type: Vec<Descriptor>,
        /// Enums in it.
        4 enum_type: Vec<EnumDescriptor>,
        /// Numbers for extensions.
        5 extension_range: Vec<ExtensionRange>,
        /// Extensions that are declared in it, of any message.
        6 extension: Vec<FieldDescriptor>,
        /// Options.
        7 options: Option<Box<MessageOptions>>,
        /// Oneofs.
        8 oneof_decl: Vec<OneofDescriptor>,
        /// Numbers that no field may have.
        9 reserved_range: Vec<ReservedRange>,
        /// Names that no field may have.
        10 reserved_name: Vec<String>,
        /// `export` or `local`.
        11 visibility: Option<i32>,
    }
}

message! {
    /// Numbers for extensions.
    ExtensionRange {
        /// The first.
        1 start: Option<i32>,
        /// One behind the last.
        2 end: Option<i32>,
        /// Options.
        3 options: Option<Box<ExtensionRangeOptions>>,
    }
}

message! {
    /// Reserved numbers. `end` is exclusive in a message, inclusive in an enum.
    ReservedRange {
        /// The first.
        1 start: Option<i32>,
        /// The end.
        2 end: Option<i32>,
    }
}

message! {
    /// A field or an extension.
    FieldDescriptor {
        /// Name.
        1 name: Option<String>,
        /// The message that an extension extends.
        2 extendee: Option<String>,
        /// Number.
        3 number: Option<i32>,
        /// One of [`label`].
        4 label: Option<i32>,
        /// One of [`kind`].
        5 kind: Option<i32>,
        /// Name of its message or enum; full if it starts with a dot.
        6 type_name: Option<String>,
        /// Default as text, `bytes` with C escapes.
        7 default_value: Option<String>,
        /// Options.
        8 options: Option<Box<FieldOptions>>,
        /// Index of its oneof.
        9 oneof_index: Option<i32>,
        /// Name in JSON.
        10 json_name: Option<String>,
        /// Marks a proto3 field with the word `optional`.
        17 proto3_optional: Option<bool>,
    }
}

message! {
    /// A oneof.
    OneofDescriptor {
        /// Name.
        1 name: Option<String>,
        /// Options.
        2 options: Option<Box<OneofOptions>>,
    }
}

message! {
    /// An enum.
    EnumDescriptor {
        /// Name.
        1 name: Option<String>,
        /// Values in the order of the text.
        2 value: Vec<EnumValueDescriptor>,
        /// Options.
        3 options: Option<Box<EnumOptions>>,
        /// Numbers that no value may have.
        4 reserved_range: Vec<ReservedRange>,
        /// Names that no value may have.
        5 reserved_name: Vec<String>,
        /// `export` or `local`.
        6 visibility: Option<i32>,
    }
}

message! {
    /// A value of an enum.
    EnumValueDescriptor {
        /// Name.
        1 name: Option<String>,
        /// Number.
        2 number: Option<i32>,
        /// Options.
        3 options: Option<Box<EnumValueOptions>>,
    }
}

message! {
    /// A service.
    ServiceDescriptor {
        /// Name.
        1 name: Option<String>,
        /// Methods.
        2 method: Vec<MethodDescriptor>,
        /// Options.
        3 options: Option<Box<ServiceOptions>>,
    }
}

message! {
    /// A method of a service.
    MethodDescriptor {
        /// Name.
        1 name: Option<String>,
        /// Name of the message type of requests.
        2 input_type: Option<String>,
        /// Name of the message type of responses.
        3 output_type: Option<String>,
        /// Options.
        4 options: Option<Box<MethodOptions>>,
        /// The client sends a stream of messages.
        5 client_streaming: Option<bool>,
        /// The server sends a stream of messages.
        6 server_streaming: Option<bool>,
    }
}

message! {
    /// Options of a file.
    FileOptions {
        /// Deprecates everything in the file.
        23 deprecated: Option<bool>,
        /// Features for what is in the file.
        50 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a message.
    MessageOptions {
        /// Marks the old MessageSet layout.
        1 message_set_wire_format: Option<bool>,
        /// Marks it deprecated.
        3 deprecated: Option<bool>,
        /// Marks the entry of a map field.
        7 map_entry: Option<bool>,
        /// Features for what is in it.
        12 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a field.
    FieldOptions {
        /// Packing of a repeated field, if the text sets it.
        2 packed: Option<bool>,
        /// Marks it deprecated.
        3 deprecated: Option<bool>,
        /// Its features.
        21 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a oneof.
    OneofOptions {
        /// Features for its fields.
        1 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of an enum.
    EnumOptions {
        /// Allows several names for one number.
        2 allow_alias: Option<bool>,
        /// Marks it deprecated.
        3 deprecated: Option<bool>,
        /// Its features.
        7 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a value of an enum.
    EnumValueOptions {
        /// Marks it deprecated.
        1 deprecated: Option<bool>,
        /// Its features.
        2 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a service.
    ServiceOptions {
        /// Marks it deprecated.
        33 deprecated: Option<bool>,
        /// Its features.
        34 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of a method.
    MethodOptions {
        /// Marks it deprecated.
        33 deprecated: Option<bool>,
        /// Its features.
        35 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Options of an extension range.
    ExtensionRangeOptions {
        /// Features for the extensions.
        50 features: Option<Box<FeatureSet>>,
    }
}

message! {
    /// Features as one place sets them. Numbers are those of the enums in `descriptor.proto`.
    FeatureSet {
        /// 1 explicit, 2 implicit, 3 required.
        1 field_presence: Option<i32>,
        /// 1 open, 2 closed.
        2 enum_type: Option<i32>,
        /// 1 packed, 2 expanded.
        3 repeated_field_encoding: Option<i32>,
        /// 2 verified, 3 not.
        4 utf8_validation: Option<i32>,
        /// 1 with a length before it, 2 between tags like groups.
        5 message_encoding: Option<i32>,
        /// 1 checked for JSON, 2 best effort.
        6 json_format: Option<i32>,
        /// 1 the style of 2024, 2 any style.
        7 enforce_naming_style: Option<i32>,
        /// Meaning of declarations with neither `export` nor `local`.
        8 default_symbol_visibility: Option<i32>,
    }
}

message! {
    /// Places in the text, and the comments beside them.
    SourceCodeInfo {
        /// Places, in the order of their ends.
        1 location: Vec<Location>,
    }
}

message! {
    /// A place in the text.
    Location {
        /// Path of the declaration: numbers of fields and indices from the file's descriptor down.
        1 path: Packed,
        /// First line, first column, last line (absent if it is the first) and exclusive last
        /// column, from 0.
        2 span: Packed,
        /// The comment before it.
        3 leading_comments: Option<String>,
        /// The comment behind it.
        4 trailing_comments: Option<String>,
        /// Comments before it, separated by an empty line.
        6 leading_detached_comments: Vec<String>,
    }
}

/// Numbers of field types (`FieldDescriptorProto.Type`).
#[allow(missing_docs, reason = "the names are those of the language")]
pub mod kind {
    pub const DOUBLE: i32 = 1;
    pub const FLOAT: i32 = 2;
    pub const INT64: i32 = 3;
    pub const UINT64: i32 = 4;
    pub const INT32: i32 = 5;
    pub const FIXED64: i32 = 6;
    pub const FIXED32: i32 = 7;
    pub const BOOL: i32 = 8;
    pub const STRING: i32 = 9;
    pub const GROUP: i32 = 10;
    pub const MESSAGE: i32 = 11;
    pub const BYTES: i32 = 12;
    pub const UINT32: i32 = 13;
    pub const ENUM: i32 = 14;
    pub const SFIXED32: i32 = 15;
    pub const SFIXED64: i32 = 16;
    pub const SINT32: i32 = 17;
    pub const SINT64: i32 = 18;
}

/// Numbers of labels (`FieldDescriptorProto.Label`).
#[allow(missing_docs, reason = "the names are those of the language")]
pub mod label {
    pub const OPTIONAL: i32 = 1;
    pub const REQUIRED: i32 = 2;
    pub const REPEATED: i32 = 3;
}

/// Numbers of editions (`Edition`).
#[allow(missing_docs, reason = "the names are those of the language")]
pub mod edition {
    pub const PROTO2: i32 = 998;
    pub const PROTO3: i32 = 999;
    pub const E2023: i32 = 1000;
    pub const E2024: i32 = 1001;
}

impl FileDescriptorSet {
    /// Reads a set from its bytes.
    ///
    /// # Errors
    /// The bytes are no descriptor set, or exceed a limit. The fault is the schema's, since the
    /// bytes are a schema.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<FileDescriptorSet> {
        let mut set = FileDescriptorSet::default();
        slot::read(&mut set, bytes, 0, &mut Budget::new(limits)).map_err(|error| {
            let schemas = Error::new(error.kind(), Fault::Schema)
                .seen(format!("a descriptor set: {}", error.what()))
                .hint(error.advice().to_string());
            match error.offset() {
                Some(offset) => schemas.at(offset),
                None => schemas,
            }
        })?;
        Ok(set)
    }

    /// Appends the bytes of the set, with fields in the order of their numbers, as `protoc` writes
    /// them.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.put(out);
    }
}
