//! A message type prepared for decoding and encoding: the nodes of the model as flat tables, with
//! the facts that each step needs precomputed.
//!
//! Nodes refer to each other by index, and equal types are one node, so a plan is no larger than
//! its protocol. Types are finite trees, so recursion over a plan is as deep as its types, at most
//! [`MAX_DEPTH`](crate::model::MAX_DEPTH).

use polywire_core::{Error, ErrorKind, Fault, Result};
use polywire_extprot_runtime::scan::Cases;

use crate::model::{Field, Kind, Literal, Primitive, Protocol};
use crate::wire::WireType;

/// Tables to decode and encode messages of one type.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) nodes: Vec<Node>,
    /// Constructors with arguments, variants, and the single row of values of each plain message
    /// and tuple.
    pub(crate) cases: Vec<Case>,
    /// Constant constructors: name, and position in the declaration.
    pub(crate) constants: Vec<(Box<str>, u32)>,
    pub(crate) slots: Vec<Slot>,
    /// Facts that a check of each slot's value needs, one entry per slot.
    pub(crate) checks: Vec<Check>,
    /// Sum types whose constructors have at most one primitive each.
    pub(crate) lone: Vec<Cases>,
    /// Index in `lone` of each node of such a type.
    pub(crate) lone_of: Vec<Option<u32>>,
    /// Names of the fields, one per slot; empty for elements and arguments.
    pub(crate) names: Vec<Box<str>>,
    /// True if a decoder with lazy fields defers a slot's value (docs/spec/extprot.md 5.8), one
    /// entry per slot.
    pub(crate) lazy: Vec<bool>,
    /// Marks of other formats: tag space and code.
    pub(crate) marks: Vec<(Box<str>, u64)>,
    /// Names of messages in error paths.
    pub(crate) messages: Vec<Box<str>>,
    pub(crate) root: u32,
    pub(crate) encodable: bool,
}

/// A type.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    pub(crate) absent: Absent,
    /// View of its values, if they differ from the protocol language's meaning.
    pub(crate) view: View,
    /// Default of a primitive, if it has one.
    pub(crate) literal: Option<Literal>,
}

/// Structure of a type on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Primitive(Primitive),
    List(u32),
    /// Index of the tuple's only case.
    Tuple(u32),
    Sum {
        constants: Run,
        cases: Run,
    },
    Message {
        name: u32,
        cases: Run,
        kind: MessageKind,
    },
    /// A message of another module, about which nothing is known.
    External,
    /// A value of this node that is stepped over; see [`Plan::deferring`].
    Deferred(u32),
    /// A value of another node within a string, where the type is around itself.
    Nested(u32),
    /// A value of another node under a mark of the schema, which has no bytes.
    Marked {
        mark: u32,
        inner: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Plain,
    Union,
    Subset,
}

/// Consecutive entries of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u32,
    pub(crate) len: u32,
}

impl Run {
    /// Returns the index in the table of the entry with that number.
    #[inline]
    pub(crate) fn at(self, number: u64) -> Option<usize> {
        (number < u64::from(self.len)).then(|| self.first as usize + number as usize)
    }

    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }
}

/// Result for an absent value of a type (docs/spec/extprot.md 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// No default exists.
    Missing,
    /// A nested message claims a default and has none.
    Broken,
    Default,
}

/// Meaning of values for a sink. The bytes do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// The meaning in the protocol language.
    Declared,
    /// A message whose only field is the value itself.
    Wrapper,
    /// An int that stands for an unsigned integer of the same 64 bits.
    Unsigned,
    /// A float that is a binary32.
    Single,
    /// A float whose whole numbers are integers.
    Whole,
    /// A string that is the text of a number of any kind.
    Number,
    /// A string that is binary data.
    Bytes,
    /// A string that holds a value of any type.
    Any,
    /// A string that is the RFC 3339 text of a moment.
    Moment,
    /// A tuple that is a list.
    Row,
    /// A list of pairs that is a map.
    Pairs,
    /// A list whose only element stands for itself; an empty list means an absent field.
    Repeated,
    /// A sum type whose constant constructor is null. The argument of the other constructor stands
    /// for itself.
    Nullable,
    /// A sum type whose constant constructor means an absent field. The argument of the other
    /// constructor stands for itself.
    Optional,
    /// A sum type whose constant constructors are texts and whose other constructors are records of
    /// one field.
    Named,
    /// A sum type whose arguments stand for themselves.
    Untagged,
}

/// A row of values: the fields of a message or variant, elements of a tuple, or arguments of a
/// constructor.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Name of the constructor or variant.
    pub(crate) name: Box<str>,
    /// Position in the declaration.
    pub(crate) position: u32,
    pub(crate) slots: Run,
    /// Number of wanted slots; fewer than all in subsets only.
    pub(crate) wanted: u32,
    /// True if all wanted values are always emitted; a view may leave some out.
    pub(crate) fixed: bool,
    /// True if the row is fixed and has no lazy value.
    pub(crate) plain: bool,
    /// Own wire type of the first value if it is a primitive, which may then be promoted.
    pub(crate) promotes: Option<WireType>,
    /// Result for the absent values if only the first is present: the worst of theirs.
    pub(crate) rest: Absent,
}

/// A value in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) node: u32,
    /// True if the value is decoded; false for unwanted fields of a subset's source.
    pub(crate) wanted: bool,
}

/// The usual bytes of a primitive. These masks give its end without a branch on its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own {
    /// Prefix of the primitive.
    pub(crate) prefix: u8,
    /// Payload length in bytes, if it is fixed.
    pub(crate) fixed: u8,
    /// All ones if the payload is a vint.
    pub(crate) vint: u8,
    /// All ones if the payload starts with a length.
    pub(crate) length: u8,
}

impl Own {
    pub(crate) const fn of(primitive: Primitive) -> Own {
        let wire = own(primitive);
        let fixed = match wire.fixed() {
            Some(size) => size as u8,
            None => 0,
        };
        Own {
            prefix: wire.code(),
            fixed,
            vint: if matches!(wire, WireType::Vint) { 0xff } else { 0 },
            length: if matches!(wire, WireType::Bytes) { 0xff } else { 0 },
        }
    }
}

/// Method to check a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// A primitive.
    Primitive(Primitive, Own),
    /// A list of bools or bytes: the node of the list, and the type of its elements.
    Octets(u32, Primitive),
    /// Any other type.
    Node(u32),
}

/// Returns the wire type that a primitive is written with (docs/spec/extprot.md 4.3).
pub(crate) const fn own(primitive: Primitive) -> WireType {
    match primitive {
        Primitive::Bool | Primitive::Byte => WireType::Bits8,
        Primitive::Int => WireType::Vint,
        Primitive::Long => WireType::Bits64Long,
        Primitive::Float => WireType::Bits64Float,
        Primitive::String => WireType::Bytes,
    }
}

/// Returns the name of a primitive in scans of whole lists.
const fn scanned(primitive: Primitive) -> polywire_extprot_runtime::shape::Primitive {
    use polywire_extprot_runtime::shape::Primitive as Scanned;
    match primitive {
        Primitive::Bool => Scanned::Bool,
        Primitive::Byte => Scanned::Byte,
        Primitive::Int => Scanned::Int,
        Primitive::Long => Scanned::Long,
        Primitive::Float => Scanned::Float,
        Primitive::String => Scanned::String,
    }
}

/// Returns the wire types that a primitive is read from, one bit each (docs/spec/extprot.md 5.4).
pub(crate) const fn accepted(primitive: Primitive) -> u16 {
    const fn bit(wire: WireType) -> u16 {
        1 << wire.code()
    }
    match primitive {
        Primitive::Bool | Primitive::Byte => bit(WireType::Bits8),
        Primitive::Int => bit(WireType::Vint) | bit(WireType::Bits8),
        Primitive::Long => bit(WireType::Bits64Long) | bit(WireType::Vint) | bit(WireType::Bits8) | bit(WireType::Bits32),
        Primitive::Float => {
            bit(WireType::Bits64Float) | bit(WireType::Vint) | bit(WireType::Bits8) | bit(WireType::Bits32) | bit(WireType::Bits64Long)
        }
        Primitive::String => bit(WireType::Bytes),
    }
}

impl Plan {
    /// Returns the plan of the message `message` of `protocol`. Without a name, uses the last
    /// message that can be written.
    ///
    /// # Errors
    /// The message does not exist, or it contains messages of another module.
    pub fn new(protocol: &Protocol, message: Option<&str>) -> Result<Plan> {
        let names = || protocol.messages().map(|(declaration, _)| declaration.name.as_str()).collect::<Vec<&str>>().join(", ");
        let root = match message {
            Some(name) => {
                protocol.message(name).ok_or_else(|| Error::usage(format!("the message `{name}`")).expected(format!("one of {}", names())))
            }
            None => {
                // Views follow the message that they view, and are not sent.
                let whole = protocol.messages().rfind(|(_, node)| protocol[*node].encodable);
                whole.or_else(|| protocol.messages().next_back()).map(|(_, node)| node).ok_or_else(|| {
                    Error::new(ErrorKind::Syntax, Fault::Schema).seen("a protocol without messages").expected("one message at least")
                })
            }
        }?;
        let mut plan = Plan {
            nodes: Vec::with_capacity(protocol.nodes().len()),
            cases: Vec::new(),
            constants: Vec::new(),
            slots: Vec::new(),
            checks: Vec::new(),
            lone: Vec::new(),
            lone_of: Vec::new(),
            names: Vec::new(),
            lazy: Vec::new(),
            marks: Vec::new(),
            messages: Vec::new(),
            root: root.index() as u32,
            encodable: protocol[root].encodable,
        };
        let mut known = Vec::with_capacity(protocol.nodes().len());
        for (id, node) in protocol.nodes() {
            let parts = protocol.parts(id);
            known.push(!matches!(node.kind, Kind::External(_)) && parts.iter().all(|part| known.get(part.index()) == Some(&true)));
            let (shape, literal) = plan.shape(&node.kind);
            plan.mark_lazy(protocol, &node.kind, shape);
            // The default of a wrapped type is text of the host language; only the default of the
            // wire type can be used.
            let made = node.wrapped.is_none() || !matches!(shape, Shape::Primitive(_)) || literal.is_some();
            let absent = match (node.default.claimed, node.default.exists && made) {
                (false, _) => Absent::Missing,
                (true, true) => Absent::Default,
                (true, false) if matches!(shape, Shape::Primitive(_)) => Absent::Missing,
                (true, false) => Absent::Broken,
            };
            plan.nodes.push(Node { shape, absent, view: View::Declared, literal });
        }
        if known[root.index()] {
            plan.rests();
            return Ok(plan);
        }
        Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
            .seen(format!("the message `{}`, which holds a message of another module", protocol.type_name(root)))
            .expected("a message whose types are all known")
            .hint("include the other protocol instead"))
    }

    fn shape(&mut self, kind: &Kind) -> (Shape, Option<Literal>) {
        let shape = match kind {
            Kind::Primitive { primitive, default } => {
                let literal = default.clone().or((*primitive == Primitive::Bool).then_some(Literal::Bool(false)));
                return (Shape::Primitive(*primitive), literal);
            }
            Kind::List { element, .. } => Shape::List(element.index() as u32),
            Kind::Tuple(parts) => Shape::Tuple(self.row("", 0, parts.iter().map(|part| ("", part.index(), true)))),
            Kind::Sum(sum) => {
                let (constants, cases) = (self.constants.len() as u32, self.cases.len() as u32);
                for (position, constructor) in sum.constructors.iter().enumerate() {
                    if constructor.is_constant() {
                        self.constants.push((constructor.name.as_str().into(), position as u32));
                    } else {
                        let arguments = constructor.arguments.iter().map(|part| ("", part.index(), true));
                        self.row(&constructor.name, position as u32, arguments);
                    }
                }
                let run = |first: u32, len: usize| Run { first, len: len as u32 - first };
                Shape::Sum { constants: run(constants, self.constants.len()), cases: run(cases, self.cases.len()) }
            }
            Kind::Record(record) => {
                let case = self.row("", 0, fields(&record.fields));
                self.message(&record.name, Run { first: case, len: 1 }, MessageKind::Plain)
            }
            Kind::Union(union) => {
                let first = self.cases.len() as u32;
                for (position, variant) in union.variants.iter().enumerate() {
                    self.row(&variant.name, position as u32, fields(&variant.fields));
                }
                self.message(&union.name, Run { first, len: union.variants.len() as u32 }, MessageKind::Union)
            }
            Kind::Subset(subset) => {
                let last = subset.fields.last().map_or(0, |wanted| wanted.position + 1);
                let mut wanted = subset.fields.iter().peekable();
                let rows = (0..last).map(|position| match wanted.next_if(|wanted| wanted.position == position) {
                    Some(wanted) => (wanted.field.name.as_str(), wanted.field.ty.index(), true),
                    // Its type is never read.
                    None => ("", subset.source.index(), false),
                });
                let case = self.row("", 0, rows);
                self.message(&subset.name, Run { first: case, len: 1 }, MessageKind::Subset)
            }
            Kind::External(_) => Shape::External,
        };
        (shape, None)
    }

    pub(crate) fn message(&mut self, name: &str, cases: Run, kind: MessageKind) -> Shape {
        self.messages.push(name.into());
        Shape::Message { name: self.messages.len() as u32 - 1, cases, kind }
    }

    /// Adds a row of values. Returns its index.
    pub(crate) fn row<'n>(&mut self, name: &str, position: u32, values: impl Iterator<Item = (&'n str, usize, bool)>) -> u32 {
        let first = self.slots.len() as u32;
        for (name, node, wanted) in values {
            self.slots.push(Slot { node: node as u32, wanted });
            self.names.push(name.into());
            self.lazy.push(false);
        }
        let slots = Run { first, len: self.slots.len() as u32 - first };
        let wanted = self.slots[slots.range()].iter().filter(|slot| slot.wanted).count() as u32;
        self.cases.push(Case {
            name: name.into(),
            position,
            slots,
            wanted,
            fixed: true,
            plain: true,
            promotes: None,
            rest: Absent::Default,
        });
        self.cases.len() as u32 - 1
    }

    /// Marks the lazy fields of the message `kind`, whose shape is `shape`.
    fn mark_lazy(&mut self, protocol: &Protocol, kind: &Kind, shape: Shape) {
        let Shape::Message { cases, .. } = shape else { return };
        let mut mark = |case: usize, position: usize, field: &Field| {
            let slot = self.cases[cases.first as usize + case].slots.first as usize + position;
            self.lazy[slot] = field.lazy && !protocol[field.ty].decoded_at_once();
        };
        match kind {
            Kind::Record(record) => record.fields.iter().enumerate().for_each(|(n, field)| mark(0, n, field)),
            Kind::Union(union) => {
                for (case, variant) in union.variants.iter().enumerate() {
                    variant.fields.iter().enumerate().for_each(|(n, field)| mark(case, n, field));
                }
            }
            Kind::Subset(subset) => subset.fields.iter().for_each(|wanted| mark(0, wanted.position as usize, &wanted.field)),
            _ => {}
        }
    }

    /// Returns the same plan with lazy fields stepped over.
    pub(crate) fn deferring(&self) -> Plan {
        let mut plan = self.clone();
        for (slot, lazy) in plan.slots.iter_mut().zip(&plan.lazy) {
            if *lazy {
                let node = Node { shape: Shape::Deferred(slot.node), ..plan.nodes[slot.node as usize].clone() };
                slot.node = plan.nodes.len() as u32;
                plan.nodes.push(node);
            }
        }
        plan
    }

    /// Computes the promotions, and the facts for checks.
    pub(crate) fn rests(&mut self) {
        let Plan { nodes, cases, slots, checks, lone, lone_of, lazy, .. } = self;
        let shape = |node: u32| nodes[node as usize].shape;
        checks.extend(slots.iter().map(|slot| match shape(slot.node) {
            Shape::Primitive(primitive) => Check::Primitive(primitive, Own::of(primitive)),
            Shape::List(element) => match shape(element) {
                Shape::Primitive(primitive @ (Primitive::Bool | Primitive::Byte)) => Check::Octets(slot.node, primitive),
                _ => Check::Node(slot.node),
            },
            _ => Check::Node(slot.node),
        }));
        lone_of.extend(nodes.iter().map(|node| {
            let Shape::Sum { constants, cases: run } = node.shape else { return None };
            let is_scalar = |slot: u32| nodes[slots[slot as usize].node as usize].view != View::Any;
            let others = cases[run.range()].iter().map(|case| match (case.slots.len, checks.get(case.slots.first as usize)) {
                (1, Some(Check::Primitive(primitive, _))) if is_scalar(case.slots.first) => Some(scanned(*primitive)),
                _ => None,
            });
            lone.push(Cases::new(constants.len as usize, &others.collect::<Option<Vec<_>>>()?));
            Some(lone.len() as u32 - 1)
        }));
        for case in cases {
            let is_lazy = lazy[case.slots.range()].contains(&true);
            let slots = &slots[case.slots.range()];
            case.fixed = slots.iter().all(|slot| !matches!(nodes[slot.node as usize].view, View::Optional | View::Repeated));
            case.plain = case.fixed && !is_lazy;
            case.promotes = match slots.first().map(|slot| (nodes[slot.node as usize].shape, slot.wanted)) {
                Some((Shape::Primitive(primitive), true)) => Some(own(primitive)),
                _ => None,
            };
            for slot in slots.iter().skip(1).filter(|slot| slot.wanted) {
                case.rest = match (case.rest, nodes[slot.node as usize].absent) {
                    (Absent::Missing, _) | (_, Absent::Missing) => Absent::Missing,
                    (Absent::Broken, _) | (_, Absent::Broken) => Absent::Broken,
                    _ => Absent::Default,
                };
            }
        }
    }

    /// Returns whether messages of this type can be written. Messages that contain a subset cannot.
    pub fn is_encodable(&self) -> bool {
        self.encodable
    }

    #[inline]
    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    #[inline]
    pub(crate) fn slots(&self, case: &Case) -> &[Slot] {
        &self.slots[case.slots.range()]
    }

    /// Returns the cases of a sum type whose constructors have at most one primitive each.
    #[inline]
    pub(crate) fn lone(&self, node: u32) -> Option<&Cases> {
        Some(&self.lone[self.lone_of[node as usize]? as usize])
    }

    /// Returns the checks of the slots of a row.
    #[inline]
    pub(crate) fn checks(&self, case: &Case) -> &[Check] {
        &self.checks[case.slots.range()]
    }
}

fn fields(fields: &[Field]) -> impl Iterator<Item = (&str, usize, bool)> {
    fields.iter().map(|field| (field.name.as_str(), field.ty.index(), true))
}
