//! Values of the vectors as values of the walk.

use polywire_core::value::Value as Owned;
use polywire_usds::dictionary::{Dictionary, Field, Type};
use polywire_usds::dom::{ArrayMut, Document, StructureMut};
use polywire_usds::error::DecodeError;
use polywire_usds::events::Scalar;
use polywire_usds::wire::codes::Simple;
use serde_json::Value;

/// The roots of a case as a document: a record of tags, which may come again.
pub fn roots(dictionary: &Dictionary, roots: &Value) -> Owned {
    let root = |root: &Value| {
        let name = root["tag"].as_str().unwrap_or_default();
        let tag = dictionary.tag_id(name).and_then(|id| dictionary.tag(id)).unwrap_or_else(|| panic!("no tag {name}"));
        (name.to_string(), value(dictionary, &tag.ty, &root["value"]))
    };
    let fields = roots.as_array().into_iter().flatten().map(root).collect();
    Owned::Record { name: String::new(), fields }
}

fn value(dictionary: &Dictionary, ty: &Type, given: &Value) -> Owned {
    match dictionary.resolve(ty) {
        Type::Simple(Simple::Double) => match given.as_str().and_then(|text| text.strip_prefix("f64:")) {
            Some(hex) => {
                let mut bytes = [0; 8];
                for (n, byte) in bytes.iter_mut().enumerate() {
                    *byte = u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).expect("hex");
                }
                Owned::F64(f64::from_le_bytes(bytes))
            }
            None => Owned::F64(given.as_f64().expect("a number")),
        },
        Type::Simple(Simple::Float) => Owned::F32(given.as_f64().expect("a number") as f32),
        Type::Enumeration(enumeration) => {
            let number = given.as_i64().expect("a number");
            let index = enumeration.members.iter().position(|(_, known)| *known == number).expect("an enumerator");
            Owned::Variant { name: enumeration.members[index].0.clone(), index: index as u32, values: Vec::new() }
        }
        Type::Polymorph(_) => {
            let name = given["tag"].as_str().expect("a tag");
            let tag = dictionary.tag_id(name).and_then(|id| dictionary.tag(id)).expect("a tag of the dictionary");
            Owned::Variant { name: name.to_string(), index: 0, values: vec![value(dictionary, &tag.ty, &given["value"])] }
        }
        Type::Simple(Simple::Boolean) => Owned::Bool(given.as_bool().expect("a truth value")),
        Type::Simple(_) => {
            let digits = given.as_str().map_or_else(|| given.to_string(), str::to_string);
            match digits.parse::<u64>() {
                Ok(number) => Owned::UInt(number),
                Err(_) => Owned::Int(digits.parse().expect("a whole number")),
            }
        }
        Type::Text { .. } => Owned::text(given.as_str().expect("a text")),
        Type::Array(element) => {
            Owned::List(given.as_array().expect("a list").iter().map(|given| value(dictionary, element, given)).collect())
        }
        Type::Structure(fields) => Owned::Record {
            name: String::new(),
            fields: fields
                .iter()
                .filter(|field| !given[&field.name].is_null())
                .map(|field| (field.name.clone(), value(dictionary, &field.ty, &given[&field.name])))
                .collect(),
        },
        Type::Link(_) => panic!("a link leads to a link"),
    }
}

/// Builds the roots of a case in memory. Fields that are null or absent are not set.
pub fn build(document: &mut Document<'_, '_>, dictionary: &Dictionary, roots: &Value) -> Result<(), DecodeError> {
    for root in roots.as_array().into_iter().flatten() {
        let name = root["tag"].as_str().unwrap_or_default();
        let id = dictionary.tag_id(name).unwrap_or_else(|| panic!("no tag {name}"));
        let ty = &dictionary.tag(id).expect("a tag of the dictionary").ty;
        let given = &root["value"];
        match dictionary.resolve(ty) {
            Type::Structure(fields) => fill(&mut document.add_structure(id)?, dictionary, fields, given)?,
            Type::Array(element) => push(&mut document.add_array(id)?, dictionary, element, given)?,
            ty => document.add_scalar(id, scalar(&value(dictionary, ty, given), ty))?,
        }
    }
    Ok(())
}

fn fill(structure: &mut StructureMut<'_>, dictionary: &Dictionary, fields: &[Field], given: &Value) -> Result<(), DecodeError> {
    for field in fields.iter().filter(|field| !given[&field.name].is_null()) {
        let given = &given[&field.name];
        let slot = structure.slot(&field.name).expect("a field of the structure");
        match dictionary.resolve(&field.ty) {
            Type::Structure(fields) => fill(&mut structure.structure(slot)?, dictionary, fields, given)?,
            Type::Array(element) => push(&mut structure.array(slot)?, dictionary, element, given)?,
            Type::Polymorph(_) => {
                let (id, fields) = member(dictionary, given);
                fill(&mut structure.member(slot, id)?, dictionary, fields, &given["value"])?;
            }
            ty => structure.set(slot, scalar(&value(dictionary, ty, given), ty))?,
        }
    }
    Ok(())
}

fn push(array: &mut ArrayMut<'_>, dictionary: &Dictionary, element: &Type, given: &Value) -> Result<(), DecodeError> {
    for given in given.as_array().expect("a list") {
        match dictionary.resolve(element) {
            Type::Structure(fields) => fill(&mut array.push_structure()?, dictionary, fields, given)?,
            Type::Array(element) => push(&mut array.push_array()?, dictionary, element, given)?,
            Type::Polymorph(_) => {
                let (id, fields) = member(dictionary, given);
                fill(&mut array.push_member(id)?, dictionary, fields, &given["value"])?;
            }
            ty => array.push(scalar(&value(dictionary, ty, given), ty))?,
        }
    }
    Ok(())
}

/// The tag of a polymorph's value, and its fields.
fn member<'d>(dictionary: &'d Dictionary, given: &Value) -> (u32, &'d [Field]) {
    let id = dictionary.tag_id(given["tag"].as_str().expect("a tag")).expect("a tag of the dictionary");
    match &dictionary.tag(id).expect("a tag of the dictionary").ty {
        Type::Structure(fields) => (id, fields),
        _ => panic!("a polymorph's value is a structure"),
    }
}

fn scalar<'v>(value: &'v Owned, ty: &Type) -> Scalar<'v> {
    match (value, ty) {
        (Owned::Bool(value), _) => Scalar::Bool(*value),
        (Owned::UInt(value), _) => Scalar::UInt(*value),
        (Owned::Int(value), _) => Scalar::Int(*value),
        (Owned::F32(value), _) => Scalar::F32(*value),
        (Owned::F64(value), _) => Scalar::F64(*value),
        (Owned::Text(text), _) => Scalar::Text(text),
        (Owned::Variant { name, .. }, Type::Enumeration(_)) => Scalar::Text(name),
        other => panic!("no scalar: {other:?}"),
    }
}

/// A value as text, with floats by their bits and without names of types.
pub fn shown(value: &Owned) -> String {
    match value {
        Owned::F64(float) => format!("{:016x}", float.to_bits()),
        Owned::List(values) => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Owned::Record { fields, .. } => {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Owned::Variant { name, values, .. } => format!("{name}({})", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => format!("{other:?}"),
    }
}
