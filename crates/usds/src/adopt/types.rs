//! Types of the common schema as nodes and as tags.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use polywire_core::schema::{FieldType, Presence as Comes, Schema, Sum, TimeUnit, Type as Common, Width, mapping};
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::node::{Adopted, Case, CaseForm, FieldNode, Fields, Id, Name, Node, Presence, Words};
use crate::dictionary::{Default as Start, Dictionary, Enumeration, Field, Identity, MAX_NESTING, Tag, Type};
use crate::error::Revision;
use crate::language::unique;
use crate::plan::Plan;
use crate::wire::codes::Simple;

pub(super) fn adopt(schema: &Schema) -> Result<Adopted> {
    schema.check()?;
    let root = schema.root.as_deref().ok_or_else(|| unsupported("a schema without a root type"))?;
    let mut making = Making { schema, nodes: Vec::new(), tags: Vec::new(), taken: HashSet::new(), known: HashMap::new(), depth: 0 };
    // The message has the lowest id, since the id precedes every message.
    let (node, ty) = making.named(root)?;
    let (root, tag) = match ty {
        Type::Link(tag) if matches!(making.nodes[node as usize], Node::Record(_)) => (node, tag),
        // Only a structure is always allowed as a root.
        ty => {
            let name = unique("Message", &mut making.taken);
            making.tags.push(Tag { name, ty: Type::Structure(vec![plain("value", ty)]), root: true });
            (making.add(Node::Wrapper(node)), making.tags.len() as u32)
        }
    };
    for tag in &mut making.tags {
        tag.root = !matches!(tag.ty, Type::Polymorph(_));
    }
    if let Some(mapping) = mapping(schema) {
        let name = unique("Polywire_mapping", &mut making.taken);
        let field = Field { default: Some(Start::Value(Value::Text(mapping))), ..plain("mapping", Type::Text { utf8: true }) };
        making.tags.push(Tag { name, ty: Type::Structure(vec![field]), root: true });
    }
    let name = unique(schema.root.as_deref().unwrap_or_default(), &mut HashSet::new());
    let dictionary = Dictionary::new(Revision::B, &name, Identity::default(), &making.tags).map_err(Error::from)?;
    Ok(Adopted { plan: Arc::new(Plan::new(Arc::new(dictionary))), tag, nodes: making.nodes, root })
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen.into()).expected("types that a dictionary has bytes for")
}

fn plain(name: &str, ty: Type) -> Field {
    Field { name: name.into(), ty, nullable: false, default: None }
}

/// Returns the only field of a structure that stands for no fields.
fn nothing() -> Vec<Field> {
    vec![Field { nullable: true, ..plain("nothing", Type::Simple(Simple::Boolean)) }]
}

struct Making<'s> {
    schema: &'s Schema,
    nodes: Vec<Node>,
    tags: Vec<Tag>,
    taken: HashSet<String>,
    /// Types by name; `None` while a type without a tag is built.
    known: HashMap<&'s str, Option<(Id, Type)>>,
    depth: usize,
}

impl<'s> Making<'s> {
    fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        self.nodes.len() as Id - 1
    }

    fn named(&mut self, name: &'s str) -> Result<(Id, Type)> {
        match self.known.get(name) {
            Some(Some(known)) => return Ok(known.clone()),
            Some(None) => return Err(unsupported(format!("the type {name}, which holds itself"))),
            None => {}
        }
        let ty = self.schema.get(name).ok_or_else(|| unsupported(format!("the type {name}, which is not defined")))?;
        let is_tag = match ty {
            Common::Record(_) => true,
            Common::Sum(sum) => sum.untagged || sum.cases.iter().any(|case| !case.carries.is_empty()),
            _ => false,
        };
        if !is_tag {
            self.known.insert(name, None);
            let made = self.ty(ty)?;
            self.known.insert(name, Some(made.clone()));
            return Ok(made);
        }
        // Inner types may refer to it.
        let node = self.add(Node::Never);
        let tag = unique(name, &mut self.taken);
        self.tags.push(Tag { name: tag, ty: Type::Text { utf8: true }, root: true });
        let id = self.tags.len() as u32;
        self.known.insert(name, Some((node, Type::Link(id))));
        let (inner, ty) = self.ty(ty)?;
        self.nodes.swap(node as usize, inner as usize);
        self.tags[id as usize - 1].ty = ty;
        Ok((node, Type::Link(id)))
    }

    fn ty(&mut self, ty: &'s Common) -> Result<(Id, Type)> {
        self.depth += 1;
        // Each level may take two levels of the dictionary.
        if self.depth > MAX_NESTING / 3 {
            return Err(unsupported("types too deep within each other"));
        }
        let made = self.made(ty);
        self.depth -= 1;
        made
    }

    fn simple(&mut self, simple: Simple) -> (Id, Type) {
        (self.add(Node::Simple(simple)), Type::Simple(simple))
    }

    fn words(&mut self, words: Words) -> (Id, Type) {
        (self.add(Node::Words(words)), Type::Text { utf8: matches!(words, Words::Text | Words::Number) })
    }

    fn made(&mut self, ty: &'s Common) -> Result<(Id, Type)> {
        Ok(match ty {
            Common::Bool => self.simple(Simple::Boolean),
            Common::Int(width) => self.simple(match width {
                Width::W8 => Simple::Byte,
                Width::W16 => Simple::Short,
                Width::W32 => Simple::Int,
                Width::W64 => Simple::Long,
            }),
            Common::UInt(width) => self.simple(match width {
                Width::W8 => Simple::Ubyte,
                Width::W16 => Simple::Ushort,
                Width::W32 => Simple::Uint,
                Width::W64 => Simple::Uvarint,
            }),
            Common::Integer(bounds) => match (bounds.low, bounds.high) {
                (Some(0..), Some(..=0xffff_ffff_ffff_ffff)) if !bounds.extensible => self.simple(Simple::Uvarint),
                (Some(low), Some(high)) if low >= i64::MIN.into() && high <= i64::MAX.into() && !bounds.extensible => {
                    self.simple(Simple::Varint)
                }
                _ => self.words(Words::Number),
            },
            Common::Decimal => self.words(Words::Number),
            Common::F32 => self.simple(Simple::Float),
            Common::F64 => self.simple(Simple::Double),
            Common::Number => (self.add(Node::Number), Type::Simple(Simple::Double)),
            Common::Text(_) => self.words(Words::Text),
            Common::Octets(_) => self.words(Words::Octets),
            Common::Bytes(_) => self.words(Words::Bytes),
            Common::Timestamp(TimeUnit::Nanosecond) => {
                let fields = vec![plain("seconds", Type::Simple(Simple::Long)), plain("nanos", Type::Simple(Simple::Uint))];
                (self.add(Node::Instant), Type::Structure(fields))
            }
            Common::Timestamp(unit) => (self.add(Node::Moment(*unit)), Type::Simple(Simple::Long)),
            Common::List(inner, _) | Common::Set(inner, _) => self.list(inner)?,
            Common::Map(key, _) if !self.is_key(key)? => self.any(),
            Common::Map(key, value) => {
                let ((key, key_type), (value, value_type)) = (self.ty(key)?, self.ty(value)?);
                let pair = Type::Structure(vec![plain("key", key_type), plain("value", value_type)]);
                (self.add(Node::Pairs(key, value)), Type::Array(Box::new(pair)))
            }
            Common::Tuple(parts) => {
                let (fields, ty) = self.row(parts)?;
                (self.add(Node::Row(fields, false)), ty)
            }
            Common::Record(record) => {
                let mut taken = HashSet::new();
                let (mut fields, mut types) = (Vec::new(), Vec::new());
                for field in &record.fields {
                    let (node, ty) = self.field(field)?;
                    types.push(Field { name: unique(&field.name, &mut taken), ..ty });
                    fields.push(node);
                }
                let ty = Type::Structure(if types.is_empty() { nothing() } else { types });
                (self.add(Node::Record(Fields::new(fields))), ty)
            }
            Common::Sum(sum) => self.sum(sum)?,
            Common::Enumeration(names) => {
                let names = names.members.iter().zip(0..).map(|((name, _), index)| Name { name: name.as_str().into(), index }).collect();
                self.names(names, CaseForm::Named)
            }
            Common::Null => (self.add(Node::Null), Type::Structure(nothing())),
            Common::Nullable(inner) => {
                let (node, ty) = self.ty(inner)?;
                let field = Field { nullable: true, ..plain("value", ty) };
                (self.add(Node::Nullable(node)), Type::Structure(vec![field]))
            }
            Common::Reference(name, arguments) if arguments.is_empty() => self.named(name)?,
            Common::Tagged { space, code, inner } => {
                let (node, ty) = self.ty(inner)?;
                // Under marks other than BER's, a row of fixed types is a tuple. Elsewhere it is
                // most likely a list.
                if let Node::Row(_, is_tuple) = &mut self.nodes[node as usize] {
                    *is_tuple = !space.starts_with("ber");
                }
                (self.add(Node::Marked(space.as_str().into(), *code, node)), ty)
            }
            Common::Any => self.any(),
            other => return Err(unsupported(format!("the type {other}"))),
        })
    }

    fn any(&mut self) -> (Id, Type) {
        (self.add(Node::Any), Type::Text { utf8: false })
    }

    /// Returns whether keys of the type are written apart from their values.
    fn is_key(&self, ty: &'s Common) -> Result<bool> {
        Ok(!matches!(self.schema.resolve(ty)?, Common::Any | Common::Null | Common::Nullable(_)))
    }

    fn list(&mut self, inner: &'s Common) -> Result<(Id, Type)> {
        let (node, ty) = self.ty(inner)?;
        Ok((self.add(Node::List(node)), Type::Array(Box::new(ty))))
    }

    fn field(&mut self, field: &'s FieldType) -> Result<(FieldNode, Field)> {
        let (inner, presence) = match (&field.ty, field.presence) {
            (Common::Nullable(inner), Comes::Required) => (&**inner, Presence::Null),
            (ty, Comes::Optional) => (ty, Presence::Absent),
            (ty, Comes::Repeated) => (ty, Presence::Repeated),
            (ty, _) => (ty, Presence::Always),
        };
        let (node, ty) = if field.presence == Comes::Repeated { self.list(inner)? } else { self.ty(inner)? };
        let made = FieldNode { name: field.name.as_str().into(), node, presence };
        Ok((made, Field { nullable: presence.is_nullable(), ..plain("", ty) }))
    }

    /// Returns consecutive values as the fields of a structure.
    fn row(&mut self, parts: &'s [Common]) -> Result<(Fields, Type)> {
        let (mut fields, mut types) = (Vec::new(), Vec::new());
        for (part, n) in parts.iter().zip(1..) {
            let (inner, presence) = match part {
                Common::Nullable(inner) => (&**inner, Presence::Null),
                part => (part, Presence::Always),
            };
            let (node, ty) = self.ty(inner)?;
            fields.push(FieldNode { name: "".into(), node, presence });
            types.push(Field { nullable: presence.is_nullable(), ..plain(&format!("_{n}"), ty) });
        }
        Ok((Fields::new(fields), Type::Structure(if types.is_empty() { nothing() } else { types })))
    }

    fn names(&mut self, names: Vec<Name>, told: CaseForm) -> (Id, Type) {
        if names.is_empty() {
            return (self.add(Node::Never), Type::Simple(Simple::Boolean));
        }
        let subtype = match names.len() {
            ..=0x100 => Simple::Ubyte,
            0x101..=0x1_0000 => Simple::Ushort,
            _ => Simple::Uint,
        };
        let mut taken = HashSet::new();
        let members = names.iter().zip(0..).map(|(name, number)| (short(unique(&name.name, &mut taken), number, &mut taken), number));
        let members = members.collect();
        (self.add(Node::Names(names, subtype, told)), Type::Enumeration(Enumeration { subtype, members }))
    }

    fn sum(&mut self, sum: &'s Sum) -> Result<(Id, Type)> {
        // Cases of formats with sum types have numbers, or hold something other than one value;
        // other cases were text, or records of one field.
        let is_variant = sum.cases.iter().any(|case| case.id.is_some() || case.carries.len() > 1);
        let told = match (sum.untagged, is_variant) {
            (true, _) => CaseForm::Untagged,
            (_, true) => CaseForm::Variant,
            (_, false) => CaseForm::Named,
        };
        let index = |position: usize| sum.cases[position].id.and_then(|id| u32::try_from(id).ok()).unwrap_or(position as u32);
        if !sum.untagged && sum.cases.iter().all(|case| case.carries.is_empty()) {
            let names = sum.cases.iter().enumerate().map(|(n, case)| Name { name: case.name.as_str().into(), index: index(n) }).collect();
            return Ok(self.names(names, told));
        }
        let (mut cases, mut members) = (Vec::new(), Vec::new());
        for (n, case) in sum.cases.iter().enumerate() {
            let name = unique(&case.name, &mut self.taken);
            self.tags.push(Tag { name, ty: Type::Text { utf8: true }, root: true });
            let tag = self.tags.len() as u32;
            let (fields, ty) = self.row(&case.carries)?;
            self.tags[tag as usize - 1].ty = ty;
            cases.push(Case { name: case.name.as_str().into(), index: index(n), tag, fields });
            members.push(tag);
        }
        if members.is_empty() {
            return Ok((self.add(Node::Never), Type::Simple(Simple::Boolean)));
        }
        Ok((self.add(Node::Sum(cases, told)), Type::Polymorph(members)))
    }
}

/// Shortens a name to the maximum length of an enumerator.
fn short(name: String, number: i64, taken: &mut HashSet<String>) -> String {
    if name.len() <= crate::dictionary::MAX_ENUMERATOR { name } else { unique(&format!("e{number}"), taken) }
}
