//! The bytes of binary tagged data (`docs/spec/etch.md 3`).

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

pub(crate) const NULL: u8 = 0x80;
pub(crate) const NONE: u8 = 0x81;
pub(crate) const FALSE: u8 = 0x82;
pub(crate) const TRUE: u8 = 0x83;
pub(crate) const BYTE: u8 = 0x84;
pub(crate) const SHORT: u8 = 0x85;
pub(crate) const INT: u8 = 0x86;
pub(crate) const LONG: u8 = 0x87;
pub(crate) const FLOAT: u8 = 0x88;
pub(crate) const DOUBLE: u8 = 0x89;
pub(crate) const BYTES: u8 = 0x8b;
pub(crate) const ARRAY: u8 = 0x91;
pub(crate) const EMPTY_STRING: u8 = 0x92;
pub(crate) const STRING: u8 = 0x93;
pub(crate) const STRUCT: u8 = 0x94;
pub(crate) const CUSTOM: u8 = 0x95;
pub(crate) const ANY: u8 = 0x96;
/// The least tiny integer (`docs/spec/etch.md 3.1`).
const LEAST_TINY: u8 = 0xc0;

/// The first byte of a message (`docs/spec/etch.md 4`).
pub(crate) const VERSION: u8 = 3;
/// The first bytes of a packet (`docs/spec/etch.md 6`).
pub(crate) const SIGNATURE: [u8; 4] = [0xde, 0xad, 0xbe, 0xef];
/// Length of what stands before the message in a packet.
pub(crate) const HEADER: usize = 8;
/// Most dimensions of an array (`docs/spec/etch.md 3.6`).
pub(crate) const DIMENSIONS: u8 = 9;

/// The name of a type or field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name<'m> {
    Hash(i32),
    Text(&'m [u8]),
}

/// A value, up to the entries of a container.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Head<'m> {
    Null,
    /// The end of a structure or an array.
    None,
    Bool(bool),
    /// An integer, and the bits of its form.
    Int(i64, u8),
    F32(f32),
    F64(f64),
    Bytes(&'m [u8]),
    Text(&'m [u8]),
    /// Elements of a type, with the name of a structure's; dimensions and count.
    Array(u8, Option<Name<'m>>, u8, u32),
    /// The name of a type, and the number of fields.
    Struct(Name<'m>, u32),
}

#[cold]
pub(crate) fn wrong(at: u64, seen: impl Into<String>) -> Error {
    Error::data(ErrorKind::Syntax, at).seen(seen.into())
}

/// Reads a value, up to the entries of a container.
pub(crate) fn head<'m>(input: &mut Input<'m>) -> Result<Head<'m>> {
    let at = input.offset();
    Ok(match input.u8("a value")? {
        code @ (..NULL | LEAST_TINY..) => Head::Int(i64::from(code as i8), 0),
        NULL => Head::Null,
        NONE => Head::None,
        FALSE => Head::Bool(false),
        TRUE => Head::Bool(true),
        BYTE => Head::Int(i64::from(input.u8("an integer")? as i8), 8),
        SHORT => Head::Int(i64::from(input.u16_be("an integer")? as i16), 16),
        INT => Head::Int(i64::from(input.u32_be("an integer")? as i32), 32),
        LONG => Head::Int(input.u64_be("an integer")? as i64, 64),
        FLOAT => Head::F32(input.f32_be("a number")?),
        DOUBLE => Head::F64(input.f64_be("a number")?),
        BYTES => Head::Bytes(take(input, "bytes")?),
        EMPTY_STRING => Head::Text(b""),
        STRING => Head::Text(take(input, "a string")?),
        ARRAY => {
            let element = input.u8("the type of elements")?;
            let name = match element {
                STRUCT | CUSTOM => Some(name(input)?),
                TRUE..=DOUBLE | STRING | ANY => None,
                other => {
                    return Err(
                        wrong(input.offset() - 1, format!("elements of the type 0x{other:02x}")).expected("83 to 89, 93, 94, 95 or 96")
                    );
                }
            };
            let place = input.offset();
            let dimensions = match integer(input, "the number of dimensions")? {
                number @ 1..=9 => number as u8,
                other => return Err(wrong(place, format!("an array of {other} dimensions")).expected(format!("1 to {DIMENSIONS}"))),
            };
            Head::Array(element, name, dimensions, count(input)?)
        }
        STRUCT | CUSTOM => Head::Struct(name(input)?, count(input)?),
        other => {
            return Err(wrong(at, format!("the type code 0x{other:02x}")).expected("00 to 89, 8b, 91 to 95, or c0 to ff"));
        }
    })
}

/// Reads an integer that is no value of its own.
fn integer(input: &mut Input<'_>, what: &'static str) -> Result<i64> {
    let at = input.offset();
    match input.peek() {
        Some(..NULL | BYTE..=LONG | LEAST_TINY..) => match head(input)? {
            Head::Int(value, _) => Ok(value),
            _ => Err(wrong(at, "a value that is no integer").expected(what)),
        },
        None => input.u8(what).map(i64::from),
        Some(code) => Err(wrong(at, format!("the type code 0x{code:02x}")).expected(format!("{what}, an integer"))),
    }
}

/// Reads a length or a count (`docs/spec/etch.md 3.3`).
pub(crate) fn count(input: &mut Input<'_>) -> Result<u32> {
    let at = input.offset();
    let value = integer(input, "a length or a count")?;
    i32::try_from(value)
        .ok()
        .and_then(|value| u32::try_from(value).ok())
        .ok_or_else(|| Error::data(ErrorKind::Range, at).seen(format!("a length or a count of {value}")).expected("0 to 2147483647"))
}

fn take<'m>(input: &mut Input<'m>, what: &'static str) -> Result<&'m [u8]> {
    let len = count(input)?;
    input.take(u64::from(len), what)
}

/// Reads a name (`docs/spec/etch.md 2.2`).
pub(crate) fn name<'m>(input: &mut Input<'m>) -> Result<Name<'m>> {
    let at = input.offset();
    match input.peek() {
        Some(EMPTY_STRING | STRING) => match head(input)? {
            Head::Text(text) => Ok(Name::Text(text)),
            _ => Err(wrong(at, "a value that is no string").expected("a name")),
        },
        _ => {
            let hash = integer(input, "a name: a hash or a string")?;
            let range = |_| Error::data(ErrorKind::Range, at).seen(format!("the hash {hash}")).expected("an integer of 32 bits");
            i32::try_from(hash).map(Name::Hash).map_err(range)
        }
    }
}

/// Reads the head of a message (`docs/spec/etch.md 4`).
pub(crate) fn message<'m>(input: &mut Input<'m>) -> Result<(Name<'m>, u32)> {
    match input.u8("the version of a message")? {
        VERSION => Ok((name(input)?, count(input)?)),
        other => Err(wrong(input.offset() - 1, format!("the version {other}")).expected("03")),
    }
}

/// Appends an integer in its shortest form.
pub(crate) fn put_int(out: &mut Vec<u8>, value: i64) {
    if let -64..=127 = value {
        out.push(value as u8);
    } else if let Ok(value) = i8::try_from(value) {
        out.extend([BYTE, value as u8]);
    } else if let Ok(value) = i16::try_from(value) {
        out.push(SHORT);
        out.extend(value.to_be_bytes());
    } else if let Ok(value) = i32::try_from(value) {
        out.push(INT);
        out.extend(value.to_be_bytes());
    } else {
        out.push(LONG);
        out.extend(value.to_be_bytes());
    }
}
