//! Events to a message of a known type (section 4).

use std::collections::HashMap;
use std::sync::Arc;

use polywire_core::bytes::{Mark, OutBuf, zigzag};
use polywire_core::error::{Error, ErrorKind, Fault, Result};
use polywire_core::event::{Field, Next, Note, Open, Part, Scalar, Span};
use polywire_core::path::{Path, Step};
use polywire_core::sink::{Needs, Sink};
use polywire_core::tree::{Entry, Item, Tree, View};
use polywire_core::write::{Losses, Lost, Writer};

use super::NAME;
use super::unknown::Unknown;
use crate::model::{Literal, Primitive};
use crate::plan::{self, Absent, Case, MessageKind, Node, Plan, Run, Shape, own};
use crate::wire::WireType;

/// Writes messages of one type.
///
/// It takes any events that fit. Fields may come in any order; one that is absent takes its default. Records of one field whose name is a constructor or a variant,
/// and texts that name a constant constructor, are values of sum types too, as formats without these write them. Lists are tuples and arguments.
#[derive(Debug)]
pub struct ExtprotWriter {
    plan: Arc<Plan>,
    /// The message so far: an encoder has to look ahead for fields that come out of order.
    tree: Tree<'static>,
    out: OutBuf,
    losses: Losses,
    /// Whether unknown elements are kept.
    keeps: bool,
    unknown: Unknown,
}

/// Bytes that the defaults of one absent value may make at most: types within types may have exponentially large ones.
const LARGEST_DEFAULT: usize = 16 << 20;

/// Up to so many fields out of order, comparing with each is faster than hashing.
const FEW: usize = 16;

impl ExtprotWriter {
    /// A writer of the messages that `plan` is of.
    ///
    /// # Errors
    /// They have no encoder, since a subset is part of them.
    pub fn new(plan: Arc<Plan>) -> Result<ExtprotWriter> {
        if !plan.is_encodable() {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen("a message that holds a subset")
                .expected("a message that can be written")
                .hint("subsets are views for reading; write the message that they view"));
        }
        Ok(ExtprotWriter {
            plan,
            tree: Tree::new(),
            out: OutBuf::default(),
            losses: Losses::default(),
            keeps: false,
            unknown: Unknown::default(),
        })
    }

    /// Sets whether elements that the protocol does not know are written back at the end of what they stood in, so that a message of a later version passes an older
    /// program without loss. The events must then come straight from an [`ExtprotReader`](super::ExtprotReader) of the same message type: unknown bytes of another format are no elements.
    ///
    /// What is behind the first element of a tuple that was read as a primitive is lost all the same, and so are bytes that are no elements. Bytes beyond the count of a
    /// composite that happen to be elements are taken for such. Adopted schemas keep none.
    #[must_use]
    pub fn unknown(mut self, kept: bool) -> ExtprotWriter {
        self.keeps = kept && self.plan.nodes.iter().all(|node| node.view == plan::View::Declared);
        self
    }
}

impl<'m> Sink<'m> for ExtprotWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.unknown.event();
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.unknown.event();
        self.tree.field(Field::named(field.name.scratch()), at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.unknown.event();
        self.tree.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.unknown.event();
        self.tree.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.unknown.event();
        self.tree.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if !self.keeps || !self.unknown.keep(note, self.tree.open_place()) {
            self.losses.note(note, at);
        }
        Ok(())
    }
}

impl Writer for ExtprotWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(NAME)) };
        self.unknown.complete();
        let mut encode = Encode { plan: &self.plan, out: &mut self.out, losses: &mut self.losses, unknown: &self.unknown };
        encode.value(self.plan.root, root).map_err(|error| {
            let error = error.format_is(NAME);
            // Of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        self.out.finish(out);
        self.tree = tree.recycle();
        self.unknown.clear();
        Ok(())
    }

    fn reset(&mut self) {
        self.tree = std::mem::take(&mut self.tree).recycle();
        self.out.clear();
        self.unknown.clear();
        drop(self.losses.take());
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}

/// Recursion is bounded by the depth of types.
struct Encode<'w> {
    plan: &'w Plan,
    out: &'w mut OutBuf,
    losses: &'w mut Losses,
    unknown: &'w Unknown,
}

type Value<'t> = Item<'t, 'static>;

impl Encode<'_> {
    fn value(&mut self, node: u32, item: Value<'_>) -> Result<()> {
        let &Node { shape, view, .. } = self.plan.node(node);
        if view != plan::View::Declared {
            return self.viewed(shape, view, item);
        }
        match shape {
            Shape::Primitive(primitive) => match item.view() {
                View::Scalar(scalar) => self.primitive(primitive, scalar, item),
                View::Open(_) => Err(misfit(item, primitive.name())),
            },
            Shape::List(element) => match item.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) => self.list(element, item),
                _ => Err(misfit(item, "a list")),
            },
            Shape::Tuple(case) => match item.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) => {
                    let plan = self.plan;
                    self.row(&plan.cases[case as usize], 0, item)
                }
                _ => Err(misfit(item, "a tuple")),
            },
            Shape::Sum { constants, cases } => self.sum(constants, cases, item),
            Shape::Message { cases, kind: MessageKind::Plain, .. } => {
                let plan = self.plan;
                self.record(&plan.cases[cases.first as usize], 0, item)
            }
            Shape::Message { cases, kind: MessageKind::Union, .. } => self.union(cases, item),
            Shape::Message { kind: MessageKind::Subset, .. } | Shape::External | Shape::Deferred(_) => {
                Err(Error::internal("a type without an encoder"))
            }
        }
    }

    /// A value whose view is not what the protocol language says.
    fn viewed(&mut self, shape: Shape, view: plan::View, item: Value<'_>) -> Result<()> {
        let plan = self.plan;
        match (shape, view, item.view()) {
            (Shape::Message { cases, .. }, plan::View::Wrapper, _) => {
                let mark = self.header(WireType::Tuple, 0, 1);
                self.value(plan.slots(&plan.cases[cases.first as usize])[0].node, item)?;
                self.end(mark);
                Ok(())
            }
            (Shape::Primitive(primitive), view, View::Scalar(scalar)) => self.viewed_scalar(primitive, view, scalar, item),
            (Shape::Tuple(case), plan::View::Row, View::Open(Open::List(_) | Open::Tuple(_))) => {
                self.row(&plan.cases[case as usize], 0, item)
            }
            (Shape::List(element), plan::View::Repeated, View::Open(Open::List(_))) => self.list(element, item),
            (Shape::List(element), plan::View::Repeated, _) => {
                let mark = self.header(WireType::Htuple, 0, 1);
                self.value(element, item)?;
                self.end(mark);
                Ok(())
            }
            (Shape::List(pair), plan::View::Pairs, View::Open(Open::Map(_) | Open::Record { .. })) => self.pairs(pair, item),
            (Shape::Sum { constants, .. }, plan::View::Nullable, View::Scalar(Scalar::Null)) if constants.len > 0 => {
                self.out.varint(WireType::Enum.prefix(0));
                Ok(())
            }
            (Shape::Sum { constants, .. }, plan::View::Named, View::Scalar(Scalar::Text(name))) => {
                let Some(number) = plan.constants[constants.range()].iter().position(|(known, _)| **known == *name.get()) else {
                    return Err(unknown_case(item, name.get(), None));
                };
                self.out.varint(WireType::Enum.prefix(number as u64));
                Ok(())
            }
            (Shape::Sum { cases, .. }, plan::View::Named, View::Open(Open::Map(_) | Open::Record { .. })) => {
                let Some((name, value)) = only_field(item) else { return Err(misfit(item, "a record of one field")) };
                let Some(number) = plan.cases[cases.range()].iter().position(|case| *case.name == *name) else {
                    return Err(unknown_case(item, name, None));
                };
                self.argument(cases, number, value).map_err(|error| below(error, Step::Name(name.to_string())))
            }
            (Shape::Sum { cases, .. }, plan::View::Nullable | plan::View::Optional | plan::View::Untagged, _) => {
                let fits = |case: &Case| plan.slots(case).first().is_some_and(|slot| self.fits(slot.node, item));
                // The only one there is says best what does not fit.
                let Some(number) = plan.cases[cases.range()].iter().position(fits).or((cases.len == 1).then_some(0)) else {
                    return Err(misfit(item, "a value of one of the types of its samples"));
                };
                self.argument(cases, number, item)
            }
            _ => Err(misfit(item, "a value of the type of its samples")),
        }
    }

    /// A constructor of one argument.
    fn argument(&mut self, cases: Run, number: usize, value: Value<'_>) -> Result<()> {
        let plan = self.plan;
        let mark = self.header(WireType::Tuple, number as u64, 1);
        self.value(plan.slots(&plan.cases[cases.first as usize + number])[0].node, value)?;
        self.end(mark);
        Ok(())
    }

    fn viewed_scalar(&mut self, primitive: Primitive, view: plan::View, scalar: Scalar<'_, '_>, item: Value<'_>) -> Result<()> {
        let mut digits = itoa::Buffer::new();
        let mut shortest = ryu::Buffer::new();
        let text = match (view, scalar) {
            (plan::View::Unsigned, Scalar::UInt(value)) => {
                self.out.byte(own(primitive).code());
                self.out.varint(zigzag(value as i64));
                return Ok(());
            }
            (plan::View::Single, Scalar::F32(value)) => return self.primitive(primitive, Scalar::F32(value), item),
            (plan::View::Bytes, Scalar::Bytes(bytes)) => {
                self.string(bytes.get());
                return Ok(());
            }
            (plan::View::Moment, Scalar::Time(moment)) => {
                let Some(text) = moment.to_rfc3339() else { return Err(out_of_range(item, scalar, "a moment in the years 0 to 9999")) };
                self.string(text.as_bytes());
                return Ok(());
            }
            (plan::View::Number, Scalar::Int(value)) => digits.format(value),
            (plan::View::Number, Scalar::UInt(value)) => digits.format(value),
            (plan::View::Number, Scalar::F64(value)) if value.is_finite() => shortest.format_finite(value),
            (plan::View::Number, Scalar::Big(text) | Scalar::Decimal(text)) => text.get(),
            _ => return Err(misfit(item, "a value of the type of its samples")),
        };
        self.string(text.as_bytes());
        Ok(())
    }

    fn pairs(&mut self, pair: u32, item: Value<'_>) -> Result<()> {
        let plan = self.plan;
        let Shape::Tuple(case) = plan.node(pair).shape else { return Err(Error::internal("a map of something else than pairs")) };
        let [key, value] = plan.slots(&plan.cases[case as usize]) else {
            return Err(Error::internal("a map of something else than pairs"));
        };
        let mark = self.header(WireType::Htuple, 0, item.entries().count() as u64);
        for entry in item.entries() {
            let pair = self.header(WireType::Tuple, 0, 2);
            match entry {
                Entry::Field(name, inside) if plan.node(key.node).shape == Shape::Primitive(Primitive::String) => {
                    self.string(name.as_bytes());
                    self.value(value.node, inside).map_err(|error| below(error, Step::Name(name.to_string())))?;
                }
                Entry::Pair(one, inside) => {
                    self.value(key.node, one)?;
                    self.value(value.node, inside)?;
                }
                Entry::Field(_, inside) | Entry::Element(inside) => return Err(misfit(inside, "a key of the type of its samples")),
            }
            self.end(pair);
        }
        self.end(mark);
        Ok(())
    }

    /// Whether a value looks like one of type `node`, which is told among others by that alone.
    fn fits(&self, node: u32, item: Value<'_>) -> bool {
        let plan = self.plan;
        let &Node { shape, view, .. } = plan.node(node);
        let scalar = match item.view() {
            View::Scalar(scalar) => Some(scalar),
            View::Open(_) => None,
        };
        match (shape, view) {
            (Shape::Primitive(Primitive::Bool), _) => matches!(scalar, Some(Scalar::Bool(_))),
            (Shape::Primitive(Primitive::Byte), _) => matches!(scalar, Some(Scalar::UInt(0..=255))),
            (Shape::Primitive(Primitive::Int | Primitive::Long), plan::View::Unsigned) => matches!(scalar, Some(Scalar::UInt(_))),
            (Shape::Primitive(Primitive::Int | Primitive::Long), _) => {
                matches!(scalar, Some(Scalar::Int(_) | Scalar::UInt(0..=0x7fff_ffff_ffff_ffff)))
            }
            (Shape::Primitive(Primitive::Float), plan::View::Single) => matches!(scalar, Some(Scalar::F32(_))),
            (Shape::Primitive(Primitive::Float), _) => {
                matches!(scalar, Some(Scalar::F64(_) | Scalar::F32(_) | Scalar::Int(_) | Scalar::UInt(_)))
            }
            (Shape::Primitive(Primitive::String), plan::View::Number) => {
                matches!(scalar, Some(Scalar::Int(_) | Scalar::UInt(_) | Scalar::Big(_) | Scalar::Decimal(_) | Scalar::F64(_)))
            }
            (Shape::Primitive(Primitive::String), plan::View::Bytes) => matches!(scalar, Some(Scalar::Bytes(_))),
            (Shape::Primitive(Primitive::String), plan::View::Moment) => matches!(scalar, Some(Scalar::Time(_))),
            (Shape::Primitive(Primitive::String), _) => matches!(scalar, Some(Scalar::Text(_) | Scalar::Octets(_))),
            (Shape::List(_), plan::View::Pairs) => matches!(item.view(), View::Open(Open::Map(_) | Open::Record { .. })),
            (Shape::List(_), _) => matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_))),
            (Shape::Tuple(case), _) => {
                let slots = plan.cases[case as usize].slots.len as usize;
                matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_))) && item.entries().take(slots + 1).count() == slots
            }
            (Shape::Sum { constants, cases }, plan::View::Named) => match (scalar, only_field(item)) {
                (Some(Scalar::Text(name)), _) => plan.constants[constants.range()].iter().any(|(known, _)| **known == *name.get()),
                (None, Some((name, _))) => plan.cases[cases.range()].iter().any(|case| *case.name == *name),
                _ => false,
            },
            (Shape::Sum { .. }, plan::View::Declared) => matches!(item.view(), View::Open(Open::Variant { .. })),
            (Shape::Sum { cases, .. }, _) => {
                scalar == Some(Scalar::Null)
                    || plan.cases[cases.range()].iter().any(|case| plan.slots(case).first().is_some_and(|slot| self.fits(slot.node, item)))
            }
            (Shape::Message { .. }, _) => matches!(item.view(), View::Open(Open::Map(_) | Open::Record { .. })),
            (Shape::External | Shape::Deferred(_), _) => false,
        }
    }

    fn header(&mut self, wire: WireType, tag: u64, count: u64) -> Mark {
        self.out.varint(wire.prefix(tag));
        let mark = self.out.open();
        self.out.varint(count);
        mark
    }

    fn end(&mut self, mark: Mark) {
        let mut length = [0; 10];
        let mut len = 0;
        let mut value = self.out.since(mark) as u64;
        while value >= 0x80 {
            length[len] = value as u8 | 0x80;
            value >>= 7;
            len += 1;
        }
        length[len] = value as u8;
        self.out.close(mark, &length[..=len]);
    }

    fn primitive(&mut self, primitive: Primitive, scalar: Scalar<'_, '_>, item: Value<'_>) -> Result<()> {
        let at = item.opening();
        match primitive {
            Primitive::Bool => match scalar {
                Scalar::Bool(value) => self.out.put(&[own(primitive).code(), u8::from(value)]),
                _ => return Err(misfit(item, "bool")),
            },
            Primitive::Byte => match scalar {
                Scalar::UInt(value @ 0..=255) => self.out.put(&[own(primitive).code(), value as u8]),
                Scalar::Int(_) | Scalar::UInt(_) => return Err(out_of_range(item, scalar, "a byte, 0 to 255")),
                _ => return Err(misfit(item, "byte")),
            },
            Primitive::Int => {
                let value = whole(item, scalar, "int")?;
                self.out.byte(own(primitive).code());
                self.out.varint(zigzag(value));
            }
            Primitive::Long => self.out.tagged(own(primitive).code(), whole(item, scalar, "long")?.to_le_bytes()),
            Primitive::Float => {
                let (value, exact) = match scalar {
                    Scalar::F64(value) => (value, true),
                    Scalar::F32(value) => (f64::from(value), true),
                    // Numbers up to 2⁵³ and those with enough zeros behind are exact.
                    Scalar::UInt(number) => (number as f64, (number as f64) as u128 == u128::from(number)),
                    Scalar::Int(number) => (number as f64, (number as f64) as i128 == i128::from(number)),
                    Scalar::Big(text) | Scalar::Decimal(text) => (text.get().parse().unwrap_or(f64::NAN), false),
                    _ => return Err(misfit(item, "float")),
                };
                if !exact {
                    self.losses.value("number rounded to a float", at);
                }
                self.out.tagged(own(primitive).code(), value.to_bits().to_le_bytes());
            }
            Primitive::String => {
                let bytes = match scalar {
                    Scalar::Text(text) => text.get().as_bytes(),
                    Scalar::Octets(bytes) => {
                        if std::str::from_utf8(bytes.get()).is_ok() {
                            self.losses.value("octets became a string, which reads as text", at);
                        }
                        bytes.get()
                    }
                    Scalar::Bytes(bytes) => {
                        self.losses.value("bytes became a string, which reads as text or octets", at);
                        bytes.get()
                    }
                    Scalar::Big(digits) | Scalar::Decimal(digits) => {
                        self.losses.value("number became a string", at);
                        digits.get().as_bytes()
                    }
                    Scalar::Time(moment) => {
                        self.losses.value("timestamp became a string", at);
                        self.string(moment.to_string().as_bytes());
                        return Ok(());
                    }
                    _ => return Err(misfit(item, "string")),
                };
                self.string(bytes);
            }
        }
        Ok(())
    }

    fn string(&mut self, bytes: &[u8]) {
        self.out.byte(own(Primitive::String).code());
        self.out.varint(bytes.len() as u64);
        self.out.put(bytes);
    }

    fn list(&mut self, element: u32, item: Value<'_>) -> Result<()> {
        let mark = self.header(WireType::Htuple, 0, item.entries().count() as u64);
        for (n, entry) in item.entries().enumerate() {
            self.value(element, entry.value()).map_err(|error| below(error, Step::Index(n as u64)))?;
        }
        self.end(mark);
        Ok(())
    }

    /// A tuple, or the arguments of a constructor, from the entries of `item`.
    fn row(&mut self, case: &Case, tag: u64, item: Value<'_>) -> Result<()> {
        let slots = self.plan.slots(case);
        let (more, bytes) = self.unknown.at(item.place());
        let mark = self.header(WireType::Tuple, tag, slots.len() as u64 + more);
        let mut entries = item.entries();
        for (n, slot) in slots.iter().enumerate() {
            match entries.next() {
                Some(entry) => self.value(slot.node, entry.value()),
                None => self.absent(slot.node, item, &format!("{} values", slots.len())),
            }
            .map_err(|error| below(error, Step::Index(n as u64)))?;
        }
        if let Some(more) = entries.next() {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Data)
                .seen(format!("{} values", item.entries().count()))
                .expected(format!("at most {}", slots.len()))
                .at(more.value().opening().start));
        }
        self.out.put(bytes);
        self.end(mark);
        Ok(())
    }

    fn sum(&mut self, constants: Run, cases: Run, item: Value<'_>) -> Result<()> {
        let plan = self.plan;
        let constant = |name: &str, index: Option<u32>| {
            let matches = |(known, position): &(Box<str>, u32)| **known == *name || name.is_empty() && index == Some(*position);
            plan.constants[constants.range()].iter().position(matches)
        };
        let case = |name: &str, index: Option<u32>| {
            let matches = |case: &Case| *case.name == *name || name.is_empty() && index == Some(case.position);
            plan.cases[cases.range()].iter().position(matches)
        };
        let (name, index, inside) = match item.view() {
            View::Scalar(Scalar::Text(name)) => (name.get(), None, None),
            View::Open(Open::Variant { name, index }) => (name, Some(index), Some(item)),
            View::Open(Open::Record { .. } | Open::Map(_)) => match only_field(item) {
                Some((name, value)) => (name, None, Some(value)),
                None => return Err(misfit(item, "a case of a sum type, as its name, or as a record of one field")),
            },
            _ => return Err(misfit(item, "a case of a sum type")),
        };
        if let (Some(number), true) = (constant(name, index), inside.is_none_or(|inside| inside.entries().next().is_none())) {
            self.out.varint(WireType::Enum.prefix(number as u64));
            return Ok(());
        }
        let Some(number) = case(name, index) else { return Err(unknown_case(item, name, index)) };
        let case = &plan.cases[cases.first as usize + number];
        let down = |error| below(error, Step::Name(case.name.to_string()));
        let arguments = plan.slots(case);
        match inside {
            Some(inside) if inside.place() == item.place() => self.row(case, number as u64, inside).map_err(down),
            Some(inside) if arguments.len() > 1 || self.lists(arguments[0].node, inside) => match inside.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) => self.row(case, number as u64, inside),
                _ => Err(misfit(inside, "a list of arguments")),
            }
            .map_err(down),
            Some(inside) => {
                let mark = self.header(WireType::Tuple, number as u64, 1);
                self.value(arguments[0].node, inside).map_err(down)?;
                self.end(mark);
                Ok(())
            }
            None => {
                let mark = self.header(WireType::Tuple, number as u64, arguments.len() as u64);
                for argument in arguments {
                    self.absent(argument.node, item, "its arguments").map_err(down)?;
                }
                self.end(mark);
                Ok(())
            }
        }
    }

    /// Whether `item` is the list of the one argument of type `node`, and not the argument.
    fn lists(&self, node: u32, item: Value<'_>) -> bool {
        !matches!(self.plan.node(node).shape, Shape::List(_) | Shape::Tuple(_))
            && matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_)))
    }

    fn union(&mut self, cases: Run, item: Value<'_>) -> Result<()> {
        let plan = self.plan;
        let (name, index, inside) = match item.view() {
            View::Open(Open::Variant { name, index }) => (name, Some(index), item.entries().next().map(Entry::value)),
            View::Open(Open::Record { .. } | Open::Map(_)) => match only_field(item) {
                Some((name, value)) => (name, None, Some(value)),
                None => return Err(misfit(item, "a variant, as a record of one field")),
            },
            _ => return Err(misfit(item, "a variant")),
        };
        let matches = |case: &Case| *case.name == *name || name.is_empty() && index == Some(case.position);
        let Some(number) = plan.cases[cases.range()].iter().position(matches) else { return Err(unknown_case(item, name, index)) };
        let case = &plan.cases[cases.first as usize + number];
        let Some(inside) = inside else { return Err(misfit(item, "a variant with fields")) };
        self.record(case, number as u64, inside).map_err(|error| below(error, Step::Name(case.name.to_string())))
    }

    fn record(&mut self, case: &Case, tag: u64, item: Value<'_>) -> Result<()> {
        if !matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
            return Err(misfit(item, "a record"));
        }
        let plan = self.plan;
        let names = &plan.names[case.slots.range()];
        let slots = plan.slots(case);
        let (more, bytes) = self.unknown.at(item.place());
        let mark = self.header(WireType::Tuple, tag, slots.len() as u64 + more);
        let down = |error, name: &str| below(error, Step::Name(name.to_string()));
        let mut entries = item.entries();
        let mut done = 0;
        let held = loop {
            match entries.next() {
                Some(Entry::Field(name, value)) if done < slots.len() && *names[done] == *name => {
                    self.value(slots[done].node, value).map_err(|error| down(error, name))?;
                    done += 1;
                }
                other => break other,
            }
        };
        // From here on fields are out of order, absent, or unknown.
        let mut rest = Fields::default();
        for entry in held.into_iter().chain(entries) {
            match entry {
                Entry::Field(name, value) if rest.add(name, value) => {}
                Entry::Field(_, value) => self.losses.value("field of a name that was there already dropped", value.opening()),
                other => self.losses.value("entry whose key is no text dropped", other.value().opening()),
            }
        }
        for (slot, name) in slots.iter().zip(names).skip(done) {
            match rest.take(name) {
                Some(value) => self.value(slot.node, value),
                None => self.absent(slot.node, item, &format!("a field `{name}`, which has no default")),
            }
            .map_err(|error| down(error, name))?;
        }
        for value in rest.left() {
            self.losses.value("field that the protocol does not have dropped", value.opening());
        }
        self.out.put(bytes);
        self.end(mark);
        Ok(())
    }

    /// Writes the default of a value that `item` lacks.
    fn absent(&mut self, node: u32, item: Value<'_>, wanted: &str) -> Result<()> {
        if self.plan.node(node).absent == Absent::Default {
            return self.default(node, self.out.len());
        }
        Err(Error::new(ErrorKind::Unsupported, Fault::Data)
            .seen(format!("a {} without it", kind(item)))
            .expected(wanted.to_string())
            .at(item.opening().start))
    }

    /// Writes a default value; `start` is where the outermost one started.
    fn default(&mut self, node: u32, start: usize) -> Result<()> {
        if self.out.len() - start > LARGEST_DEFAULT {
            return Err(Error::new(ErrorKind::Limit, Fault::Schema)
                .seen(format!("a default value of more than {LARGEST_DEFAULT} bytes"))
                .expected("a value in its place"));
        }
        let plan = self.plan;
        let node = plan.node(node);
        match node.shape {
            Shape::Primitive(primitive) => match &node.literal {
                Some(Literal::Bool(value)) => self.out.put(&[own(primitive).code(), u8::from(*value)]),
                Some(Literal::Byte(value)) => self.out.put(&[own(primitive).code(), *value]),
                Some(Literal::Int(value)) if primitive == Primitive::Int => {
                    self.out.byte(own(primitive).code());
                    self.out.varint(zigzag(*value));
                }
                Some(Literal::Int(value)) => self.out.tagged(own(primitive).code(), value.to_le_bytes()),
                Some(Literal::Float(value)) => self.out.tagged(own(primitive).code(), value.to_le_bytes()),
                Some(Literal::Bytes(bytes)) => self.string(bytes),
                None => return Err(Error::internal("a default that is none")),
            },
            Shape::List(_) => {
                let mark = self.header(WireType::Htuple, 0, 0);
                self.end(mark);
            }
            Shape::Sum { .. } => self.out.varint(WireType::Enum.prefix(0)),
            Shape::Tuple(case) => self.defaults(&plan.cases[case as usize], start)?,
            Shape::Message { cases, .. } => self.defaults(&plan.cases[cases.first as usize], start)?,
            Shape::External | Shape::Deferred(_) => return Err(Error::internal("a message of another module")),
        }
        Ok(())
    }

    fn defaults(&mut self, case: &Case, start: usize) -> Result<()> {
        let slots = self.plan.slots(case);
        let mark = self.header(WireType::Tuple, 0, slots.len() as u64);
        for slot in slots {
            self.default(slot.node, start)?;
        }
        self.end(mark);
        Ok(())
    }
}

/// Fields that came out of order, by name.
#[derive(Default)]
struct Fields<'t> {
    list: Vec<(&'t str, Option<Value<'t>>)>,
    /// Takes over where there are many.
    index: HashMap<&'t str, usize>,
}

impl<'t> Fields<'t> {
    /// False if there is one of that name.
    fn add(&mut self, name: &'t str, value: Value<'t>) -> bool {
        if self.find(name).is_some() {
            return false;
        }
        self.list.push((name, Some(value)));
        if self.list.len() == FEW {
            self.index = self.list.iter().enumerate().map(|(n, (name, _))| (*name, n)).collect();
        } else if self.list.len() > FEW {
            self.index.insert(name, self.list.len() - 1);
        }
        true
    }

    fn find(&self, name: &str) -> Option<usize> {
        if self.list.len() < FEW { self.list.iter().position(|(known, _)| *known == name) } else { self.index.get(name).copied() }
    }

    fn take(&mut self, name: &str) -> Option<Value<'t>> {
        let found = self.find(name)?;
        self.list[found].1.take()
    }

    fn left(&self) -> impl Iterator<Item = Value<'t>> + '_ {
        self.list.iter().filter_map(|(_, value)| *value)
    }
}

/// Name and value of a record's only entry.
fn only_field<'t>(item: Value<'t>) -> Option<(&'t str, Value<'t>)> {
    let mut entries = item.entries();
    match (entries.next(), entries.next()) {
        (Some(Entry::Field(name, value)), None) => Some((name, value)),
        _ => None,
    }
}

fn whole(item: Value<'_>, scalar: Scalar<'_, '_>, name: &'static str) -> Result<i64> {
    match scalar {
        Scalar::Int(value) => Ok(value),
        Scalar::UInt(value) => i64::try_from(value).map_err(|_| out_of_range(item, scalar, "a signed number of 64 bits")),
        Scalar::Big(_) => Err(out_of_range(item, scalar, "a signed number of 64 bits")),
        _ => Err(misfit(item, name)),
    }
}

fn kind(item: Value<'_>) -> &'static str {
    match item.view() {
        View::Scalar(scalar) => scalar.kind(),
        View::Open(open) => open.kind(),
    }
}

#[cold]
fn misfit(item: Value<'_>, expected: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(kind(item))
        .expected(expected)
        .hint("the value does not fit the type that the protocol gives it")
        .at(item.opening().start)
}

#[cold]
fn out_of_range(item: Value<'_>, scalar: Scalar<'_, '_>, expected: &'static str) -> Error {
    let seen = match scalar {
        Scalar::Int(value) => value.to_string(),
        Scalar::UInt(value) => value.to_string(),
        _ => "a larger number".to_string(),
    };
    Error::new(ErrorKind::Range, Fault::Data).seen(seen).expected(expected).at(item.opening().start)
}

#[cold]
fn unknown_case(item: Value<'_>, name: &str, index: Option<u32>) -> Error {
    let seen = match index {
        Some(index) if name.is_empty() => format!("case {index}"),
        _ => format!("the case `{name}`"),
    };
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected("a case that the protocol has").at(item.opening().start)
}

/// The error of something below `step`.
#[cold]
fn below(error: Error, step: Step) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}
