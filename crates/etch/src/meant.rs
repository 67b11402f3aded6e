//! Meaning of values on the wire by their declared types.

use polywire_core::{Error, ErrorKind, Result};

use crate::plan::{Plan, Shape, Ty};
use crate::wire::Head;

/// Largest number below which each integer is a binary64 and a binary32 number.
const WHOLE: [u64; 2] = [1 << 53, 1 << 24];

/// Returns whether an integer fits a declared integer of as many bits.
pub(crate) fn fits(value: i64, bits: u8) -> bool {
    match bits {
        8 => i8::try_from(value).is_ok(),
        16 => i16::try_from(value).is_ok(),
        32 => i32::try_from(value).is_ok(),
        _ => true,
    }
}

/// Returns an integer as a double, if it is one.
pub(crate) fn double(value: i64) -> Option<f64> {
    (value.unsigned_abs() <= WHOLE[0]).then_some(value as f64)
}

/// Returns an integer as a float, if it is one.
pub(crate) fn float(value: i64) -> Option<f32> {
    (value.unsigned_abs() <= WHOLE[1]).then_some(value as f32)
}

/// Returns a double as a float, if no bit is lost.
pub(crate) fn narrow(value: f64) -> Option<f32> {
    let float = value as f32;
    (f64::from(float).to_bits() == value.to_bits()).then_some(float)
}

/// Returns a value as its declared type has it: numbers of a float are floats.
///
/// # Errors
/// It is none of the type.
pub(crate) fn head<'m>(plan: &Plan, ty: Ty, head: Head<'m>, at: u64) -> Result<Head<'m>> {
    if matches!(head, Head::Null | Head::None) || ty.is_any() {
        return Ok(head);
    }
    if ty.thrown && matches!(head, Head::Struct(..)) {
        return Ok(head);
    }
    let is_array = ty.dimensions > 0;
    Ok(match (ty.shape, head) {
        (_, Head::Array(..)) if is_array => head,
        (_, Head::Bytes(_)) if ty.is_bytes() => head,
        _ if is_array => return Err(wrong(plan, ty, &head, at)),
        (Shape::Int(bits), Head::Int(value, _)) if fits(value, bits) => head,
        (Shape::Int(_), Head::Int(value, _)) => {
            return Err(Error::data(ErrorKind::Range, at).seen(format!("the integer {value}")).expected(plan.shown(ty)));
        }
        (Shape::Bool, Head::Bool(_)) | (Shape::Text, Head::Text(_)) | (Shape::Float, Head::F32(_)) | (Shape::Double, Head::F64(_)) => head,
        (Shape::Double, Head::F32(value)) => Head::F64(f64::from(value)),
        (Shape::Float, Head::F64(value)) => narrow(value).map_or(head, Head::F32),
        (Shape::Double, Head::Int(value, _)) => double(value).map(Head::F64).ok_or_else(|| wrong(plan, ty, &head, at))?,
        (Shape::Float, Head::Int(value, _)) => float(value).map(Head::F32).ok_or_else(|| wrong(plan, ty, &head, at))?,
        (Shape::Enum(_) | Shape::Struct(_) | Shape::List | Shape::Set | Shape::Map | Shape::Time, Head::Struct(..)) => head,
        _ => return Err(wrong(plan, ty, &head, at)),
    })
}

#[cold]
fn wrong(plan: &Plan, ty: Ty, head: &Head<'_>, at: u64) -> Error {
    let seen = match head {
        Head::Null => "null",
        Head::None => "an end",
        Head::Bool(_) => "a truth value",
        Head::Int(..) => "an integer",
        Head::F32(_) => "a float",
        Head::F64(_) => "a double",
        Head::Bytes(_) => "bytes",
        Head::Text(_) => "a string",
        Head::Array(..) => "an array",
        Head::Struct(..) => "a structure",
    };
    Error::data(ErrorKind::Mismatch, at)
        .seen(seen)
        .expected(plan.shown(ty))
        .hint("the message is of another version of the schema, or of another schema")
}
