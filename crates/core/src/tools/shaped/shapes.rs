//! Values of messages by a common schema, beside the types of its declarations.

use std::collections::HashMap;

use super::fit::Fit;
use super::forms::{Declared, Forms};
use crate::error::{Error, Result};
use crate::schema::{FieldType, Presence, Record, Schema, Sum, Type};

/// Shapes of all types of a schema.
#[derive(Debug, Default)]
pub struct Shapes {
    all: Vec<Shape>,
    pub(super) root: u32,
    plain: bool,
    /// True if null is a value of the declarations.
    pub(super) null: bool,
}

/// Shape of a type's values. Numbers are those of shapes.
#[derive(Debug)]
pub(super) enum Shape {
    /// A value without parts.
    Scalar(Fit),
    /// Fields by their slots, in the order of the declarations.
    Record(Box<[(Box<str>, u32)]>),
    List(u32),
    /// A map, with the shapes of keys and values.
    Map(u32, u32),
    /// A map as a list of pairs, with the shapes of keys and values.
    Pairs(u32, u32),
    /// The only field of a record that stands around a message.
    Only(u32),
    /// A row of values without names. True for a list, false for a tuple.
    Row(Box<[u32]>, bool),
    /// A case of a sum type.
    Cases(Box<[Case]>),
    /// Texts and records of one field, which name the case.
    Named(Box<[Case]>),
    /// Null, or a value.
    Nullable(u32),
    /// A value of one of several types, which no mark names.
    Untagged(Box<[(Box<str>, u32)]>),
    /// A value with the mark of another format, which has no bytes.
    Marked(Box<str>, u64, u32),
}

/// Alternatives of a repeated field: its values, and a single one.
pub const REPEATED: [&str; 2] = ["list", "one"];

/// Case of a sum type.
#[derive(Debug)]
pub(super) struct Case {
    pub name: Box<str>,
    /// Index that messages have.
    pub index: u32,
    pub carries: Box<[u32]>,
}

impl Shapes {
    /// Makes the shapes of a schema with these declarations, and gives their parts the names that
    /// messages have.
    ///
    /// # Errors
    /// The schema has no root, or the declarations are not its own.
    pub fn new<D: Declared>(schema: &Schema, declared: &mut D) -> Result<Shapes> {
        let name = schema.root.as_deref().ok_or_else(|| Error::internal("a schema without a root"))?;
        let (ty, forms) = (declared.root(), declared.forms());
        let shapes = Shapes { plain: true, null: forms.null, ..Shapes::default() };
        let mut making = Making { schema, declared, forms, shapes, known: HashMap::new() };
        let wrapped = !forms.roots && !matches!(schema.get(name), Some(Type::Record(_)));
        let root = if wrapped {
            let inner = *making.declared.parts(ty, &[ONLY])?.first().ok_or_else(others)?;
            let inner = making.reference(name, inner)?;
            making.other(Shape::Only(inner))
        } else {
            making.reference(name, ty)?
        };
        making.shapes.root = root;
        Ok(making.shapes)
    }

    /// Returns whether the events of the declared values are those of the messages.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns the field that a bare list stands for: the only list of the root type.
    pub(super) fn list_field(&self) -> Option<&str> {
        let Shape::Record(fields) = self.get(self.root) else { return None };
        let mut lists = fields.iter().filter(|(_, shape)| matches!(self.get(*shape), Shape::List(_)));
        lists.next().filter(|_| lists.next().is_none()).map(|(name, _)| &**name)
    }

    pub(super) fn get(&self, shape: u32) -> &Shape {
        &self.all[shape as usize]
    }
}

/// Name of the field in [`Shape::Only`].
pub(super) const ONLY: &str = "value";

/// Returns whether keys of a map are apart from its values in the declarations. Others make the map
/// a value of any type.
///
/// # Errors
/// A reference leads to no type.
pub fn is_key(schema: &Schema, ty: &Type) -> Result<bool> {
    Ok(!matches!(schema.resolve(ty)?, Type::Any | Type::Null | Type::Nullable(_) | Type::Sum(_) | Type::Enumeration(_)))
}

fn others() -> Error {
    Error::internal("declarations that are not the schema's")
}

struct Making<'s, 'd, D: Declared> {
    schema: &'s Schema,
    declared: &'d mut D,
    forms: Forms,
    shapes: Shapes,
    /// Shapes of named types.
    known: HashMap<&'s str, u32>,
}

impl<'s, D: Declared> Making<'s, '_, D> {
    fn add(&mut self, shape: Shape) -> u32 {
        self.shapes.all.push(shape);
        self.shapes.all.len() as u32 - 1
    }

    /// Adds a shape whose events are not those of the declarations.
    fn other(&mut self, shape: Shape) -> u32 {
        self.shapes.plain = false;
        self.add(shape)
    }

    fn reference(&mut self, name: &'s str, id: D::Type) -> Result<u32> {
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let ty = self.schema.get(name).ok_or_else(|| Error::internal("a reference to no type"))?;
        if let Type::Reference(other, _) = ty {
            let made = self.reference(other, id)?;
            self.known.insert(name, made);
            return Ok(made);
        }
        // A type may hold itself, so it has its number before its parts.
        let place = self.add(Shape::Scalar(Fit::Null));
        self.known.insert(name, place);
        let made = self.ty(ty, id)?;
        self.shapes.all[place as usize] = std::mem::replace(&mut self.shapes.all[made as usize], Shape::Scalar(Fit::Null));
        Ok(place)
    }

    fn ty(&mut self, ty: &'s Type, id: D::Type) -> Result<u32> {
        if let Some(fit) = Fit::of(ty, self.forms) {
            self.shapes.plain &= fit.is_plain(self.forms);
            return Ok(self.add(Shape::Scalar(fit)));
        }
        Ok(match ty {
            Type::List(inner, _) | Type::Set(inner, _) => {
                let element = self.declared.element(id)?;
                let inner = self.ty(inner, element)?;
                self.add(Shape::List(inner))
            }
            Type::Map(key, _) if !is_key(self.schema, key)? => self.other(Shape::Scalar(Fit::Any)),
            Type::Map(key, value) if self.forms.maps => {
                let (key_id, value_id) = self.declared.entries(id)?;
                let (key, value) = (self.ty(key, key_id)?, self.ty(value, value_id)?);
                self.add(Shape::Map(key, value))
            }
            Type::Map(key, value) => {
                let pair = self.declared.element(id)?;
                let [key_id, value_id] = self.declared.parts(pair, &["key", "value"])?[..] else { return Err(others()) };
                let (key, value) = (self.ty(key, key_id)?, self.ty(value, value_id)?);
                self.other(Shape::Pairs(key, value))
            }
            Type::Tuple(parts) => {
                let row = self.row(parts, id)?;
                self.other(Shape::Row(row, true))
            }
            Type::Record(record) => self.record(record, id)?,
            Type::Sum(sum) => self.sum(sum, id)?,
            Type::Enumeration(members) => {
                let names: Vec<&str> = members.members.iter().map(|(name, _)| name.as_str()).collect();
                self.declared.enumerators(id, &names);
                self.add(Shape::Scalar(Fit::Enumerator(names.into_iter().map(Box::from).collect())))
            }
            Type::Nullable(inner) => {
                let [_, value_id] = self.declared.parts(id, &["null", "value"])?[..] else { return Err(others()) };
                let inner = self.ty(inner, value_id)?;
                self.other(Shape::Nullable(inner))
            }
            Type::Reference(name, _) => self.reference(name, id)?,
            Type::Tagged { space, code, inner } => {
                let inner = self.ty(inner, id)?;
                // Without a mark, a row of fixed types is most likely a list.
                if let (Shape::Row(_, is_list), false) = (&mut self.shapes.all[inner as usize], self.declared.marks_lists(space)) {
                    *is_list = false;
                }
                self.other(Shape::Marked(space.as_str().into(), *code, inner))
            }
            _ => return Err(Error::internal("a type that is not adopted")),
        })
    }

    /// Returns the types of a type's parts, as many as there are names.
    fn parts<'n>(&mut self, id: D::Type, names: impl Iterator<Item = &'n str>) -> Result<Vec<D::Type>> {
        let names: Vec<&str> = names.collect();
        let types = self.declared.parts(id, &names)?;
        if types.len() == names.len() { Ok(types) } else { Err(others()) }
    }

    fn row(&mut self, parts: &'s [Type], id: D::Type) -> Result<Box<[u32]>> {
        let names: Vec<String> = (1..=parts.len()).map(|number| format!("item-{number}")).collect();
        let types = self.parts(id, names.iter().map(String::as_str))?;
        parts.iter().zip(types).map(|(part, id)| self.ty(part, id)).collect()
    }

    fn record(&mut self, record: &'s Record, id: D::Type) -> Result<u32> {
        let types = self.parts(id, record.fields.iter().map(|field| field.name.as_str()))?;
        let mut fields = Vec::with_capacity(types.len());
        for (field, id) in record.fields.iter().zip(types) {
            fields.push((field.name.as_str().into(), self.field(field, id)?));
        }
        Ok(self.add(Shape::Record(fields.into())))
    }

    fn field(&mut self, field: &'s FieldType, id: D::Type) -> Result<u32> {
        if field.presence != Presence::Repeated {
            return self.ty(&field.ty, id);
        }
        // A list is taken for all values of the field before it is taken for one.
        let [list, one] = REPEATED.map(Box::from);
        let [_, one_id] = self.declared.parts(id, &REPEATED)?[..] else { return Err(others()) };
        let inner = self.ty(&field.ty, one_id)?;
        let values = self.add(Shape::List(inner));
        Ok(self.other(Shape::Untagged([(list, values), (one, inner)].into())))
    }

    fn sum(&mut self, sum: &'s Sum, id: D::Type) -> Result<u32> {
        if sum.cases.is_empty() {
            return Ok(self.other(Shape::Untagged(Box::default())));
        }
        let types = self.parts(id, sum.cases.iter().map(|case| case.name.as_str()))?;
        let mut cases = Vec::with_capacity(types.len());
        for ((case, id), position) in sum.cases.iter().zip(types).zip(0..) {
            let carries = match &case.carries[..] {
                [] => Box::default(),
                [one] => [self.ty(one, id)?].into(),
                several => self.row(several, id)?,
            };
            // Cases of formats with sum types have numbers. Cases that were records of one field,
            // or texts, have none.
            let index = case.id.and_then(|id| u32::try_from(id).ok()).unwrap_or(position);
            cases.push(Case { name: case.name.as_str().into(), index, carries });
        }
        if sum.untagged {
            let carried = cases.into_iter().filter_map(|case| Some((case.name, *case.carries.first()?))).collect();
            return Ok(self.other(Shape::Untagged(carried)));
        }
        let told = sum.cases.iter().any(|case| case.id.is_some() || case.carries.len() > 1);
        let cases = cases.into_boxed_slice();
        Ok(self.other(if told { Shape::Cases(cases) } else { Shape::Named(cases) }))
    }
}
