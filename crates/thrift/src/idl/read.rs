//! The model as types of the common schema.

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{Case, Constraint, Enumeration, FieldType, NamedType, Presence, Record, Schema, Sum, Type, Width};
use std::collections::HashSet;

use super::model::{Model, Named, Struct, Ty};
use super::syntax::{Base, Requiredness, StructKind};

/// Returns the types of the given text and those that they use, with the facts that the common
/// schema cannot express.
pub(crate) fn schema(model: &Model) -> (Schema, Vec<SchemaLoss>) {
    let mut losses: Vec<SchemaLoss> = Vec::new();
    let lose = |at: &str, what: &str| SchemaLoss { at: at.to_string(), what: what.to_string() };
    losses.extend(model.constants.iter().map(|constant| lose(&constant.name, "a constant")));
    let mut due: Vec<Named> = model.own.iter().rev().copied().collect();
    let mut seen: HashSet<(bool, usize)> = HashSet::new();
    let mut types = Vec::new();
    while let Some(named) = due.pop() {
        let (key, ty, name, doc) = match named {
            Named::Struct(id) => {
                let found = &model.structs[id];
                ((true, id), contents(model, found), &found.name, &found.doc)
            }
            Named::Enum(id) => {
                let found = &model.enums[id];
                let members = found.members.iter().map(|member| (member.name.clone(), i64::from(member.number))).collect();
                ((false, id), Type::Enumeration(Enumeration { members, extensible: true }), &found.name, &found.doc)
            }
            Named::Service(id) => {
                losses.push(lose(&model.services[id].name, "a service: methods are no types"));
                continue;
            }
        };
        if !seen.insert(key) {
            continue;
        }
        if let Named::Struct(id) = named {
            model.structs[id].fields.iter().rev().for_each(|field| uses(&field.ty, &mut due));
            for field in model.structs[id].fields.iter().filter(|field| field.id < 0) {
                losses.push(lose(&format!("{name}.{}", field.name), "its number, which is below zero"));
            }
        }
        types.push(NamedType { name: name.clone(), doc: doc.clone(), ty });
    }
    (Schema { types, root: model.root().map(|root| model.structs[root].name.clone()) }, losses)
}

/// Adds the named types that a type has in it.
fn uses(ty: &Ty, due: &mut Vec<Named>) {
    match ty {
        Ty::Struct(id) => due.push(Named::Struct(*id)),
        Ty::Enum(id) => due.push(Named::Enum(*id)),
        Ty::List(inner) | Ty::Set(inner) => uses(inner, due),
        Ty::Map(key, value) => {
            uses(key, due);
            uses(value, due);
        }
        Ty::Base(_) | Ty::Stream => {}
    }
}

fn contents(model: &Model, found: &Struct) -> Type {
    if found.kind == StructKind::Union {
        let cases = found.fields.iter().map(|field| Case {
            name: field.name.clone(),
            id: u64::try_from(field.id).ok(),
            carries: vec![of(model, &field.ty)],
            doc: field.doc.clone(),
        });
        return Type::Sum(Sum { cases: cases.collect(), extensible: true, untagged: false });
    }
    let fields: Vec<FieldType> = found
        .fields
        .iter()
        .map(|field| FieldType {
            name: field.name.clone(),
            id: u64::try_from(field.id).ok(),
            ty: of(model, &field.ty),
            presence: if field.requiredness == Requiredness::Required { Presence::Required } else { Presence::Optional },
            default: field.default.clone(),
            deprecated: field.deprecated,
            doc: field.doc.clone(),
        })
        .collect();
    Type::Record(Record { extension: Some(fields.len()), fields, unordered: false })
}

fn of(model: &Model, ty: &Ty) -> Type {
    match ty {
        Ty::Base(base) => match base {
            Base::Bool => Type::Bool,
            Base::I8 => Type::Int(Width::W8),
            Base::I16 => Type::Int(Width::W16),
            Base::I32 => Type::Int(Width::W32),
            Base::I64 => Type::Int(Width::W64),
            Base::Double => Type::F64,
            Base::Float => Type::F32,
            Base::String | Base::Uuid => Type::Text(Constraint::NONE),
            Base::Binary => Type::Bytes(Constraint::NONE),
        },
        Ty::List(inner) => Type::List(Box::new(of(model, inner)), Constraint::NONE),
        Ty::Set(inner) => Type::Set(Box::new(of(model, inner)), Constraint::NONE),
        Ty::Map(key, value) => Type::Map(Box::new(of(model, key)), Box::new(of(model, value))),
        Ty::Struct(id) => Type::Reference(model.structs[*id].name.clone(), Vec::new()),
        Ty::Enum(id) => Type::Reference(model.enums[*id].name.clone(), Vec::new()),
        Ty::Stream => Type::Any,
    }
}
