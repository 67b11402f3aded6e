//! Types of `google/protobuf` that have a JSON form of their own.

/// A type with a JSON form of its own (ProtoJSON format, the table of types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of google/protobuf")]
pub enum WellKnown {
    Any,
    Timestamp,
    Duration,
    FieldMask,
    Struct,
    Value,
    ListValue,
    NullValue,
    Empty,
    DoubleValue,
    FloatValue,
    Int64Value,
    UInt64Value,
    Int32Value,
    UInt32Value,
    BoolValue,
    StringValue,
    BytesValue,
}

impl WellKnown {
    /// Returns the type of a full name.
    pub fn of(name: &str) -> Option<WellKnown> {
        Some(match name.strip_prefix("google.protobuf.")? {
            "Any" => WellKnown::Any,
            "Timestamp" => WellKnown::Timestamp,
            "Duration" => WellKnown::Duration,
            "FieldMask" => WellKnown::FieldMask,
            "Struct" => WellKnown::Struct,
            "Value" => WellKnown::Value,
            "ListValue" => WellKnown::ListValue,
            "NullValue" => WellKnown::NullValue,
            "Empty" => WellKnown::Empty,
            "DoubleValue" => WellKnown::DoubleValue,
            "FloatValue" => WellKnown::FloatValue,
            "Int64Value" => WellKnown::Int64Value,
            "UInt64Value" => WellKnown::UInt64Value,
            "Int32Value" => WellKnown::Int32Value,
            "UInt32Value" => WellKnown::UInt32Value,
            "BoolValue" => WellKnown::BoolValue,
            "StringValue" => WellKnown::StringValue,
            "BytesValue" => WellKnown::BytesValue,
            _ => return None,
        })
    }

    /// Returns whether it is a message around one scalar.
    pub const fn is_wrapper(self) -> bool {
        use WellKnown::{BoolValue, BytesValue, DoubleValue, FloatValue, Int32Value, Int64Value, StringValue, UInt32Value, UInt64Value};
        matches!(
            self,
            DoubleValue | FloatValue | Int64Value | UInt64Value | Int32Value | UInt32Value | BoolValue | StringValue | BytesValue
        )
    }
}
