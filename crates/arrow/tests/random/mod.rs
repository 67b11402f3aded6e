//! Random schemas, and values of them.

use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::{Timestamp, Value};
use polywire_testing::Rng;

/// Returns a random schema whose messages are records.
pub fn schema(rng: &mut Rng) -> Schema {
    let count = rng.usize(1..7);
    let ty = Type::Record(record(rng, count, 3));
    Schema { types: vec![NamedType { name: "Row".into(), doc: String::new(), ty }], root: Some("Row".into()) }
}

/// Returns a random value of the schema's messages.
pub fn value(rng: &mut Rng, schema: &Schema) -> Value {
    of(rng, &schema.types[0].ty)
}

fn record(rng: &mut Rng, count: usize, depth: u32) -> Record {
    let field = |at: usize, rng: &mut Rng| {
        let field = FieldType::required(format!("f{at}"), ty(rng, depth));
        match rng.u8(..4) {
            0 => field.optional(),
            1 if !matches!(field.ty, Type::Null | Type::Nullable(_) | Type::List(..) | Type::Set(..) | Type::Tuple(_)) => {
                FieldType { presence: Presence::Repeated, ..field }
            }
            _ => field,
        }
    };
    Record { fields: (0..count).map(|at| field(at, rng)).collect(), ..Record::default() }
}

fn ty(rng: &mut Rng, depth: u32) -> Type {
    let width = |rng: &mut Rng| [Width::W8, Width::W16, Width::W32, Width::W64][rng.usize(..4)];
    match rng.u8(..if depth == 0 { 18 } else { 27 }) {
        0 => Type::Null,
        1 => Type::Bool,
        2 | 3 => Type::Int(width(rng)),
        4 | 5 => Type::UInt(width(rng)),
        6 => Type::Integer(Constraint::NONE),
        7 => Type::Integer(Constraint::range(-5, 70_000)),
        8 => Type::Decimal,
        9 => Type::F32,
        10 => Type::F64,
        11 => Type::Number,
        12 => Type::Text(Constraint::NONE),
        13 => Type::Bytes(Constraint::NONE),
        14 => Type::Octets(Constraint::NONE),
        15 | 16 => Type::Timestamp([TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond][rng.usize(..4)]),
        17 => Type::Enumeration(Enumeration {
            members: (0..rng.usize(1..5)).map(|at| (format!("NAME_{at}"), at as i64 * 3)).collect(),
            extensible: false,
        }),
        18 | 19 => Type::List(Box::new(ty(rng, depth - 1)), Constraint::NONE),
        20 => {
            let key = match rng.u8(..4) {
                0 => Type::UInt(Width::W32),
                1 => Type::Nullable(Box::new(Type::Int(Width::W64))),
                _ => Type::Text(Constraint::NONE),
            };
            Type::Map(Box::new(key), Box::new(ty(rng, depth - 1)))
        }
        21 => Type::Tuple((0..rng.usize(1..4)).map(|_| ty(rng, depth - 1)).collect()),
        22 => {
            let count = rng.usize(..4);
            Type::Record(record(rng, count, depth - 1))
        }
        23 => {
            let case = |at: usize, rng: &mut Rng| Case {
                name: format!("C{at}"),
                id: None,
                carries: (0..rng.usize(..3)).map(|_| ty(rng, depth - 1)).collect(),
                doc: String::new(),
            };
            Type::Sum(Sum { cases: (0..rng.usize(1..4)).map(|at| case(at, rng)).collect(), ..Sum::default() })
        }
        24 => {
            let case = |(at, ty)| Case { name: format!("U{at}"), id: None, carries: vec![ty], doc: String::new() };
            let cases = vec![Type::Int(Width::W64), Type::Text(Constraint::NONE), Type::List(Box::new(Type::Bool), Constraint::NONE)];
            Type::Sum(Sum { cases: cases.into_iter().enumerate().map(case).collect(), untagged: true, ..Sum::default() })
        }
        25 => Type::Tagged { space: "cbor".into(), code: 1000, inner: Box::new(Type::Text(Constraint::NONE)) },
        _ => match ty(rng, depth - 1) {
            inner @ (Type::Null | Type::Nullable(_)) => inner,
            inner => Type::Nullable(Box::new(inner)),
        },
    }
}

fn of(rng: &mut Rng, ty: &Type) -> Value {
    let count = rng.usize(..4);
    match ty {
        Type::Null => Value::Null,
        Type::Bool => Value::Bool(rng.bool()),
        Type::Int(width) => Value::int(rng.i64(..) >> (64 - width.bits())),
        Type::UInt(width) => Value::UInt(rng.u64(..) >> (64 - width.bits())),
        Type::Integer(bounds) => match (bounds.low, bounds.high) {
            (Some(low), Some(high)) => Value::int(rng.i128(low..=high) as i64),
            _ => Value::Big(format!("{}1{:024}", if rng.bool() { "-" } else { "" }, rng.u64(..))),
        },
        Type::Decimal => Value::Decimal(format!("{}{}.{:017}1", if rng.bool() { "-" } else { "" }, rng.u32(..), rng.u32(..))),
        Type::F32 => Value::F32([0.0, -0.0, 1.5, f32::MAX, f32::INFINITY, rng.f32()][rng.usize(..6)]),
        Type::F64 => Value::F64([0.0, -0.0, 1.1, f64::MAX, f64::NEG_INFINITY, f64::NAN, rng.f64()][rng.usize(..7)]),
        Type::Number => {
            if rng.bool() {
                Value::int(i64::from(rng.i32(..)))
            } else {
                Value::F64(f64::from(rng.i32(..)) + 0.5)
            }
        }
        Type::Text(_) => Value::Text(["", "a", "\u{0}\n", "日本 🦀", "\"quoted\"", "null"][rng.usize(..6)].repeat(rng.usize(1..5))),
        Type::Bytes(_) => Value::Bytes((0..rng.usize(..20)).map(|_| rng.u8(..)).collect()),
        Type::Octets(_) => Value::Octets((0..rng.usize(1..20)).map(|_| rng.u8(128..)).collect()),
        Type::Timestamp(unit) => {
            let nanos = rng.u32(..1_000_000_000) / unit.nanos() * unit.nanos() % 1_000_000_000;
            Timestamp::new(rng.i64(-9_000_000_000..9_000_000_000), nanos).map_or(Value::Null, Value::Time)
        }
        Type::List(inner, _) | Type::Set(inner, _) => Value::List((0..count).map(|_| of(rng, inner)).collect()),
        Type::Map(key, inner) => {
            let key = |at: usize| match key.as_ref() {
                Type::Text(_) => Value::Text(format!("k{at}")),
                Type::Nullable(_) if at == 0 => Value::Null,
                _ => Value::UInt(at as u64),
            };
            Value::Map((0..count).map(|at| (key(at), of(rng, inner))).collect())
        }
        Type::Tuple(parts) => Value::Tuple(parts.iter().map(|part| of(rng, part)).collect()),
        Type::Record(record) => {
            let mut fields = Vec::new();
            for field in &record.fields {
                match field.presence {
                    Presence::Optional if rng.bool() => {}
                    Presence::Repeated => fields.push((field.name.clone(), Value::List((0..count).map(|_| of(rng, &field.ty)).collect()))),
                    _ => fields.push((field.name.clone(), of(rng, &field.ty))),
                }
            }
            Value::Record { name: String::new(), fields }
        }
        Type::Sum(sum) => {
            let case = rng.usize(..sum.cases.len());
            let mut values: Vec<Value> = sum.cases[case].carries.iter().map(|ty| of(rng, ty)).collect();
            match values.pop() {
                Some(value) if sum.untagged => value,
                last => {
                    values.extend(last);
                    Value::Variant { name: sum.cases[case].name.clone(), index: case as u32, values }
                }
            }
        }
        Type::Enumeration(names) => Value::Text(names.members[rng.usize(..names.members.len())].0.clone()),
        Type::Nullable(inner) => {
            if rng.bool() {
                Value::Null
            } else {
                of(rng, inner)
            }
        }
        Type::Tagged { space, code, inner } => Value::Tagged { space: space.clone().into(), code: *code, value: Box::new(of(rng, inner)) },
        _ => Value::Null,
    }
}
