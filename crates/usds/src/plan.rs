//! A dictionary prepared for decoding and encoding: flat tables with links and ids resolved.
//!
//! Every field of every structure is a *slot*, a number that a program looks up once. Types refer
//! to each other by index, so a plan is no larger than its dictionary.

use std::sync::Arc;

use polywire_usds_runtime::output::Field as Written;

use crate::dictionary::{Default as Start, Dictionary, Enumeration, Field, Type};
use crate::error::Revision;
use crate::wire::codes::Simple;

/// A prepared dictionary.
#[derive(Debug, Clone)]
pub struct Plan {
    dictionary: Arc<Dictionary>,
    wire: Revision,
    /// Type of each tag; the index is the tag's id minus 1.
    pub(crate) tags: Vec<Op>,
    /// Type of each tag that is a root.
    roots: Vec<Option<Op>>,
    /// Type of each slot.
    pub(crate) ops: Vec<Op>,
    pub(crate) slots: Vec<Slot>,
    /// Method to write the word of each slot. A slot without a simple method has [`Written::Text`],
    /// and its structure is not quick.
    pub(crate) fields: Vec<Written>,
    pub(crate) shapes: Vec<Shape>,
    /// Element type of each array.
    pub(crate) elements: Vec<Op>,
    pub(crate) enumerations: Vec<Members>,
    /// Members of each polymorph.
    pub(crate) polymorphs: Vec<Vec<Member>>,
}

/// Type on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Boolean,
    Byte,
    Ubyte,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
    Varint,
    Uvarint,
    /// Text declared to be UTF-8.
    Text,
    /// Text of undeclared encoding.
    Octets,
    Enumeration(u32),
    Structure(u32),
    Array(u32),
    Polymorph(u32),
}

impl Op {
    const fn simple(simple: Simple) -> Op {
        match simple {
            Simple::Boolean => Op::Boolean,
            Simple::Byte => Op::Byte,
            Simple::Ubyte => Op::Ubyte,
            Simple::Short => Op::Short,
            Simple::Ushort => Op::Ushort,
            Simple::Int => Op::Int,
            Simple::Uint => Op::Uint,
            Simple::Long => Op::Long,
            Simple::Ulong => Op::Ulong,
            Simple::Float => Op::Float,
            Simple::Double => Op::Double,
            Simple::Varint => Op::Varint,
            Simple::Uvarint => Op::Uvarint,
        }
    }

    /// Returns whether the type is a single value, not a container.
    pub(crate) const fn is_scalar(self) -> bool {
        !matches!(self, Op::Structure(_) | Op::Array(_) | Op::Polymorph(_))
    }

    /// Returns the method to write a document's word of this type, if it is a simple one.
    const fn field(self) -> Option<Written> {
        Some(match self {
            Op::Boolean | Op::Byte | Op::Ubyte => Written::One,
            Op::Short | Op::Ushort => Written::Two,
            Op::Int | Op::Uint | Op::Float => Written::Four,
            Op::Long | Op::Ulong | Op::Double => Written::Eight,
            Op::Uvarint => Written::Uvarint,
            Op::Text | Op::Octets => Written::Text,
            Op::Varint | Op::Enumeration(_) | Op::Structure(_) | Op::Array(_) | Op::Polymorph(_) => return None,
        })
    }

    /// Returns the integer type, if this is one.
    pub(crate) const fn whole(self) -> Option<Simple> {
        Some(match self {
            Op::Byte => Simple::Byte,
            Op::Ubyte => Simple::Ubyte,
            Op::Short => Simple::Short,
            Op::Ushort => Simple::Ushort,
            Op::Int => Simple::Int,
            Op::Uint => Simple::Uint,
            Op::Long => Simple::Long,
            Op::Ulong => Simple::Ulong,
            Op::Varint => Simple::Varint,
            Op::Uvarint => Simple::Uvarint,
            _ => return None,
        })
    }

    /// Returns the name in the dictionary language.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Op::Boolean => "BOOLEAN",
            Op::Float => "FLOAT",
            Op::Double => "DOUBLE",
            Op::Text | Op::Octets => "STRING",
            Op::Enumeration(_) => "ENUM",
            Op::Structure(_) => "STRUCT",
            Op::Array(_) => "ARRAY",
            Op::Polymorph(_) => "POLYMORPH",
            other => match other.whole() {
                Some(simple) => simple.keyword(),
                None => "",
            },
        }
    }
}

/// A field of a structure.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) name: Box<str>,
    /// Id in its structure.
    pub(crate) id: u32,
    /// Position among the nullable fields, counted from 1; 0 if the field is not nullable.
    pub(crate) nullable: u32,
    pub(crate) default: Option<Start>,
}

/// A structure.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// Name of the tag or field of the structure.
    pub(crate) name: Box<str>,
    /// First slot.
    pub(crate) first: u32,
    /// Number of slots.
    pub(crate) len: u32,
    /// Number of presence bytes before the fields.
    pub(crate) presence: u32,
    /// Number of nullable fields.
    pub(crate) nullable: u32,
    /// True if all fields are scalars that are not nullable.
    pub(crate) flat: bool,
    /// Number of leading fields that are scalars and not nullable.
    pub(crate) lead: u32,
    /// True if each leading field has a [`Written`] method.
    pub(crate) quick: bool,
    /// True if the other fields are arrays of structures of such scalars, and no field is nullable.
    pub(crate) regular: bool,
    /// True if fields have defaults.
    pub(crate) defaults: bool,
}

impl Shape {
    #[inline]
    pub(crate) fn slots(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }
}

/// An enumeration.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    pub(crate) subtype: Simple,
    /// Names and numbers in the order of definition.
    pub(crate) names: Vec<(Box<str>, i64)>,
    /// Numbers in ascending order, each with its position.
    by_number: Vec<(i64, u32)>,
}

impl Members {
    fn new(enumeration: &Enumeration) -> Members {
        let mut by_number: Vec<(i64, u32)> = enumeration.members.iter().map(|(_, number)| *number).zip(0..).collect();
        by_number.sort_unstable();
        let names = enumeration.members.iter().map(|(name, number)| (name.as_str().into(), *number)).collect();
        Members { subtype: enumeration.subtype, names, by_number }
    }

    /// Returns the position of the enumerator with that number.
    pub(crate) fn position(&self, number: i64) -> Option<u32> {
        let found = self.by_number.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(self.by_number[found].1)
    }
}

/// A structure that a polymorph may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) tag: u32,
    pub(crate) shape: u32,
}

impl Plan {
    /// Prepares a dictionary.
    pub fn new(dictionary: Arc<Dictionary>) -> Plan {
        let wire = dictionary.wire();
        let mut plan = Plan {
            wire,
            tags: Vec::new(),
            roots: Vec::new(),
            ops: Vec::new(),
            slots: Vec::new(),
            fields: Vec::new(),
            shapes: Vec::new(),
            elements: Vec::new(),
            enumerations: Vec::new(),
            polymorphs: Vec::new(),
            dictionary: Arc::clone(&dictionary),
        };
        // Tag types come first, so that links can be resolved.
        for tag in dictionary.tags() {
            let op = plan.begin(&tag.ty, &tag.name);
            plan.tags.push(op);
            plan.roots.push(tag.root.then_some(op));
        }
        for (index, tag) in dictionary.tags().iter().enumerate() {
            plan.fill(plan.tags[index], &tag.ty, &tag.name);
        }
        for index in 0..plan.shapes.len() {
            plan.shapes[index].regular = plan.is_regular(&plan.shapes[index]);
        }
        plan
    }

    fn is_regular(&self, shape: &Shape) -> bool {
        let is_quick_row = |op: &Op| match op {
            Op::Structure(index) => self.shapes[*index as usize].flat && self.shapes[*index as usize].quick,
            _ => false,
        };
        let is_list = |op: &Op| matches!(op, Op::Array(array) if is_quick_row(&self.elements[*array as usize]));
        shape.nullable == 0 && shape.quick && self.ops[shape.slots()].iter().skip(shape.lead as usize).all(is_list)
    }

    /// Reserves the entry of a type.
    fn begin(&mut self, ty: &Type, name: &str) -> Op {
        match ty {
            Type::Simple(simple) => Op::simple(*simple),
            Type::Text { utf8: true } => Op::Text,
            Type::Text { utf8: false } => Op::Octets,
            Type::Link(id) => self.tags.get((*id as usize).wrapping_sub(1)).copied().unwrap_or(Op::Octets),
            Type::Enumeration(enumeration) => {
                self.enumerations.push(Members::new(enumeration));
                Op::Enumeration(self.enumerations.len() as u32 - 1)
            }
            Type::Structure(_) => {
                self.shapes.push(Shape {
                    name: name.into(),
                    first: 0,
                    len: 0,
                    presence: 0,
                    nullable: 0,
                    flat: false,
                    lead: 0,
                    quick: false,
                    regular: false,
                    defaults: false,
                });
                Op::Structure(self.shapes.len() as u32 - 1)
            }
            Type::Array(_) => {
                self.elements.push(Op::Octets);
                Op::Array(self.elements.len() as u32 - 1)
            }
            Type::Polymorph(_) => {
                self.polymorphs.push(Vec::new());
                Op::Polymorph(self.polymorphs.len() as u32 - 1)
            }
        }
    }

    /// Fills in the contents of a type. Recursion is bounded by the nesting of inline types.
    fn fill(&mut self, op: Op, ty: &Type, name: &str) {
        match (op, ty) {
            (Op::Structure(shape), Type::Structure(fields)) => self.fields(shape, fields),
            (Op::Array(array), Type::Array(element)) => {
                let inner = self.begin(element, name);
                self.elements[array as usize] = inner;
                self.fill(inner, element, name);
            }
            (Op::Polymorph(polymorph), Type::Polymorph(members)) => {
                let mut found = Vec::new();
                let mut seen = std::collections::HashSet::new();
                let mut due: Vec<u32> = members.iter().rev().copied().collect();
                while let Some(tag) = due.pop() {
                    if !seen.insert(tag) {
                        continue;
                    }
                    match (self.tags.get((tag as usize).wrapping_sub(1)), self.dictionary.tag(tag).map(|tag| &tag.ty)) {
                        (Some(Op::Structure(shape)), _) => found.push(Member { tag, shape: *shape }),
                        (_, Some(Type::Polymorph(inner))) => due.extend(inner.iter().rev()),
                        _ => {}
                    }
                }
                self.polymorphs[polymorph as usize] = found;
            }
            _ => {}
        }
    }

    fn fields(&mut self, shape: u32, fields: &[Field]) {
        let first = self.ops.len();
        let mut nullable = 0;
        for (field, id) in fields.iter().zip(1..) {
            nullable += u32::from(field.nullable);
            let op = self.begin(&field.ty, &field.name);
            self.ops.push(op);
            self.fields.push(op.field().unwrap_or(Written::Text));
            let index = if field.nullable { nullable } else { 0 };
            self.slots.push(Slot { name: field.name.as_str().into(), id, nullable: index, default: field.default.clone() });
        }
        let lead = self.ops[first..].iter().zip(fields).take_while(|(op, field)| op.is_scalar() && !field.nullable).count() as u32;
        let quick = self.ops[first..].iter().take(lead as usize).all(|op| op.field().is_some());
        let own = &mut self.shapes[shape as usize];
        own.defaults = fields.iter().any(|field| field.default.is_some());
        (own.first, own.len, own.nullable, own.presence) = (first as u32, fields.len() as u32, nullable, nullable.div_ceil(8));
        (own.lead, own.flat, own.quick) = (lead, lead == own.len, quick);
        for (n, field) in fields.iter().enumerate() {
            if !matches!(field.ty, Type::Link(_)) {
                self.fill(self.ops[first + n], &field.ty, &field.name);
            }
        }
    }

    /// Returns the dictionary.
    pub fn dictionary(&self) -> &Arc<Dictionary> {
        &self.dictionary
    }

    /// Returns the revision in which bodies and sections are written.
    pub fn wire(&self) -> Revision {
        self.wire
    }

    /// Returns the slot of a field, by the name of a structure's tag and the name of the field.
    pub fn slot(&self, tag: &str, field: &str) -> Option<u32> {
        let id = self.dictionary.tag_id(tag)?;
        let Op::Structure(shape) = self.tags[id as usize - 1] else { return None };
        self.shapes[shape as usize].slots().find(|slot| *self.slots[*slot].name == *field).map(|slot| slot as u32)
    }

    /// Returns the slot of a field, by the id of a structure's tag and the id of the field.
    pub fn slot_by_id(&self, tag: u32, field: u32) -> Option<u32> {
        let Op::Structure(shape) = *self.tags.get((tag as usize).checked_sub(1)?)? else { return None };
        let shape = &self.shapes[shape as usize];
        (1..=shape.len).contains(&field).then(|| shape.first + field - 1)
    }

    /// Returns the name of an enumerator, as given by
    /// [`Scalar::Enumerator`](crate::events::Scalar::Enumerator).
    pub fn enumerator(&self, enumeration: u32, position: u32) -> &str {
        let members = self.enumerations.get(enumeration as usize);
        members.and_then(|members| members.names.get(position as usize)).map_or("", |(name, _)| name)
    }

    /// Returns the name of a slot's field.
    pub fn slot_name(&self, slot: u32) -> &str {
        self.slots.get(slot as usize).map_or("", |slot| &slot.name)
    }

    /// Returns the type of the tag with that id.
    #[inline]
    pub(crate) fn tag_op(&self, id: u32) -> Option<Op> {
        self.tags.get((id as usize).checked_sub(1)?).copied()
    }

    /// Returns the type of the tag with that id, if it is a root.
    #[inline]
    pub(crate) fn root_op(&self, id: u32) -> Option<Op> {
        self.roots.get((id as usize).wrapping_sub(1)).copied().flatten()
    }

    pub(crate) fn tag_name(&self, id: u32) -> &str {
        self.dictionary.tag(id).map_or("", |tag| &tag.name)
    }
}
