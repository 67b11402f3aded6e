//! Events to documents.

use std::collections::HashMap;
use std::sync::Arc;

use polywire_core::value::{DeclaredFloat, Entry, Held, Item, View};
use polywire_core::walk::{Forward, Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Losses, Lost, Needs, Open, Result, Scalar, Sink, Writer};

use super::message::{Message, NAME};
use crate::dictionary::Default as Start;
use crate::document::{Assembly, Form, signature};
use crate::error::Problem;
use crate::events::MAX_DEPTH;
use crate::plan::{Op, Plan, Slot};
use crate::wire;
use polywire_core::value::Value as Owned;

/// Writer of documents of one dictionary.
///
/// A document is a record of its roots, named by their tags. Several roots of one tag are a list,
/// or repeat the name. Fields may come in any order. A polymorph is a variant, or a record of one
/// field, named after the member. An enumerator is a variant, its name, or its number.
#[derive(Debug)]
pub struct UsdsWriter {
    plan: Arc<Plan>,
    message: Message,
    form: Form,
    assembly: Option<Assembly>,
    held: Held,
    body: Vec<u8>,
}

impl UsdsWriter {
    /// Returns a writer of documents of that form.
    ///
    /// # Errors
    /// The dictionary has no section, and the form needs one.
    pub fn documents(plan: Arc<Plan>, form: Form) -> Result<UsdsWriter> {
        let assembly = Assembly::new(&plan).map_err(|problem| {
            Error::new(ErrorKind::Unsupported, Fault::Schema).seen(problem.text()).expected("a dictionary with a section").format_is(NAME)
        })?;
        Ok(UsdsWriter { message: Message::Document, form, assembly: Some(assembly), ..UsdsWriter::roots(plan, 0) })
    }

    /// Returns a writer of bodies of one root of that tag.
    pub fn roots(plan: Arc<Plan>, tag: u32) -> UsdsWriter {
        UsdsWriter { plan, message: Message::Root(tag), form: Form::Body, assembly: None, held: Held::new(None), body: Vec::new() }
    }
}

impl<'m> Forward<'m> for UsdsWriter {
    type To = Held;

    fn to(&mut self) -> &mut Held {
        &mut self.held
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.held)
    }
}

impl Writer for UsdsWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(NAME)) };
        self.body.clear();
        self.body.push(signature(self.plan.wire()));
        let mut encode = Encode { plan: &self.plan, out: &mut self.body, losses: &mut self.held.losses, depth: MAX_DEPTH };
        let encoded = match self.message {
            Message::Document => encode.document(root),
            Message::Root(tag) => encode.root(tag, root),
        };
        encoded.map_err(|error| {
            let error = error.format_is(NAME);
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        match &self.assembly {
            Some(assembly) => assembly.write(self.form, &self.body, out).map_err(|problem| refused(root, problem).format_is(NAME))?,
            None => out.extend_from_slice(&self.body),
        }
        self.held.tree = tree.recycle();
        Ok(())
    }

    fn reset(&mut self) {
        self.held.reset();
        self.body.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.held.losses()
    }
}

/// An encoder of one message. Recursion is bounded by `depth`.
struct Encode<'w> {
    plan: &'w Plan,
    out: &'w mut Vec<u8>,
    losses: &'w mut Losses,
    depth: u32,
}

type Value<'t> = Item<'t, 'static>;

impl Encode<'_> {
    fn document(&mut self, item: Value<'_>) -> Result<()> {
        if !matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
            return Err(misfit(item, "a record of roots"));
        }
        for entry in item.entries() {
            let Entry::Field(name, value) = entry else { return Err(misfit(entry.value(), "a root under the name of its tag")) };
            let Some(tag) = self.plan.dictionary().tag_id(name).filter(|tag| self.is_root(*tag)) else {
                return Err(unknown(value, name, "the name of a tag that is a root").path_is(Path(vec![PathStep::Name(name.to_string())])));
            };
            let op = self.plan.tags[tag as usize - 1];
            let several = matches!(value.view(), View::Open(Open::List(_))) && lists(value, 0) > self.arrays(op);
            let encoded = if several {
                let mut each = value.entries().enumerate();
                each.try_for_each(|(n, entry)| self.root(tag, entry.value()).map_err(|error| below(error, PathStep::Index(n as u64))))
            } else {
                self.root(tag, value)
            };
            encoded.map_err(|error| below(error, PathStep::Name(name.to_string())))?;
        }
        Ok(())
    }

    fn is_root(&self, tag: u32) -> bool {
        self.plan.dictionary().tag(tag).is_some_and(|tag| tag.root)
    }

    /// Returns the number of arrays around the innermost element type.
    fn arrays(&self, op: Op) -> usize {
        let (mut op, mut arrays) = (op, 0);
        while let Op::Array(array) = op {
            op = self.plan.elements[array as usize];
            arrays += 1;
            if arrays > self.plan.elements.len() {
                break;
            }
        }
        arrays
    }

    fn root(&mut self, tag: u32, item: Value<'_>) -> Result<()> {
        wire::put_uvarint(self.out, u64::from(tag));
        match self.plan.tag_op(tag) {
            Some(op) => self.value(op, item),
            None => Err(Error::internal("a root that the dictionary does not have")),
        }
    }

    fn enter(&mut self, item: Value<'_>) -> Result<()> {
        if self.depth == 0 {
            return Err(refused(item, Problem::Limit));
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, op: Op, item: Value<'_>) -> Result<()> {
        match op {
            Op::Structure(shape) => self.structure(shape, item),
            Op::Array(array) => match item.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) => self.array(self.plan.elements[array as usize], item),
                _ => Err(misfit(item, "a list")),
            },
            Op::Polymorph(polymorph) => self.polymorph(polymorph, item),
            Op::Enumeration(enumeration) => self.enumerator(enumeration, item),
            op => match item.view() {
                View::Scalar(scalar) => self.scalar(op, scalar, item),
                View::Open(_) => Err(misfit(item, op.name())),
            },
        }
    }

    fn array(&mut self, element: Op, item: Value<'_>) -> Result<()> {
        let count = item.entries().count();
        if u32::try_from(count).is_err() {
            return Err(refused(item, Problem::Overflow));
        }
        wire::put_uvarint(self.out, count as u64);
        self.enter(item)?;
        for (n, entry) in item.entries().enumerate() {
            self.value(element, entry.value()).map_err(|error| below(error, PathStep::Index(n as u64)))?;
        }
        self.depth += 1;
        Ok(())
    }

    fn structure(&mut self, index: u32, item: Value<'_>) -> Result<()> {
        if !matches!(item.view(), View::Open(Open::Record { .. } | Open::Map(_))) {
            return Err(misfit(item, "a structure"));
        }
        let plan = self.plan;
        let shape = &plan.shapes[index as usize];
        let slots = &plan.slots[shape.slots()];
        let mut given: Vec<Option<Value<'_>>> = vec![None; slots.len()];
        let mut hint = 0;
        // Built when a large structure comes out of order.
        let mut positions: HashMap<&str, usize> = HashMap::new();
        for entry in item.entries() {
            let Entry::Field(name, value) = entry else { return Err(misfit(entry.value(), "a field under its name")) };
            let Some(n) = position(slots, name, hint, &mut positions) else {
                self.losses.value("field that the dictionary does not have dropped", value.opening());
                continue;
            };
            hint = n + 1;
            if given[n].replace(value).is_some() {
                let error = Error::new(ErrorKind::DoubledKey, Fault::Data).seen(format!("a second field `{name}`"));
                return Err(error.at(value.opening().start));
            }
        }
        self.enter(item)?;
        let presence = self.out.len();
        self.out.resize(presence + shape.presence as usize, 0);
        for (n, (slot, value)) in slots.iter().zip(given).enumerate() {
            let is_null = value.is_some_and(|value| matches!(value.view(), View::Scalar(Scalar::Null)));
            let down = |error| below(error, PathStep::Name(slot.name.to_string()));
            match (value, slot.nullable) {
                (Some(_), nullable) if is_null && nullable > 0 => {}
                (None, nullable) if nullable > 0 => {}
                (Some(value), nullable) => {
                    if nullable > 0 {
                        self.out[presence + (nullable as usize - 1) / 8] |= 1 << ((nullable - 1) % 8);
                    }
                    self.value(plan.ops[shape.first as usize + n], value).map_err(down)?;
                }
                (None, _) => self.default(plan.ops[shape.first as usize + n], slot, item).map_err(down)?,
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Writes the default of an absent field.
    fn default(&mut self, op: Op, slot: &Slot, item: Value<'_>) -> Result<()> {
        let written = match &slot.default {
            None => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("no such field").expected(op.name());
                return Err(error.at(item.opening().start).hint("it can be neither null nor missing"));
            }
            Some(Start::Number(number)) => match op {
                Op::Enumeration(index) => self.number(index, i128::from(*number)),
                _ => Err(Problem::Conversion),
            },
            Some(Start::Value(Owned::Text(text))) => {
                wire::put_uvarint(self.out, text.len() as u64);
                self.out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Some(Start::Value(Owned::Bool(value))) => {
                self.out.push(if *value { wire::TRUE } else { wire::FALSE });
                Ok(())
            }
            Some(Start::Value(Owned::F32(value))) => {
                self.out.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            Some(Start::Value(Owned::F64(value))) => {
                self.out.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            Some(Start::Value(number)) => match op.whole() {
                Some(simple) => wire::put_number(self.out, simple, number),
                None => Err(Problem::Conversion),
            },
        };
        written.map_err(|problem| refused(item, problem))
    }

    fn number(&mut self, enumeration: u32, number: i128) -> Result<(), Problem> {
        let members = &self.plan.enumerations[enumeration as usize];
        match i64::try_from(number).ok().and_then(|number| members.position(number)) {
            Some(_) => wire::put_whole(self.out, members.subtype, number),
            None => Err(Problem::NoEnumerator),
        }
    }

    fn enumerator(&mut self, enumeration: u32, item: Value<'_>) -> Result<()> {
        let members = &self.plan.enumerations[enumeration as usize];
        let by_name = |name: &str| members.names.iter().find(|(known, _)| **known == *name).map(|(_, number)| i128::from(*number));
        let number = match item.view() {
            View::Scalar(Scalar::Text(name)) => by_name(name.get()),
            View::Scalar(Scalar::Int(number, _)) => Some(i128::from(number)),
            View::Scalar(Scalar::UInt(number, _)) => Some(i128::from(number)),
            View::Open(Open::Variant { name, index }) if item.entries().next().is_none() => match name {
                "" => members.names.get(index as usize).map(|(_, number)| i128::from(*number)),
                name => by_name(name),
            },
            _ => return Err(misfit(item, "an enumerator, by name or number")),
        };
        let written = number.ok_or(Problem::NoEnumerator).and_then(|number| self.number(enumeration, number));
        written.map_err(|problem| refused(item, problem))
    }

    fn polymorph(&mut self, polymorph: u32, item: Value<'_>) -> Result<()> {
        let plan = self.plan;
        let members = &plan.polymorphs[polymorph as usize];
        let mut entries = item.entries();
        let (name, index, inside) = match (item.view(), entries.next(), entries.next()) {
            (View::Open(Open::Variant { name, index }), Some(Entry::Element(inside)), None) => (name, Some(index), inside),
            (View::Open(Open::Record { .. } | Open::Map(_)), Some(Entry::Field(name, inside)), None) => (name, None, inside),
            (View::Open(Open::Record { name, .. }), ..) if !name.is_empty() => (name, None, item),
            _ => return Err(misfit(item, "a member of the polymorph, as a variant, or as a record of one field")),
        };
        let found = members
            .iter()
            .enumerate()
            .find(|(n, member)| plan.tag_name(member.tag) == name || (name.is_empty() && index == Some(*n as u32)));
        let Some((_, member)) = found else { return Err(unknown(item, name, "a member of the polymorph")) };
        wire::put_uvarint(self.out, u64::from(member.tag));
        self.enter(item)?;
        self.structure(member.shape, inside).map_err(|error| below(error, PathStep::Name(name.to_string())))?;
        self.depth += 1;
        Ok(())
    }

    fn scalar(&mut self, op: Op, scalar: Scalar<'_, '_>, item: Value<'_>) -> Result<()> {
        let at = item.opening();
        match (op, scalar) {
            (Op::Boolean, Scalar::Bool(value)) => self.out.push(if value { wire::TRUE } else { wire::FALSE }),
            (Op::Text | Op::Octets, scalar) => return self.text(op, scalar, item),
            (Op::Float | Op::Double, scalar) => {
                let mut number = match scalar {
                    // Formats without such numbers write these texts (docs/spec/usds.md 6).
                    Scalar::Text(text) => match text.get() {
                        "NaN" => DeclaredFloat::new(&Scalar::f64(f64::NAN)),
                        "Infinity" => DeclaredFloat::new(&Scalar::f64(f64::INFINITY)),
                        "-Infinity" => DeclaredFloat::new(&Scalar::f64(f64::NEG_INFINITY)),
                        _ => None,
                    },
                    scalar => DeclaredFloat::new(&scalar),
                }
                .ok_or_else(|| misfit(item, op.name()))?;
                let (value, narrow) = (number.value(), number.single(item.digits()));
                if op == Op::Float && !value.is_nan() && f64::from(narrow) != value {
                    number.narrowed();
                }
                number.report(self.losses, at);
                match (op, scalar) {
                    // Every bit pattern is kept.
                    (Op::Float, Scalar::F32(value, _)) => self.out.extend_from_slice(&value.to_le_bytes()),
                    (Op::Float, _) => self.out.extend_from_slice(&narrow.to_le_bytes()),
                    _ => self.out.extend_from_slice(&value.to_le_bytes()),
                }
            }
            (op, Scalar::Int(..) | Scalar::UInt(..)) => {
                let number = match scalar {
                    Scalar::Int(number, _) => i128::from(number),
                    Scalar::UInt(number, _) => i128::from(number),
                    _ => 0,
                };
                let Some(simple) = op.whole() else { return Err(misfit(item, op.name())) };
                wire::put_whole(self.out, simple, number).map_err(|problem| {
                    let error = refused(item, problem);
                    error.seen(number.to_string()).expected(op.name())
                })?;
            }
            (op, Scalar::Time(moment)) if op.whole().is_some() => {
                return Err(misfit(item, op.name()).hint(format!("give the unit in which {moment} is counted")));
            }
            _ => return Err(misfit(item, op.name())),
        }
        Ok(())
    }

    fn text(&mut self, op: Op, scalar: Scalar<'_, '_>, item: Value<'_>) -> Result<()> {
        let at = item.opening();
        let made;
        let bytes = match scalar {
            Scalar::Text(text) => text.get().as_bytes(),
            Scalar::Octets(bytes) => bytes.get(),
            Scalar::Bytes(bytes) => {
                self.losses.value("bytes became a string, which reads as text or octets", at);
                bytes.get()
            }
            Scalar::Big(digits, _) | Scalar::Decimal(digits, _) => {
                self.losses.value("number became a string", at);
                digits.get().as_bytes()
            }
            Scalar::Time(moment) => {
                self.losses.value("timestamp became a string", at);
                made = moment.to_string();
                made.as_bytes()
            }
            _ => return Err(misfit(item, "STRING")),
        };
        match (op, scalar) {
            (Op::Text, Scalar::Octets(_) | Scalar::Bytes(_)) if wire::utf8(bytes).is_none() => return Err(refused(item, Problem::Text)),
            (_, Scalar::Octets(_)) if wire::utf8(bytes).is_some() => {
                self.losses.value("octets became a string, which reads as text", at);
            }
            _ => {}
        }
        if u32::try_from(bytes.len()).is_err() {
            return Err(refused(item, Problem::Overflow));
        }
        wire::put_uvarint(self.out, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

/// Counts the lists around the innermost values, along the first elements, no deeper than types
/// nest.
fn lists(item: Value<'_>, depth: usize) -> usize {
    match (item.view(), item.entries().next()) {
        (View::Open(Open::List(_) | Open::Tuple(_)), Some(first)) if depth < crate::dictionary::MAX_NESTING + 1 => {
            1 + lists(first.value(), depth + 1)
        }
        (View::Open(Open::List(_) | Open::Tuple(_)), _) => 1,
        _ => 0,
    }
}

/// Returns the position of the field with that name, which is usually `hint`.
fn position<'p>(slots: &'p [Slot], name: &str, hint: usize, positions: &mut HashMap<&'p str, usize>) -> Option<usize> {
    match slots.get(hint) {
        Some(slot) if *slot.name == *name => return Some(hint),
        _ if slots.len() <= FEW => return slots.iter().position(|slot| *slot.name == *name),
        _ => {}
    }
    if positions.is_empty() {
        positions.extend(slots.iter().enumerate().map(|(n, slot)| (&*slot.name, n)));
    }
    positions.get(name).copied()
}

/// Largest number of fields for which comparing each is faster than hashing.
const FEW: usize = 16;

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
        .hint("the value does not fit the type that the dictionary gives it")
        .at(item.opening().start)
}

#[cold]
fn unknown(item: Value<'_>, name: &str, expected: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("`{name}`")).expected(expected).at(item.opening().start)
}

#[cold]
fn refused(item: Value<'_>, problem: Problem) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(problem.text()).at(item.opening().start)
}

#[cold]
fn below(error: Error, step: PathStep) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}
