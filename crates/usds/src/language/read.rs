//! Dictionaries as types of the common schema.

use polywire_core::schema::language::SchemaLoss;
use polywire_core::schema::{
    Case, Constraint, Enumeration as Names, FieldType, NamedType, Presence, Record, Schema, Sum, Type as Common, Width,
};
use polywire_core::value::Value;

use crate::dictionary::{Default as Start, Dictionary, Field, Type};
use crate::wire::codes::Simple;

/// Returns the tags of a dictionary, with its last root as the root, and the facts that the common
/// schema cannot express.
pub fn schema(dictionary: &Dictionary) -> (Schema, Vec<SchemaLoss>) {
    let mut reading = Reading { dictionary, losses: Vec::new() };
    let name = dictionary.name();
    let identity = dictionary.identity();
    reading.lose(name, format!("the identity of the dictionary, {identity}"));
    let roots: Vec<&str> = dictionary.tags().iter().filter(|tag| tag.root).map(|tag| tag.name.as_str()).collect();
    if let [others @ .., last] = &roots[..]
        && !others.is_empty()
    {
        reading.lose(name, format!("a document may have other roots than {last}: {}", others.join(", ")));
    }
    let types = dictionary
        .tags()
        .iter()
        .map(|tag| NamedType { name: tag.name.clone(), doc: String::new(), ty: reading.ty(&tag.ty, &tag.name) })
        .collect();
    (Schema { types, root: roots.last().map(|name| name.to_string()) }, reading.losses)
}

struct Reading<'d> {
    dictionary: &'d Dictionary,
    losses: Vec<SchemaLoss>,
}

impl Reading<'_> {
    fn lose(&mut self, at: &str, what: impl Into<String>) {
        self.losses.push(SchemaLoss { at: at.to_string(), what: what.into() });
    }

    fn tag_name(&self, id: u32) -> String {
        self.dictionary.tag(id).map_or_else(String::new, |tag| tag.name.clone())
    }

    fn ty(&mut self, ty: &Type, at: &str) -> Common {
        match ty {
            Type::Simple(simple) => {
                if *simple == Simple::Ulong {
                    self.lose(at, "ULONG and UVARINT are the same");
                }
                common(*simple)
            }
            Type::Text { utf8: true } => Common::Text(Constraint::NONE),
            Type::Text { utf8: false } => Common::Octets(Constraint::NONE),
            Type::Array(element) => Common::List(Box::new(self.ty(element, at)), Constraint::NONE),
            Type::Link(id) => Common::Reference(self.tag_name(*id), Vec::new()),
            Type::Structure(fields) => {
                let fields = fields.iter().zip(1..).map(|(field, id)| self.field(field, id, at)).collect();
                Common::Record(Record { fields, extension: None, unordered: false })
            }
            Type::Enumeration(enumeration) => {
                if enumeration.subtype != Simple::Varint {
                    self.lose(at, format!("the type of its numbers, {}", enumeration.subtype.keyword()));
                }
                Common::Enumeration(Names { members: enumeration.members.clone(), extensible: false })
            }
            Type::Polymorph(members) => {
                let case = |id: &u32| {
                    let name = self.tag_name(*id);
                    Case { carries: vec![Common::Reference(name.clone(), Vec::new())], name, id: Some(u64::from(*id)), doc: String::new() }
                };
                let mut cases: Vec<Case> = Vec::new();
                for member in members.iter().map(case) {
                    if cases.iter().all(|known| known.name != member.name) {
                        cases.push(member);
                    }
                }
                Common::Sum(Sum { cases, extensible: false, untagged: false })
            }
        }
    }

    fn field(&mut self, field: &Field, id: u64, at: &str) -> FieldType {
        let at = format!("{at}.{}", field.name);
        let default = match &field.default {
            None => None,
            Some(Start::Value(value)) => Some(value.clone()),
            Some(Start::Number(number)) => {
                let name = match &field.ty {
                    Type::Enumeration(enumeration) => enumeration.members.iter().position(|(_, known)| known == number).map(|index| {
                        Value::Variant { name: enumeration.members[index].0.clone(), index: index as u32, values: Vec::new() }
                    }),
                    _ => None,
                };
                if name.is_none() {
                    self.lose(&at, format!("the default {number}, which is no enumerator"));
                }
                name
            }
        };
        FieldType {
            name: field.name.clone(),
            id: Some(id),
            ty: self.ty(&field.ty, &at),
            presence: if field.nullable { Presence::Optional } else { Presence::Required },
            default,
            deprecated: false,
            doc: String::new(),
        }
    }
}

fn common(simple: Simple) -> Common {
    match simple {
        Simple::Boolean => Common::Bool,
        Simple::Byte => Common::Int(Width::W8),
        Simple::Ubyte => Common::UInt(Width::W8),
        Simple::Short => Common::Int(Width::W16),
        Simple::Ushort => Common::UInt(Width::W16),
        Simple::Int => Common::Int(Width::W32),
        Simple::Uint => Common::UInt(Width::W32),
        Simple::Long => Common::Int(Width::W64),
        Simple::Ulong | Simple::Uvarint => Common::UInt(Width::W64),
        Simple::Float => Common::F32,
        Simple::Double => Common::F64,
        // No fixed width, in contrast to LONG.
        Simple::Varint => Common::Integer(Constraint::range(i128::from(i64::MIN), i128::from(i64::MAX))),
    }
}
