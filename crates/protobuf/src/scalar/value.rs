//! A scalar value.

/// A scalar, by the type of its field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'m> {
    Bool(bool),
    I32(i32),
    I64(i64),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    Text(&'m str),
    /// A string that is not UTF-8, where the schema allows it.
    Octets(&'m [u8]),
    Bytes(&'m [u8]),
    Enum(i32),
}

/// Returns whether a value is the default of its type, which a field of implicit presence does not
/// write. Negative zero is not.
pub(crate) fn is_default(value: Value<'_>) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::I32(value) | Value::Enum(value) => value == 0,
        Value::I64(value) => value == 0,
        Value::U32(value) => value == 0,
        Value::U64(value) => value == 0,
        Value::F32(value) => value.to_bits() == 0,
        Value::F64(value) => value.to_bits() == 0,
        Value::Text(text) => text.is_empty(),
        Value::Octets(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
    }
}
