//! One value of a type that is known only at run time, as it stands in a dictionary section.

use polywire_core::value::Value;

use super::codes::Simple;
use super::{FALSE, TRUE, Wire, array, boolean, put_uvarint, put_varint, uvarint, varint};
use crate::failure::Problem;

/// The value at `at`, and where it ends.
pub fn number(simple: Simple, bytes: &[u8], at: usize) -> Wire<(Value, usize)> {
    Ok(match simple {
        Simple::Boolean => boolean(bytes, at).map(|(value, end)| (Value::Bool(value), end))?,
        Simple::Byte => array(bytes, at).map(|(chunk, end)| (Value::int(i64::from(i8::from_le_bytes(chunk))), end))?,
        Simple::Ubyte => array(bytes, at).map(|([byte], end)| (Value::UInt(u64::from(byte)), end))?,
        Simple::Short => array(bytes, at).map(|(chunk, end)| (Value::int(i64::from(i16::from_le_bytes(chunk))), end))?,
        Simple::Ushort => array(bytes, at).map(|(chunk, end)| (Value::UInt(u64::from(u16::from_le_bytes(chunk))), end))?,
        Simple::Int => array(bytes, at).map(|(chunk, end)| (Value::int(i64::from(i32::from_le_bytes(chunk))), end))?,
        Simple::Uint => array(bytes, at).map(|(chunk, end)| (Value::UInt(u64::from(u32::from_le_bytes(chunk))), end))?,
        Simple::Long => array(bytes, at).map(|(chunk, end)| (Value::int(i64::from_le_bytes(chunk)), end))?,
        Simple::Ulong => array(bytes, at).map(|(chunk, end)| (Value::UInt(u64::from_le_bytes(chunk)), end))?,
        Simple::Float => array(bytes, at).map(|(chunk, end)| (Value::F32(f32::from_le_bytes(chunk)), end))?,
        Simple::Double => array(bytes, at).map(|(chunk, end)| (Value::F64(f64::from_le_bytes(chunk)), end))?,
        Simple::Varint => varint(bytes, at).map(|(value, end)| (Value::int(value), end))?,
        Simple::Uvarint => uvarint(bytes, at).map(|(value, end)| (Value::UInt(value), end))?,
    })
}

/// Appends a value of that type.
///
/// # Errors
/// It is of another kind, or out of range.
pub fn put_number(out: &mut Vec<u8>, simple: Simple, value: &Value) -> Wire<()> {
    match (simple, value) {
        (Simple::Boolean, Value::Bool(value)) => out.push(if *value { TRUE } else { FALSE }),
        (Simple::Float, Value::F32(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (Simple::Double, Value::F64(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (_, Value::Int(_) | Value::UInt(_)) => {
            let number = match value {
                Value::Int(value) => i128::from(*value),
                Value::UInt(value) => i128::from(*value),
                _ => return Err(Problem::Conversion),
            };
            put_whole(out, simple, number)?;
        }
        _ => return Err(Problem::Conversion),
    }
    Ok(())
}

/// Appends a whole number in a type of integers.
///
/// # Errors
/// It does not fit, or the type is none of integers.
#[inline]
pub(crate) fn put_whole(out: &mut Vec<u8>, simple: Simple, number: i128) -> Wire<()> {
    let (low, high) = simple.range().ok_or(Problem::Conversion)?;
    if !(low..=high).contains(&number) {
        return Err(Problem::Range);
    }
    match simple {
        Simple::Byte | Simple::Ubyte => out.push(number as u8),
        Simple::Short | Simple::Ushort => out.extend_from_slice(&(number as u16).to_le_bytes()),
        Simple::Int | Simple::Uint => out.extend_from_slice(&(number as u32).to_le_bytes()),
        Simple::Long | Simple::Ulong => out.extend_from_slice(&(number as u64).to_le_bytes()),
        Simple::Varint => put_varint(out, number as i64),
        _ => put_uvarint(out, number as u64),
    }
    Ok(())
}
