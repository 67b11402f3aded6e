//! Random dictionaries and documents.

use polywire_core::value::Value;

use crate::dictionary::{Default as Start, Dictionary, Enumeration, Field, Identity, Tag, Type};
use crate::error::Revision;
use crate::wire::codes::Simple;
use fastrand::Rng;

/// Returns a random dictionary that the revision can encode: of A, of B with a body, or of
/// everything that the profile adds.
pub fn dictionary(rng: &mut Rng, revision: Revision) -> Dictionary {
    loop {
        let count = rng.u32(1..6);
        let tags: Vec<Tag> = (1..=count)
            .map(|id| Tag { name: format!("T{id}"), ty: tag_type(rng, revision, count), root: !revision.is_a() || rng.u8(..4) > 0 })
            .collect();
        let syntax = if revision.is_a() { Revision::A } else { Revision::B };
        let name = if revision.is_a() { "" } else { "Random" };
        let identity = Identity { id: rng.u32(..1 << 31), major: rng.u8(..), minor: rng.u8(..) };
        // Endless cycles, and polymorphs of scalars, do occur and are refused.
        if let Ok(dictionary) = Dictionary::new(syntax, name, identity, &tags) {
            return dictionary;
        }
    }
}

fn tag_type(rng: &mut Rng, revision: Revision, count: u32) -> Type {
    if revision.is_a() || rng.u8(..3) > 0 {
        return structure(rng, revision, count, 3);
    }
    // Texts allow no tag that is a link, or an array of links.
    loop {
        let ty = field_type(rng, revision, count, 3);
        if !ty.is_link() {
            return ty;
        }
    }
}

fn structure(rng: &mut Rng, revision: Revision, count: u32, depth: u32) -> Type {
    let profile = revision == Revision::Profile;
    let most = if rng.u8(..20) == 0 { 90 } else { 6 };
    let fields = (0..rng.u32(1..=most)).map(|n| {
        let ty = field_type(rng, revision, count, depth);
        let nullable = profile && rng.u8(..3) == 0;
        let default = if profile && !nullable && rng.u8(..4) == 0 { start(rng, &ty) } else { None };
        Field { name: format!("f{n}"), ty, nullable, default }
    });
    Type::Structure(fields.collect())
}

fn field_type(rng: &mut Rng, revision: Revision, count: u32, depth: u32) -> Type {
    let profile = revision == Revision::Profile;
    if depth == 0 {
        return Type::Simple(Simple::Int);
    }
    match rng.u8(..12) {
        0 | 1 => Type::Text { utf8: rng.bool() },
        2 | 3 if revision.is_a() => Type::Array(Box::new(Type::Link(rng.u32(1..=count)))),
        2 => Type::Array(Box::new(field_type(rng, revision, count, depth - 1))),
        3 => Type::Link(rng.u32(1..=count)),
        4 if !revision.is_a() => structure(rng, revision, count, depth - 1),
        5 if profile => {
            let simple = loop {
                let simple = Simple::ALL[rng.usize(..Simple::ALL.len())];
                if simple.is_subtype() {
                    break simple;
                }
            };
            let (low, high) = simple.range().map_or((0, 0), |(low, high)| (low as i64, high as i64));
            let mut members = vec![("e0".to_string(), low), ("e1".to_string(), high)];
            members.push(("e2".to_string(), rng.i64(low + 1..high)));
            Type::Enumeration(Enumeration { subtype: simple, members })
        }
        6 if profile => Type::Polymorph((0..rng.u32(1..4)).map(|_| rng.u32(1..=count)).collect()),
        _ => loop {
            let simple = Simple::ALL[rng.usize(..Simple::ALL.len())];
            if profile || simple.is_plain() {
                return Type::Simple(simple);
            }
        },
    }
}

fn start(rng: &mut Rng, ty: &Type) -> Option<Start> {
    match ty {
        Type::Simple(simple) => match number(rng, *simple) {
            Value::F64(value) if !value.is_finite() => None,
            Value::F32(value) if !value.is_finite() => None,
            value => Some(Start::Value(value)),
        },
        Type::Text { .. } => Some(Start::Value(Value::text(["", "a\"b", "ü\\n", "x"][rng.usize(..4)]))),
        Type::Enumeration(enumeration) => Some(Start::Number(enumeration.members[rng.usize(..enumeration.members.len())].1)),
        _ => None,
    }
}

/// Returns a random document of a dictionary: a record of roots, as a walk returns it. `None` if
/// its types have no small values.
pub fn document(rng: &mut Rng, dictionary: &Dictionary) -> Option<Value> {
    let roots: Vec<&Tag> = dictionary.tags().iter().filter(|tag| tag.root).collect();
    let mut fields = Vec::new();
    if !roots.is_empty() {
        for _ in 0..rng.usize(..5) {
            let tag = roots[rng.usize(..roots.len())];
            fields.push((tag.name.clone(), value(rng, dictionary, &tag.ty, 12)?));
        }
    }
    Some(Value::Record { name: String::new(), fields })
}

fn value(rng: &mut Rng, dictionary: &Dictionary, ty: &Type, depth: u32) -> Option<Value> {
    let deeper = depth.checked_sub(1)?;
    Some(match ty {
        Type::Link(id) => {
            let tag = dictionary.tag(*id)?;
            value(rng, dictionary, &tag.ty, depth)?
        }
        Type::Simple(simple) => number(rng, *simple),
        Type::Text { utf8 } => {
            if !utf8 && rng.u8(..4) == 0 {
                Value::Octets(vec![0xff, rng.u8(..)])
            } else {
                let len = if rng.u8(..10) == 0 { rng.usize(..300) } else { rng.usize(..20) };
                Value::text((0..len).map(|_| if rng.u8(..30) == 0 { '→' } else { rng.alphanumeric() }).collect::<String>())
            }
        }
        Type::Array(element) => {
            let count = if depth < 6 { 0 } else { rng.usize(..4) };
            Value::List((0..count).map(|_| value(rng, dictionary, element, deeper)).collect::<Option<_>>()?)
        }
        Type::Structure(fields) => {
            let mut values = Vec::new();
            for field in fields {
                if !field.nullable || (depth > 6 && rng.bool()) {
                    values.push((field.name.clone(), value(rng, dictionary, &field.ty, deeper)?));
                }
            }
            Value::Record { name: String::new(), fields: values }
        }
        Type::Enumeration(enumeration) => {
            let index = rng.usize(..enumeration.members.len());
            Value::Variant { name: enumeration.members[index].0.clone(), index: index as u32, values: Vec::new() }
        }
        Type::Polymorph(members) => {
            let mut members = members.clone();
            let mut chosen = members[rng.usize(..members.len())];
            while let Type::Polymorph(inner) = &dictionary.tag(chosen)?.ty {
                members.clone_from(inner);
                chosen = members[rng.usize(..members.len())];
            }
            let tag = dictionary.tag(chosen)?;
            let inside = value(rng, dictionary, &tag.ty, deeper)?;
            // The position comes from the decoder; members are identified by name.
            Value::Variant { name: tag.name.clone(), index: 0, values: vec![inside] }
        }
    })
}

fn number(rng: &mut Rng, simple: Simple) -> Value {
    match simple {
        Simple::Boolean => Value::Bool(rng.bool()),
        Simple::Float => Value::F32(f32::from_bits(rng.u32(..))),
        Simple::Double => Value::F64(f64::from_bits(rng.u64(..))),
        simple => {
            let (low, high) = simple.range().unwrap_or_default();
            let number = match rng.u8(..6) {
                0 => low,
                1 => high,
                2 | 3 => i128::from(rng.i64(-200..200)).clamp(low, high),
                _ => i128::from(rng.u64(..) >> rng.u32(..64)).clamp(low, high),
            };
            if number < 0 { Value::Int(number as i64) } else { Value::UInt(number as u64) }
        }
    }
}
