//! The rules that verdicts name. Sections are those of the language guide, "Updating A Message
//! Type" unless stated otherwise, and of its neighbours.

use polywire_core::schema::language::Rule;

use crate::model::Kind;

macro_rules! rules {
    ($($name:ident = $id:literal, $section:literal, $text:literal;)*) => {
        $(pub(super) const $name: Rule = Rule { id: $id, section: $section, text: $text };)*

        /// All rules, in the order of the documentation.
        pub const RULES: &[Rule] = &[$($name),*];
    };
}

rules! {
    NUMBERS = "field-number", "Updating A Message Type", "a field is known by its number alone; one whose name both sides know must keep its number";
    RESERVE = "reserve", "Deleting Fields", "the number and the name of what is deleted must be reserved, or they mean something else one day";
    RESERVED = "reserved-number", "Deleting Fields", "a number that was reserved is used again";
    WIRE_TYPE = "wire-type", "encoding: Message Structure", "a value of another wire type is an unknown field";
    WIDTH = "compatible-types", "Updating A Message Type", "int32, uint32, int64, uint64, bool and enums are read from each other, and so are sint32 and sint64: a number that does not fit the reader's type loses its upper bits, without an error";
    SIGN = "compatible-types", "Updating A Message Type", "a signed and an unsigned number have the same bits: where the sign differs, negative numbers become large ones, and large ones negative";
    TRUTH = "compatible-types", "Updating A Message Type", "bool and the whole numbers are read from each other: a bool is true for every number but 0";
    ZIGZAG = "compatible-types", "Updating A Message Type", "sint32 and sint64 are written zigzag (0, -1, 1, -2 are 0, 1, 2, 3 on the wire), other numbers are not: neither side notices, and nearly every number changes";
    TEXT = "compatible-types", "Updating A Message Type", "string and bytes are the same on the wire, and so is a message in bytes; but a string has to be UTF-8, and a message has to be well-formed";
    RANGE = "compatible-types", "Updating A Message Type", "types are read from each other only within a group: int32, uint32, int64, uint64, bool and enums; sint32 and sint64; fixed32 and sfixed32; fixed64 and sfixed64; string and bytes";
    SAME_TYPE = "message-type", "Updating A Message Type", "a message has to be read as one of the same shape";
    REQUIRED = "required", "proto2: Required Fields", "a message without a required field is refused";
    CARDINALITY = "cardinality", "Updating A Message Type", "of several values, a field that is not repeated takes the last; packed ones are no value of it";
    PRESENCE = "presence", "Field Presence", "whether a field was set can be told by one side only";
    ONEOF = "oneof", "Oneof: Backwards-compatibility issues", "of the fields of a oneof, only the last that was written is there";
    ENUM_NUMBERS = "enum-number", "Enum Definitions", "a value of an enum is known by its number alone";
    CLOSED = "closed-enum", "Enum Behavior", "a number that a closed enum does not have is an unknown field";
    DEFAULTS = "defaults", "Default Field Values", "a field that was not written is read as the reader's default";
    NAMES = "names", "ProtoJSON: Field names as JSON keys", "names are in JSON and in text: readers of these refuse what they don't know";
    TYPE_NAMES = "type-names", "Any", "names of types are in `Any`, and in the paths of services";
    ANY_TYPE = "removed-type", "Updating A Message Type", "a type that the other version does not declare is read by nobody there";
    SERVICES = "services", "Defining Services", "a method is called by its name, with the types and streams that it declares";
    UTF8 = "utf8", "Scalar Value Types", "text has to be UTF-8";
}

/// Returns the rule for a field whose type changed to another one of the same wire type.
pub(super) fn of_types(one: Kind, other: Kind) -> Rule {
    let zigzag = |kind| matches!(kind, Kind::SInt32 | Kind::SInt64);
    let unsigned = |kind| matches!(kind, Kind::UInt32 | Kind::UInt64);
    let varint = |kind| matches!(kind, Kind::Int32 | Kind::Int64 | Kind::UInt32 | Kind::UInt64 | Kind::Bool | Kind::Enum(_));
    let fixed = |kind| matches!(kind, Kind::Fixed32 | Kind::SFixed32 | Kind::Fixed64 | Kind::SFixed64);
    let sized = |kind| matches!(kind, Kind::String | Kind::Bytes | Kind::Message(_));
    let both = |test: &dyn Fn(Kind) -> bool| test(one) && test(other);
    match () {
        () if both(&zigzag) => WIDTH,
        () if zigzag(one) || zigzag(other) => ZIGZAG,
        () if both(&varint) && (one == Kind::Bool || other == Kind::Bool) => TRUTH,
        () if both(&varint) && unsigned(one) != unsigned(other) => SIGN,
        () if both(&varint) => WIDTH,
        () if both(&fixed) => SIGN,
        () if both(&sized) => TEXT,
        () => RANGE,
    }
}
