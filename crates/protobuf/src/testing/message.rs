//! Random messages of a type, as any program could write them: in and out of order, packed or not,
//! with repeated and unknown fields.

use fastrand::Rng;

use crate::model::{Cardinality, Kind, Presence, WellKnown};
use crate::plan::{Field, Message, Plan};
use crate::wire::{WireType, tag_of, varint};

/// Makes a random message of the plan's root type. A `wild` one has encodings that serialisers do
/// not write.
pub fn message(rng: &mut Rng, plan: &Plan, wild: bool) -> Vec<u8> {
    let mut out = Vec::new();
    put_message(rng, plan, plan.root, wild, 4, &mut out);
    out
}

fn put_message(rng: &mut Rng, plan: &Plan, message: u32, wild: bool, depth: u32, out: &mut Vec<u8>) {
    let ty = plan.message(message);
    if let Some(known) = ty.known {
        return put_known(rng, plan, ty, known, wild, depth, out);
    }
    let mut fields: Vec<&Field> = Vec::new();
    let mut oneofs = Vec::new();
    for field in &ty.fields {
        let there = rng.u8(..3) < 2 || field.presence == Presence::Required;
        let taken = field.oneof.is_some_and(|oneof| oneofs.contains(&oneof)) && !wild;
        if there && !taken && (depth > 0 || field.message().is_none()) {
            oneofs.extend(field.oneof);
            fields.push(field);
        }
    }
    if wild && rng.bool() {
        rng.shuffle(&mut fields);
        for _ in 0..rng.usize(..3) {
            if let Some(again) = fields.get(rng.usize(..fields.len().max(1))).copied() {
                fields.push(again);
            }
        }
    }
    for field in fields {
        let count = if field.is_repeated() { rng.usize(..4) } else { 1 };
        if field.packable && if wild { rng.bool() } else { field.packed } {
            let mut list = Vec::new();
            (0..count).for_each(|_| put_value(rng, plan, field, wild, depth, &mut list));
            if count > 0 || wild {
                varint::put(out, u64::from(tag_of(field.number, WireType::Len)));
                varint::put(out, list.len() as u64);
                out.extend(list);
            }
        } else {
            for _ in 0..count {
                varint::put(out, u64::from(field.tag));
                put_value(rng, plan, field, wild, depth, out);
            }
        }
        if wild && rng.u8(..8) == 0 {
            put_unknown(rng, ty, out);
        }
    }
}

/// Writes a field of a number that the message does not have, or of a wire type that its field does
/// not have.
fn put_unknown(rng: &mut Rng, ty: &Message, out: &mut Vec<u8>) {
    let number = match ty.fields.get(rng.usize(..ty.fields.len().max(1))) {
        Some(field) if rng.bool() && !field.packable => field.number,
        _ => rng.u32(10_000..11_000),
    };
    let known = ty.fields.iter().find(|field| field.number == number).map(|field| field.wire);
    match rng.u8(..4) {
        0 if known != Some(WireType::Varint) => {
            varint::put(out, u64::from(tag_of(number, WireType::Varint)));
            varint::put(out, rng.u64(..) >> rng.u32(..64));
        }
        1 if known != Some(WireType::Fixed32) => {
            varint::put(out, u64::from(tag_of(number, WireType::Fixed32)));
            out.extend(rng.u32(..).to_le_bytes());
        }
        2 if known != Some(WireType::Start) => {
            varint::put(out, u64::from(tag_of(number, WireType::Start)));
            out.extend([0x08, rng.u8(..100)]);
            varint::put(out, u64::from(tag_of(number, WireType::End)));
        }
        _ if known != Some(WireType::Fixed64) => {
            varint::put(out, u64::from(tag_of(number, WireType::Fixed64)));
            out.extend(rng.u64(..).to_le_bytes());
        }
        _ => {}
    }
}

fn number(rng: &mut Rng) -> u64 {
    match rng.u8(..4) {
        0 => 0,
        1 => rng.u64(..200),
        2 => (rng.u64(..300) as i64).wrapping_neg() as u64,
        _ => rng.u64(..) >> rng.u32(..64),
    }
}

fn float(rng: &mut Rng) -> f64 {
    match rng.u8(..6) {
        0 => 0.0,
        1 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0][rng.usize(..4)],
        2 => f64::from(rng.i32(-1000..1000)),
        3 => f64::from_bits(rng.u64(..)),
        _ => rng.f64() * 1000.0,
    }
}

fn text(rng: &mut Rng) -> String {
    let odd = ["\"", "\\", "\n", "\u{0}", "\u{7f}", "ä", "日本", "🦀", "\u{2028}", "</script>"];
    (0..rng.usize(..5))
        .map(
            |_| {
                if rng.bool() { odd[rng.usize(..odd.len())].to_string() } else { (0..rng.usize(..9)).map(|_| rng.alphanumeric()).collect() }
            },
        )
        .collect()
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_value(rng: &mut Rng, plan: &Plan, field: &Field, wild: bool, depth: u32, out: &mut Vec<u8>) {
    match field.kind {
        Kind::Message(id) => {
            let mut inner = Vec::new();
            if field.cardinality == Cardinality::Map {
                let entry = plan.message(id.index() as u32);
                for field in &entry.fields {
                    if !wild || rng.u8(..8) > 0 {
                        varint::put(&mut inner, u64::from(field.tag));
                        put_value(rng, plan, field, wild, depth.saturating_sub(1), &mut inner);
                    }
                }
            } else if depth > 0 {
                put_message(rng, plan, id.index() as u32, wild, depth - 1, &mut inner);
            }
            put_bytes(out, &inner);
        }
        Kind::Group(id) => {
            if depth > 0 {
                put_message(rng, plan, id.index() as u32, wild, depth - 1, out);
            }
            varint::put(out, u64::from(tag_of(field.number, WireType::End)));
        }
        Kind::String if !field.utf8 && wild && rng.u8(..4) == 0 => put_bytes(out, &[b'a', 0xff]),
        Kind::String => put_bytes(out, text(rng).as_bytes()),
        Kind::Bytes => {
            let bytes: Vec<u8> = (0..rng.usize(..12)).map(|_| rng.u8(..)).collect();
            put_bytes(out, &bytes);
        }
        Kind::Enum(id) => {
            let ty = &plan.enums[id.index()];
            let number = if wild && rng.u8(..5) == 0 { rng.i32(..) } else { ty.any(rng) };
            varint::put(out, i64::from(number) as u64);
        }
        Kind::Bool => varint::put(out, if wild { number(rng) } else { rng.u64(..2) }),
        // Numbers beyond 32 bits are truncated.
        Kind::Int32 => varint::put(out, if wild { number(rng) } else { i64::from(number(rng) as i32) as u64 }),
        Kind::UInt32 | Kind::SInt32 => varint::put(out, if wild { number(rng) } else { number(rng) & 0xffff_ffff }),
        Kind::Int64 | Kind::UInt64 | Kind::SInt64 => varint::put(out, number(rng)),
        Kind::Fixed32 | Kind::SFixed32 => out.extend((number(rng) as u32).to_le_bytes()),
        Kind::Fixed64 | Kind::SFixed64 => out.extend(number(rng).to_le_bytes()),
        Kind::Float => out.extend((float(rng) as f32).to_le_bytes()),
        Kind::Double => out.extend(float(rng).to_le_bytes()),
    }
}

/// Writes a message whose JSON form has rules of its own, mostly within them.
fn put_known(rng: &mut Rng, plan: &Plan, ty: &Message, known: WellKnown, wild: bool, depth: u32, out: &mut Vec<u8>) {
    let mut two = |seconds: i64, nanos: i64| {
        if seconds != 0 {
            out.push(0x08);
            varint::put(out, seconds as u64);
        }
        if nanos != 0 {
            out.push(0x10);
            varint::put(out, nanos as u64);
        }
    };
    match known {
        WellKnown::Timestamp => {
            let nanos = rng.i64(..1_000_000_000) / [1, 1000, 1_000_000, 1_000_000_000][rng.usize(..4)];
            two(rng.i64(-62_135_596_800..=253_402_300_799), if rng.bool() { nanos } else { nanos / 1_000_000 * 1_000_000 });
        }
        WellKnown::Duration => {
            let (seconds, nanos) = (rng.i64(..315_576_000_000), rng.i64(..1_000_000_000) * i64::from(rng.bool()));
            if rng.bool() { two(seconds, nanos) } else { two(-seconds, -nanos) }
        }
        WellKnown::FieldMask => {
            for _ in 0..rng.usize(..3) {
                out.push(0x0a);
                put_bytes(out, ["a", "foo_bar", "foo_bar.baz", "a.b_c"][rng.usize(..4)].as_bytes());
            }
        }
        WellKnown::Any => {
            if depth > 0 && rng.u8(..4) > 0 {
                let name = [
                    "t.M0",
                    "t.M1",
                    "google.protobuf.Duration",
                    "google.protobuf.Int32Value",
                    "google.protobuf.Any",
                    "google.protobuf.Struct",
                ][rng.usize(..6)];
                let Some(message) = plan.message_named(name) else { return };
                let mut inner = Vec::new();
                put_message(rng, plan, message, wild, depth - 1, &mut inner);
                let url = format!("type.googleapis.com/{name}");
                let mut fields = [(0x0a, url.into_bytes()), (0x12, inner)];
                if wild && rng.bool() {
                    fields.reverse();
                }
                for (tag, bytes) in fields {
                    out.push(tag);
                    put_bytes(out, &bytes);
                }
            }
        }
        WellKnown::Value => {
            let Some(field) = ty.fields.get(rng.usize(..ty.fields.len())) else { return };
            varint::put(out, u64::from(field.tag));
            match field.kind {
                Kind::Double => out.extend(f64::from(rng.i32(..)).to_le_bytes()),
                Kind::Enum(_) => out.push(0),
                _ => put_value(rng, plan, field, wild, depth.saturating_sub(1), out),
            }
        }
        _ => {
            for field in &ty.fields {
                for _ in 0..if field.is_repeated() && depth > 0 { rng.usize(..3) } else { usize::from(!field.is_repeated() && rng.bool()) }
                {
                    varint::put(out, u64::from(field.tag));
                    put_value(rng, plan, field, wild, depth.saturating_sub(1), out);
                }
            }
        }
    }
}
