//! The plan of a common schema. Messages have the bytes that a protocol of the schema would give
//! them; a view on each type makes the values come back unchanged.

use std::collections::HashMap;

use polywire_core::schema::{FieldType, Presence, Record, Schema, Sum, Type, Width};
use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::model::{MAX_DEPTH, Primitive};
use crate::plan::{Absent, Case, MessageKind, Node, Plan, Run, Shape, Slot, View};

/// Most types between a type and itself. Reading such values recurses that often per round.
const MAX_CIRCLE: u32 = 32;

/// Returns the plan of the root type of `schema`.
///
/// # Errors
/// A type that extprot cannot express: types that hold only themselves, and types of ASN.1 only.
pub fn adopt(schema: &Schema) -> Result<Plan> {
    schema.check()?;
    let root = schema.root.as_deref().ok_or_else(|| unsupported("a schema without a root type"))?;
    let mut making = Making { schema, plan: Plan::empty(), known: HashMap::new(), nested: Vec::new(), around: 0 };
    let root = making.named(root, 0)?;
    let Making { mut plan, known, nested, .. } = making;
    for (node, name) in nested {
        let Some(Known::Made(inner)) = known.get(name) else { return Err(Error::internal("a type around itself that was not made")) };
        plan.nodes[node as usize].shape = Shape::Nested(*inner);
    }
    // A message must be at the top, so a value of another type is the only field of a message.
    plan.root = match plan.node(root).shape {
        Shape::Message { .. } => root,
        _ => {
            let case = plan.row("", 0, [("", root as usize, true)].into_iter());
            let shape = plan.message("message", Run { first: case, len: 1 }, MessageKind::Plain);
            plan.add(Node { shape, absent: Absent::Missing, view: View::Wrapper, literal: None })
        }
    };
    plan.rests();
    Ok(plan)
}

struct Making<'s> {
    schema: &'s Schema,
    plan: Plan,
    known: HashMap<&'s str, Known>,
    /// Nodes for values within strings, with the names of their types.
    nested: Vec<(u32, &'s str)>,
    /// Number of types around the current one that open a container.
    around: u32,
}

/// A named type.
#[derive(Debug, Clone, Copy)]
enum Known {
    /// Its node is being built, within that many containers and types.
    Making(u32, u32),
    /// Its node.
    Made(u32),
}

/// Returns whether keys of the type are written apart from their values. Keys of several kinds are
/// not.
pub(crate) fn is_key(schema: &Schema, ty: &Type) -> Result<bool> {
    let of_one_kind = !matches!(schema.resolve(ty)?, Type::Any | Type::Null | Type::Nullable(_) | Type::Sum(_) | Type::Enumeration(_));
    Ok(of_one_kind)
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Schema).seen(seen.into()).expected("types that extprot has")
}

impl<'s> Making<'s> {
    fn named(&mut self, name: &'s str, depth: u32) -> Result<u32> {
        match self.known.get(name) {
            Some(Known::Made(node)) => return Ok(*node),
            Some(Known::Making(around, from)) if *around == self.around || depth - from > MAX_CIRCLE => {
                return Err(unsupported(format!("the type {name}, which is made of itself")));
            }
            // extprot has no recursive types. Reading and writing end, because each round opens a
            // container.
            Some(Known::Making(..)) => {
                let node = self.node(Shape::Nested(0), View::Wrapper);
                self.nested.push((node, name));
                return Ok(node);
            }
            None => {}
        }
        self.known.insert(name, Known::Making(self.around, depth));
        let ty = self.schema.get(name).ok_or_else(|| unsupported(format!("the type {name}, which is not defined")))?;
        let node = self.ty(ty, depth)?;
        self.known.insert(name, Known::Made(node));
        Ok(node)
    }

    fn node(&mut self, shape: Shape, view: View) -> u32 {
        self.plan.add(Node { shape, absent: Absent::Missing, view, literal: None })
    }

    fn primitive(&mut self, primitive: Primitive, view: View) -> u32 {
        self.node(Shape::Primitive(primitive), view)
    }

    fn ty(&mut self, ty: &'s Type, depth: u32) -> Result<u32> {
        // The view of a type may add one type around it.
        if depth > MAX_DEPTH / 2 {
            return Err(unsupported(format!("more than {} types within each other", MAX_DEPTH / 2)));
        }
        let opens = match ty {
            Type::List(..) | Type::Set(..) | Type::Map(..) | Type::Tuple(_) | Type::Record(_) | Type::Tagged { .. } => true,
            Type::Sum(sum) => !sum.untagged,
            _ => false,
        };
        self.around += u32::from(opens);
        let made = self.made(ty, depth + 1);
        self.around -= u32::from(opens);
        made
    }

    fn made(&mut self, ty: &'s Type, depth: u32) -> Result<u32> {
        Ok(match ty {
            Type::Bool => self.primitive(Primitive::Bool, View::Declared),
            Type::UInt(Width::W8) => self.primitive(Primitive::Byte, View::Declared),
            Type::UInt(Width::W64) => self.primitive(Primitive::Int, View::Unsigned),
            Type::Int(_) | Type::UInt(_) => self.primitive(Primitive::Int, View::Declared),
            Type::Integer(_) | Type::Decimal => self.primitive(Primitive::String, View::Number),
            Type::F64 => self.primitive(Primitive::Float, View::Declared),
            Type::Number => self.primitive(Primitive::Float, View::Whole),
            Type::F32 => self.primitive(Primitive::Float, View::Single),
            Type::Text(_) | Type::Octets(_) => self.primitive(Primitive::String, View::Declared),
            Type::Bytes(_) => self.primitive(Primitive::String, View::Bytes),
            Type::Timestamp(_) => self.primitive(Primitive::String, View::Moment),
            Type::List(inner, _) | Type::Set(inner, _) => {
                let element = self.ty(inner, depth)?;
                self.node(Shape::List(element), View::Declared)
            }
            Type::Map(key, _) if !is_key(self.schema, key)? => self.primitive(Primitive::String, View::Any),
            Type::Map(key, value) => {
                let (key, value) = (self.ty(key, depth)?, self.ty(value, depth)?);
                let pair = self.plan.row("", 0, [("", key as usize, true), ("", value as usize, true)].into_iter());
                let pair = self.node(Shape::Tuple(pair), View::Declared);
                self.node(Shape::List(pair), View::Pairs)
            }
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.ty(part, depth)).collect::<Result<Vec<u32>>>()?;
                let case = self.plan.row("", 0, parts.iter().map(|part| ("", *part as usize, true)));
                self.node(Shape::Tuple(case), View::Row)
            }
            Type::Record(record) => self.record(record, depth)?,
            Type::Sum(sum) => self.sum(sum, depth)?,
            Type::Enumeration(members) => {
                let names: Vec<(&str, u32)> = members.members.iter().zip(0..).map(|((name, _), n)| (name.as_str(), n)).collect();
                self.choice(&names, &[], View::Named)
            }
            Type::Null => self.choice(&[("Null", 0)], &[], View::Nullable),
            Type::Nullable(inner) => {
                let inner = self.ty(inner, depth)?;
                self.choice(&[("None", 0)], &[("Some", 1, vec![inner])], View::Nullable)
            }
            Type::Reference(name, arguments) if arguments.is_empty() => self.named(name, depth)?,
            Type::Tagged { space, code, inner } => {
                let inner = self.ty(inner, depth)?;
                // Under marks other than BER's, a row of fixed types is a tuple. Elsewhere it is
                // most likely a list.
                let node = &mut self.plan.nodes[inner as usize];
                if node.view == View::Row && !space.starts_with("ber") {
                    node.view = View::Declared;
                }
                self.plan.marks.push((space.as_str().into(), *code));
                let mark = self.plan.marks.len() as u32 - 1;
                self.node(Shape::Marked { mark, inner }, View::Wrapper)
            }
            Type::Any => self.primitive(Primitive::String, View::Any),
            other => return Err(unsupported(format!("the type {other}"))),
        })
    }

    /// Returns a sum type of constant constructors and constructors with arguments, each with its
    /// index.
    fn choice(&mut self, constants: &[(&str, u32)], cases: &[(&str, u32, Vec<u32>)], view: View) -> u32 {
        let plan = &mut self.plan;
        let first = plan.constants.len() as u32;
        plan.constants.extend(constants.iter().map(|(name, index)| ((*name).into(), *index)));
        let constants = Run { first, len: constants.len() as u32 };
        let first = plan.cases.len() as u32;
        for (name, index, arguments) in cases {
            plan.row(name, *index, arguments.iter().map(|node| ("", *node as usize, true)));
        }
        let cases = Run { first, len: cases.len() as u32 };
        self.node(Shape::Sum { constants, cases }, view)
    }

    fn record(&mut self, record: &'s Record, depth: u32) -> Result<u32> {
        let mut fields = Vec::new();
        for field in &record.fields {
            fields.push((field.name.as_str(), self.field(field, depth)? as usize, true));
        }
        let case = self.plan.row("", 0, fields.into_iter());
        let shape = self.plan.message("record", Run { first: case, len: 1 }, MessageKind::Plain);
        Ok(self.node(shape, View::Declared))
    }

    fn field(&mut self, field: &'s FieldType, depth: u32) -> Result<u32> {
        let inner = self.ty(&field.ty, depth)?;
        Ok(match field.presence {
            Presence::Required => inner,
            Presence::Optional => {
                let node = self.choice(&[("None", 0)], &[("Some", 1, vec![inner])], View::Optional);
                self.plan.nodes[node as usize].absent = Absent::Default;
                node
            }
            Presence::Repeated => {
                let node = self.node(Shape::List(inner), View::Repeated);
                self.plan.nodes[node as usize].absent = Absent::Default;
                node
            }
        })
    }

    fn sum(&mut self, sum: &'s Sum, depth: u32) -> Result<u32> {
        let mut constants = Vec::new();
        let mut cases = Vec::new();
        for (position, case) in sum.cases.iter().enumerate() {
            // Cases of formats with sum types have numbers. Cases that were records of one field,
            // or texts, have none.
            let index = case.id.and_then(|id| u32::try_from(id).ok()).unwrap_or(position as u32);
            if case.carries.is_empty() && !sum.untagged {
                constants.push((case.name.as_str(), index));
            } else {
                let arguments = case.carries.iter().map(|ty| self.ty(ty, depth)).collect::<Result<Vec<u32>>>()?;
                cases.push((case.name.as_str(), index, arguments));
            }
        }
        let told = sum.cases.iter().any(|case| case.id.is_some()) || cases.iter().any(|(_, _, arguments)| arguments.len() != 1);
        let view = if sum.untagged {
            View::Untagged
        } else if told {
            View::Declared
        } else {
            View::Named
        };
        Ok(self.choice(&constants, &cases, view))
    }
}

impl Plan {
    fn empty() -> Plan {
        Plan {
            nodes: Vec::new(),
            cases: Vec::<Case>::new(),
            constants: Vec::new(),
            checks: Vec::new(),
            lone: Vec::new(),
            lone_of: Vec::new(),
            slots: Vec::<Slot>::new(),
            names: Vec::new(),
            lazy: Vec::new(),
            marks: Vec::new(),
            messages: Vec::new(),
            root: 0,
            encodable: true,
        }
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }
}
