//! A dictionary for messages of a common schema, such that values come back as they were.
//!
//! Only what has a type of its own is taken: truth, numbers, text, lists, and records whose fields may be absent or null. Names of an enumeration that come as text stay
//! text. Any other type is refused, for a value of it would come back as something else.

use std::sync::Arc;

use polywire_core::error::{Error, ErrorKind, Fault, Result};
use polywire_core::schema::{Constraint, FieldType, NamedType, Presence, Record, Schema, Type};

use crate::dictionary::is_name;
use crate::language::dictionary;
use crate::plan::{Op, Plan};

/// The dictionary of a schema, and the tag of its root.
///
/// # Errors
/// The schema has types that no dictionary has.
pub(crate) fn adopt(schema: &Schema) -> Result<(Plan, u32)> {
    let taken = schema.types.iter().map(|named| {
        let ty = plain(&named.ty, 0).ok_or_else(|| refused(&named.name))?;
        Ok(NamedType { name: named.name.clone(), doc: String::new(), ty })
    });
    let taken = Schema { types: taken.collect::<Result<_>>()?, root: schema.root.clone() };
    let root = schema.root.as_deref().unwrap_or_default();
    // Types are tags in their order; another name for a type is none.
    let tags = taken.types.iter().filter(|named| !matches!(named.ty, Type::Reference(..)));
    let Some(tag) = tags.clone().zip(1..).find(|(named, _)| named.name == root).map(|(_, id)| id) else { return Err(refused(root)) };
    let (dictionary, _) = dictionary(&taken)?;
    let mut plan = Plan::new(Arc::new(dictionary));
    for (named, op) in tags.zip(plan.tags.clone()) {
        nulls(&mut plan, op, &named.ty);
    }
    Ok((plan, tag))
}

#[cold]
fn refused(name: &str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema)
        .seen(format!("the type `{name}`, whose values would come back as something else"))
        .expected("truth, numbers, text, lists and records")
}

/// The type as a dictionary has it; none if it has not.
fn plain(ty: &Type, depth: usize) -> Option<Type> {
    if depth > crate::dictionary::MAX_NESTING / 2 {
        return None;
    }
    Some(match ty {
        Type::Bool | Type::Int(_) | Type::UInt(_) | Type::F32 | Type::F64 | Type::Reference(..) => ty.clone(),
        Type::Integer(bounds) => {
            let (low, high) = (bounds.low?, bounds.high?);
            if low >= 0 && high <= i128::from(u64::MAX) {
                Type::Integer(Constraint::range(0, i128::from(u64::MAX)))
            } else if low >= i128::from(i64::MIN) && high <= i128::from(i64::MAX) {
                Type::Integer(Constraint::range(i128::from(i64::MIN), i128::from(i64::MAX)))
            } else {
                return None;
            }
        }
        Type::Text(_) | Type::Enumeration(_) => Type::Text(Constraint::NONE),
        Type::Octets(_) => Type::Octets(Constraint::NONE),
        Type::List(inner, _) => Type::List(Box::new(plain(inner, depth + 1)?), Constraint::NONE),
        Type::Record(record) if !record.fields.is_empty() => {
            let fields = record.fields.iter().map(|field| {
                // Absent and null would be the same.
                let (inner, null) = match &field.ty {
                    Type::Nullable(inner) if field.presence == Presence::Required => (&**inner, true),
                    ty => (ty, false),
                };
                if !is_name(&field.name) || field.presence == Presence::Repeated {
                    return None;
                }
                let ty = plain(inner, depth + 1)?;
                let ty = if null { Type::Nullable(Box::new(ty)) } else { ty };
                Some(FieldType { presence: field.presence, ..FieldType::required(field.name.as_str(), ty) })
            });
            Type::Record(Record { fields: fields.collect::<Option<_>>()?, ..Record::default() })
        }
        _ => return None,
    })
}

/// Marks the fields that are told as null, and not left out.
fn nulls(plan: &mut Plan, op: Op, ty: &Type) {
    match (op, ty) {
        (Op::Structure(shape), Type::Record(record)) => {
            let slots = plan.shapes[shape as usize].slots();
            for (slot, field) in slots.zip(&record.fields) {
                let inner = match &field.ty {
                    Type::Nullable(inner) => {
                        plan.slots[slot].told = true;
                        inner
                    }
                    ty => ty,
                };
                nulls(plan, plan.ops[slot], inner);
            }
        }
        (Op::Array(array), Type::List(inner, _)) => nulls(plan, plan.elements[array as usize], inner),
        _ => {}
    }
}
