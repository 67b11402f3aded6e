//! Numbers of a type that is known only at run time, as in dictionary sections.

use polywire_core::value::Value;

use super::codes::Simple;
use super::read::{FALSE, TRUE, Wire, array, boolean, uvarint, varint};
use crate::error::Problem;

/// Reads the value at `at`. Returns it with its end.
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
/// The value is of another kind, or out of range.
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

/// Appends a number of an integer type.
///
/// # Errors
/// The number is out of range, or the type is not an integer type.
#[inline]
pub(crate) fn put_whole(out: &mut Vec<u8>, simple: Simple, number: i128) -> Wire<()> {
    let (bytes, len) = whole(simple, number)?;
    out.extend_from_slice(&bytes[..len]);
    Ok(())
}

/// Returns the bytes of a number of an integer type, and how many there are.
///
/// # Errors
/// As [`put_whole`].
#[inline]
pub(crate) fn whole(simple: Simple, number: i128) -> Wire<([u8; 10], usize)> {
    let (low, high) = simple.range().ok_or(Problem::Conversion)?;
    if !(low..=high).contains(&number) {
        return Err(Problem::Range);
    }
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    let mut varying = match simple {
        Simple::Byte | Simple::Ubyte => return Ok((bytes, 1)),
        Simple::Short | Simple::Ushort => return Ok((bytes, 2)),
        Simple::Int | Simple::Uint => return Ok((bytes, 4)),
        Simple::Long | Simple::Ulong => return Ok((bytes, 8)),
        Simple::Varint => number.unsigned_abs() << 1 | u128::from(number < 0),
        _ => number.unsigned_abs(),
    };
    let mut len = 0;
    while varying >= 0x80 {
        bytes[len] = varying as u8 | 0x80;
        varying >>= 7;
        len += 1;
    }
    bytes[len] = varying as u8;
    Ok((bytes, len + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written values are read back, and all bytes are used.
    #[test]
    fn whole_numbers_come_back() {
        let types = [Simple::Byte, Simple::Ubyte, Simple::Short, Simple::Ushort, Simple::Int, Simple::Uint, Simple::Long, Simple::Ulong];
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let wide = i128::from(random.i64(..)) << random.u32(..2) >> random.u32(..64);
            for simple in types.into_iter().chain([Simple::Varint, Simple::Uvarint]) {
                let (low, high) = simple.range().expect("integers have one");
                let mut out = Vec::new();
                let put = put_whole(&mut out, simple, wide);
                assert_eq!(put.is_ok(), (low..=high).contains(&wide), "{simple:?} {wide}");
                if put.is_ok() {
                    let came = match number(simple, &out, 0) {
                        Ok((Value::Int(value), end)) if end == out.len() => i128::from(value),
                        Ok((Value::UInt(value), end)) if end == out.len() => i128::from(value),
                        other => panic!("{simple:?} {wide} {out:02x?}: {other:?}"),
                    };
                    assert_eq!(came, wide);
                }
            }
        }
    }
}
