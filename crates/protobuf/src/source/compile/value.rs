//! Scalars of options, as their bytes.

use super::schema::{FieldRef, Schema};
use super::unit::Written;
use crate::descriptor::kind;

/// Bytes of a value, without a tag.
pub(super) struct Encoded {
    pub wire: u32,
    pub bytes: Vec<u8>,
    /// It is the default of its type.
    pub zero: bool,
}

pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn tag(number: u32, wire: u32, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | u64::from(wire), out);
}

/// Appends bytes behind their tag and length.
pub(super) fn delimited(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    tag(number, 2, out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends a message as the field has it: behind its length, or between tags.
pub(super) fn message(field: &FieldRef<'_>, bytes: &[u8], out: &mut Vec<u8>) {
    if field.delimited() {
        tag(field.number(), 3, out);
        out.extend_from_slice(bytes);
        tag(field.number(), 4, out);
    } else {
        delimited(field.number(), bytes, out);
    }
}

/// Appends an item of a message set: a group of the extension's number and its message
/// (descriptor.proto, `message_set_wire_format`).
pub(super) fn set_item(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    tag(1, 3, out);
    tag(2, 0, out);
    varint(u64::from(number), out);
    delimited(3, bytes, out);
    tag(1, 4, out);
}

fn of_varint(value: u64) -> Encoded {
    let mut bytes = Vec::new();
    varint(value, &mut bytes);
    Encoded { wire: 0, bytes, zero: value == 0 }
}

/// Returns the bytes of a scalar, or what the field expects instead. `loose` allows what the text
/// format has beyond options: numbers of enums, and other words for bool.
pub(super) fn encode(schema: &Schema<'_>, field: &FieldRef<'_>, written: &Written, loose: bool) -> Result<Encoded, String> {
    let signed = |least: i64, most: i64| -> Result<i64, String> {
        let value = match written {
            Written::Positive(value) => i64::try_from(*value).ok(),
            Written::Negative(value) => Some(*value),
            _ => None,
        };
        value.filter(|value| (least..=most).contains(value)).ok_or_else(|| format!("an integer from {least} to {most}"))
    };
    let unsigned = |most: u64| -> Result<u64, String> {
        match written {
            Written::Positive(value) if *value <= most => Ok(*value),
            _ => Err(format!("an integer from 0 to {most}")),
        }
    };
    let zigzag = |value: i64| (value << 1 ^ value >> 63) as u64;
    let fixed = |bytes: Vec<u8>| Encoded { wire: if bytes.len() == 4 { 5 } else { 1 }, zero: bytes.iter().all(|byte| *byte == 0), bytes };
    let (min32, max32) = (i32::MIN.into(), i32::MAX.into());
    Ok(match field.kind() {
        kind::INT32 => of_varint(signed(min32, max32)? as u64),
        kind::INT64 => of_varint(signed(i64::MIN, i64::MAX)? as u64),
        kind::SINT32 => of_varint(zigzag(signed(min32, max32)?)),
        kind::SINT64 => of_varint(zigzag(signed(i64::MIN, i64::MAX)?)),
        kind::UINT32 => of_varint(unsigned(u32::MAX.into())?),
        kind::UINT64 => of_varint(unsigned(u64::MAX)?),
        kind::FIXED32 => fixed((unsigned(u32::MAX.into())? as u32).to_le_bytes().to_vec()),
        kind::FIXED64 => fixed(unsigned(u64::MAX)?.to_le_bytes().to_vec()),
        kind::SFIXED32 => fixed((signed(min32, max32)? as i32).to_le_bytes().to_vec()),
        kind::SFIXED64 => fixed(signed(i64::MIN, i64::MAX)?.to_le_bytes().to_vec()),
        kind::FLOAT => match written {
            // Integers are rounded once.
            Written::Positive(value) => fixed((*value as f32).to_le_bytes().to_vec()),
            Written::Negative(value) => fixed((*value as f32).to_le_bytes().to_vec()),
            _ => fixed((float(written, loose)? as f32).to_le_bytes().to_vec()),
        },
        kind::DOUBLE => fixed(float(written, loose)?.to_le_bytes().to_vec()),
        kind::BOOL => match written {
            Written::Word(word) if word == "true" || (loose && (word == "True" || word == "t")) => of_varint(1),
            Written::Word(word) if word == "false" || (loose && (word == "False" || word == "f")) => of_varint(0),
            Written::Positive(value @ (0 | 1)) if loose => of_varint(*value),
            _ => return Err("`true` or `false`".into()),
        },
        kind::ENUM => {
            let number = match written {
                Written::Word(word) => schema.value(field.type_name(), word),
                Written::Positive(value) if loose => i32::try_from(*value).ok().filter(|number| schema.takes(field.type_name(), *number)),
                Written::Negative(value) if loose => i32::try_from(*value).ok().filter(|number| schema.takes(field.type_name(), *number)),
                _ => None,
            };
            let number = number.ok_or_else(|| format!("the name of a value of the enum `{}`", field.type_name()))?;
            of_varint(i64::from(number) as u64)
        }
        kind::STRING | kind::BYTES => match written {
            Written::Text(text) => {
                let mut bytes = Vec::with_capacity(text.len() + 2);
                varint(text.len() as u64, &mut bytes);
                bytes.extend_from_slice(text);
                Encoded { wire: 2, bytes, zero: text.is_empty() }
            }
            _ => return Err("a string in quotes".into()),
        },
        _ => return Err("a message in braces".into()),
    })
}

fn float(written: &Written, loose: bool) -> Result<f64, String> {
    let is = |word: &str, name: &str| word == name || (loose && word.eq_ignore_ascii_case(name));
    match written {
        Written::Positive(value) => Ok(*value as f64),
        Written::Negative(value) => Ok(*value as f64),
        Written::Float(value) => Ok(*value),
        Written::Word(word) if is(word, "inf") => Ok(f64::INFINITY),
        Written::Word(word) if is(word, "nan") => Ok(f64::NAN),
        _ => Err("a number".into()),
    }
}
