//! Small messages made up to try a reader.

use polywire_core::bytes::{put_varint, zigzag};

use crate::model::{Cardinality, Enum, Field, Kind, MessageId, Pool, Presence};

/// Deepest nesting of messages in a sample.
const DEEPEST: u32 = 8;

/// Largest number of fields that a sample tries one by one.
const MOST_FIELDS: usize = 64;

fn tag(number: u32, kind: u32, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | u64::from(kind), out);
}

fn sized(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Returns values of a scalar on the wire, without tags: common ones first, then the edges.
fn scalars(pool: &Pool, field: &Field, also: Option<&Enum>) -> Vec<Vec<u8>> {
    let varints = |values: &[u64]| {
        values
            .iter()
            .map(|value| {
                let mut bytes = Vec::new();
                put_varint(*value, &mut bytes);
                bytes
            })
            .collect()
    };
    let signed = |values: &[i64]| varints(&values.iter().map(|value| *value as u64).collect::<Vec<_>>());
    let zigzags = |values: &[i64]| varints(&values.iter().map(|value| zigzag(*value)).collect::<Vec<_>>());
    let text = |values: &[&[u8]]| {
        values
            .iter()
            .map(|bytes| {
                let mut out = Vec::new();
                sized(bytes, &mut out);
                out
            })
            .collect()
    };
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    match field.kind {
        Kind::Int32 => signed(&[1, -1, high, low]),
        Kind::Int64 => signed(&[1, -1, 1 << 40, i64::MIN]),
        Kind::UInt32 => varints(&[1, u32::MAX.into()]),
        Kind::UInt64 => varints(&[1, 1 << 40, u64::MAX]),
        Kind::SInt32 => zigzags(&[1, -1, high, low]),
        Kind::SInt64 => zigzags(&[1, -1, 1 << 40, i64::MIN]),
        Kind::Bool => varints(&[1]),
        Kind::Enum(id) => {
            let known = pool[id].values.iter().map(|value| value.number);
            let others = also.into_iter().flat_map(|other| other.values.iter().map(|value| value.number)).filter(|_| !pool[id].closed);
            // A field without presence does not write zero.
            let zeros = field.presence != Presence::Implicit || field.cardinality != Cardinality::Singular;
            signed(&known.chain(others).filter(|number| zeros || *number != 0).map(i64::from).collect::<Vec<_>>())
        }
        Kind::Fixed32 | Kind::SFixed32 => [1, u32::MAX].map(|value: u32| value.to_le_bytes().to_vec()).to_vec(),
        Kind::Fixed64 | Kind::SFixed64 => [1, u64::MAX].map(|value: u64| value.to_le_bytes().to_vec()).to_vec(),
        Kind::Float => vec![0.5f32.to_le_bytes().to_vec()],
        Kind::Double => vec![0.5f64.to_le_bytes().to_vec()],
        Kind::String if field.utf8 => text(&[b"x", "é".as_bytes()]),
        Kind::String | Kind::Bytes => text(&[b"x", b"\xff"]),
        Kind::Message(_) | Kind::Group(_) => Vec::new(),
    }
}

/// Returns fields with samples of their values on the wire: one value at a time, and two where
/// several are allowed. `other` is the reader's field in its place.
pub(super) fn fields(pool: &Pool, field: &Field, other: Option<&Enum>, depth: u32) -> Vec<Vec<u8>> {
    if let Some((key, value)) = pool.map_entry(field) {
        let key = fields(pool, key, None, depth + 1).into_iter().next().unwrap_or_default();
        let values = fields(pool, value, other, depth + 1);
        return values
            .into_iter()
            .map(|value| {
                let mut out = Vec::new();
                tag(field.number, 2, &mut out);
                sized(&[&key[..], &value].concat(), &mut out);
                out
            })
            .collect();
    }
    let values: Vec<Vec<u8>> = match field.kind {
        Kind::Message(id) => messages(pool, id, depth)
            .into_iter()
            .map(|message| {
                let mut out = Vec::new();
                sized(&message, &mut out);
                out
            })
            .collect(),
        Kind::Group(id) => messages(pool, id, depth)
            .into_iter()
            .map(|mut message| {
                tag(field.number, 4, &mut message);
                message
            })
            .collect(),
        _ => scalars(pool, field, other),
    };
    let one = |values: &[&Vec<u8>]| {
        let mut out = Vec::new();
        if field.packed {
            tag(field.number, 2, &mut out);
            sized(&values.iter().flat_map(|value| value.iter().copied()).collect::<Vec<u8>>(), &mut out);
        } else {
            for value in values {
                tag(field.number, field.kind.wire_type(), &mut out);
                out.extend_from_slice(value);
            }
        }
        out
    };
    let mut samples: Vec<Vec<u8>> = values.iter().map(|value| one(&[value])).collect();
    if field.cardinality == Cardinality::Repeated
        && let Some(first) = values.first()
    {
        samples.push(one(&[first, values.get(1).unwrap_or(first)]));
    }
    samples
}

/// Returns messages of a type: the smallest, and those with one field more.
fn messages(pool: &Pool, id: MessageId, depth: u32) -> Vec<Vec<u8>> {
    if depth >= DEEPEST {
        return Vec::new();
    }
    let Some(smallest) = required(pool, id, &[], depth) else { return Vec::new() };
    let mut all = vec![smallest];
    if depth == 0 {
        for field in pool[id].fields.iter().filter(|field| field.presence != Presence::Required).take(MOST_FIELDS) {
            let Some(value) = fields(pool, field, None, DEEPEST - 1).into_iter().next() else { continue };
            if let Some(mut message) = required(pool, id, &[field.number], depth) {
                message.extend(value);
                all.push(message);
            }
        }
    }
    all
}

/// Returns the required fields of a message, except some, or `None` if they contain each other
/// without end.
pub(super) fn required(pool: &Pool, id: MessageId, without: &[u32], depth: u32) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for field in pool[id].fields.iter().filter(|field| field.presence == Presence::Required && !without.contains(&field.number)) {
        out.extend(fields(pool, field, None, depth + 1).into_iter().next()?);
    }
    Some(out)
}

/// Returns a field with one number of an enum.
pub(super) fn enum_field(field: &Field, number: i32) -> Vec<u8> {
    let mut value = Vec::new();
    put_varint(i64::from(number) as u64, &mut value);
    let mut out = Vec::new();
    if field.packed {
        tag(field.number, 2, &mut out);
        sized(&value, &mut out);
    } else {
        tag(field.number, 0, &mut out);
        out.extend(value);
    }
    out
}
