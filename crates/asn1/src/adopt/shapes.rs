//! Values of messages by a common schema, beside the types of its module.

use std::collections::{HashMap, HashSet};

use polywire_core::schema::{FieldType, Presence, Record, Schema, Sum, Type};
use polywire_core::{Error, Result};
use smol_str::SmolStr;

use super::fit::Fit;
use crate::model::TypeId;
use crate::walk::Plan;
use crate::walk::plan::Op;

/// Shapes of all types of a schema.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    all: Vec<Shape>,
    pub(super) root: u32,
    plain: bool,
}

/// Shape of a type's values. Numbers are those of shapes.
#[derive(Debug)]
pub(super) enum Shape {
    /// A value without parts.
    Scalar(Fit),
    /// Fields by their slots, in the order of the module's components.
    Record(Box<[(SmolStr, u32)]>),
    List(u32),
    /// A map as a list of pairs, with the shapes of keys and values.
    Pairs(u32, u32),
    /// A row of values without names. True for a list, false for a tuple.
    Row(Box<[u32]>, bool),
    /// A case of a sum type.
    Cases(Box<[Case]>),
    /// Texts and records of one field, which name the case.
    Named(Box<[Case]>),
    /// Null, or a value.
    Nullable(u32),
    /// A value of one of several types, which no mark names.
    Untagged(Box<[(SmolStr, u32)]>),
    /// A value with the mark of another format, which has no bytes.
    Marked(Box<str>, u64, u32),
}

/// Alternatives of a repeated field: its values, and a single one.
pub(crate) const REPEATED: [&str; 2] = ["list", "one"];

/// Case of a sum type.
#[derive(Debug)]
pub(super) struct Case {
    pub name: SmolStr,
    /// Index that messages have.
    pub index: u32,
    pub carries: Box<[u32]>,
}

impl Shapes {
    /// Makes the shapes of a schema whose module is in `plan`, and gives the module's parts the
    /// names that messages have.
    pub fn new(schema: &Schema, plan: &mut Plan) -> Result<Shapes> {
        let name = schema.root.as_deref().ok_or_else(|| Error::internal("a schema without a root"))?;
        let ty = plan.root();
        let mut making =
            Making { schema, plan, shapes: Shapes { plain: true, ..Shapes::default() }, known: HashMap::new(), named: HashSet::new() };
        let root = making.reference(name, ty)?;
        making.shapes.root = root;
        Ok(making.shapes)
    }

    /// Returns whether the events of the module's values are those of the messages.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns the field that a bare list stands for: the only list of the root type.
    pub fn list_field(&self) -> Option<&str> {
        let Shape::Record(fields) = self.get(self.root) else { return None };
        let mut lists = fields.iter().filter(|(_, shape)| matches!(self.get(*shape), Shape::List(_)));
        lists.next().filter(|_| lists.next().is_none()).map(|(name, _)| name.as_str())
    }

    pub(super) fn get(&self, shape: u32) -> &Shape {
        &self.all[shape as usize]
    }
}

/// Returns whether keys of a map are apart from its values in the module. Others make the map a
/// value of any type.
pub(crate) fn is_key(schema: &Schema, ty: &Type) -> Result<bool> {
    Ok(!matches!(schema.resolve(ty)?, Type::Any | Type::Null | Type::Nullable(_) | Type::Sum(_) | Type::Enumeration(_)))
}

struct Making<'s, 'p> {
    schema: &'s Schema,
    plan: &'p mut Plan,
    shapes: Shapes,
    /// Shapes of named types.
    known: HashMap<&'s str, u32>,
    /// Structures, choices and enumerations that have their names.
    named: HashSet<Op>,
}

impl<'s> Making<'s, '_> {
    fn add(&mut self, shape: Shape) -> u32 {
        self.shapes.all.push(shape);
        self.shapes.all.len() as u32 - 1
    }

    /// Adds a shape whose events are not those of the module.
    fn other(&mut self, shape: Shape) -> u32 {
        self.shapes.plain = false;
        self.add(shape)
    }

    fn reference(&mut self, name: &'s str, id: TypeId) -> Result<u32> {
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

    /// Returns the types of a structure's components or a choice's alternatives, and gives these
    /// the names of the messages.
    fn parts(&mut self, id: TypeId, names: &mut dyn Iterator<Item = SmolStr>) -> Result<Vec<TypeId>> {
        let op = self.plan.node(id).op;
        if self.named.insert(op) {
            self.plan.rename(op, &names.collect::<Vec<_>>());
        }
        match op {
            Op::Structure(index) => Ok(self.plan.structure(index).components.iter().map(|known| known.ty).collect()),
            Op::Choice(index) => Ok(self.plan.choice(index).alternatives.iter().map(|known| known.ty).collect()),
            _ => Err(Error::internal("a module that is not the schema's")),
        }
    }

    fn element(&self, id: TypeId) -> Result<TypeId> {
        match self.plan.node(id).op {
            Op::List(element) => Ok(element),
            _ => Err(Error::internal("a module that is not the schema's")),
        }
    }

    fn ty(&mut self, ty: &'s Type, id: TypeId) -> Result<u32> {
        if let Some(fit) = Fit::of(ty) {
            self.shapes.plain &= fit.is_plain();
            return Ok(self.add(Shape::Scalar(fit)));
        }
        Ok(match ty {
            Type::List(inner, _) | Type::Set(inner, _) => {
                let element = self.element(id)?;
                let inner = self.ty(inner, element)?;
                self.add(Shape::List(inner))
            }
            Type::Map(key, _) if !is_key(self.schema, key)? => self.other(Shape::Scalar(Fit::Any)),
            Type::Map(key, value) => {
                let pair = self.element(id)?;
                let types = self.parts(pair, &mut ["key", "value"].map(SmolStr::new_static).into_iter())?;
                let (key, value) = (self.ty(key, types[0])?, self.ty(value, types[1])?);
                self.other(Shape::Pairs(key, value))
            }
            Type::Tuple(parts) => {
                let row = self.row(parts, id)?;
                self.other(Shape::Row(row, true))
            }
            Type::Record(record) => self.record(record, id)?,
            Type::Sum(sum) => self.sum(sum, id)?,
            Type::Enumeration(members) => {
                let names: Vec<SmolStr> = members.members.iter().map(|(name, _)| SmolStr::new(name)).collect();
                let op = self.plan.node(id).op;
                if self.named.insert(op) {
                    self.plan.rename(op, &names);
                }
                self.add(Shape::Scalar(Fit::Enumerator(names.into())))
            }
            Type::Nullable(inner) => {
                let types = self.parts(id, &mut ["null", "value"].map(SmolStr::new_static).into_iter())?;
                let inner = self.ty(inner, types[1])?;
                self.other(Shape::Nullable(inner))
            }
            Type::Reference(name, _) => self.reference(name, id)?,
            Type::Tagged { space, code, inner } => {
                let inner = self.ty(inner, id)?;
                // Under marks other than BER's, a row of fixed types is a tuple. Elsewhere it is
                // most likely a list.
                if let (Shape::Row(_, is_list), false) = (&mut self.shapes.all[inner as usize], space.starts_with("ber")) {
                    *is_list = false;
                }
                self.other(Shape::Marked(space.as_str().into(), *code, inner))
            }
            _ => return Err(Error::internal("a type that is not adopted")),
        })
    }

    fn row(&mut self, parts: &'s [Type], id: TypeId) -> Result<Box<[u32]>> {
        let types = self.parts(id, &mut (1..=parts.len()).map(|number| SmolStr::new(format!("item-{number}"))))?;
        parts.iter().zip(types).map(|(part, id)| self.ty(part, id)).collect()
    }

    fn record(&mut self, record: &'s Record, id: TypeId) -> Result<u32> {
        let types = self.parts(id, &mut record.fields.iter().map(|field| SmolStr::new(&field.name)))?;
        let mut fields = Vec::with_capacity(types.len());
        for (field, id) in record.fields.iter().zip(types) {
            fields.push((SmolStr::new(&field.name), self.field(field, id)?));
        }
        Ok(self.add(Shape::Record(fields.into())))
    }

    fn field(&mut self, field: &'s FieldType, id: TypeId) -> Result<u32> {
        if field.presence != Presence::Repeated {
            return self.ty(&field.ty, id);
        }
        // A list is taken for all values of the field before it is taken for one.
        let [list, one] = REPEATED.map(SmolStr::new_static);
        let types = self.parts(id, &mut [list.clone(), one.clone()].into_iter())?;
        let inner = self.ty(&field.ty, types[1])?;
        let values = self.add(Shape::List(inner));
        Ok(self.other(Shape::Untagged([(list, values), (one, inner)].into())))
    }

    fn sum(&mut self, sum: &'s Sum, id: TypeId) -> Result<u32> {
        if sum.cases.is_empty() {
            return Ok(self.other(Shape::Untagged(Box::default())));
        }
        let types = self.parts(id, &mut sum.cases.iter().map(|case| SmolStr::new(&case.name)))?;
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
            cases.push(Case { name: SmolStr::new(&case.name), index, carries });
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
