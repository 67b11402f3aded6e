//! Events to bodies of one root.

use std::sync::Arc;

use polywire_core::schema::TimeUnit;
use polywire_core::value::{DeclaredFloat, Entry, Held, Item, View, put_any};
use polywire_core::walk::{Forward, Path, PathStep};
use polywire_core::{Error, ErrorKind, Fault, Losses, Lost, Needs, Open, Result, Scalar, Sink, Writer};

use super::node::{Adopted, Case, CaseForm, Fields, Id, Node, Presence, Words};
use crate::document::signature;
use crate::events::MAX_DEPTH;
use crate::walk::NAME;
use crate::wire::codes::Simple;
use crate::wire::{self, put_sized, put_uvarint, put_whole};

/// Writer of messages of an adopted schema.
#[derive(Debug)]
pub(crate) struct AdoptedWriter {
    adopted: Arc<Adopted>,
    held: Held,
    body: Vec<u8>,
}

impl AdoptedWriter {
    pub(crate) fn new(adopted: Arc<Adopted>) -> AdoptedWriter {
        AdoptedWriter { adopted, held: Held::new(None), body: Vec::new() }
    }
}

impl<'m> Forward<'m> for AdoptedWriter {
    type To = Held;

    fn to(&mut self) -> &mut Held {
        &mut self.held
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.held)
    }
}

impl Writer for AdoptedWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message").format_is(NAME)) };
        self.body.clear();
        self.body.push(signature(self.adopted.plan.wire()));
        put_uvarint(&mut self.body, u64::from(self.adopted.tag));
        let mut encode = Encode { adopted: &self.adopted, out: &mut self.body, losses: &mut self.held.losses, depth: MAX_DEPTH };
        encode.value(self.adopted.root, root).map_err(|error| {
            let error = error.format_is(NAME);
            // The path of the message itself.
            if error.path().is_none() { error.path_is(Path::default()) } else { error }
        })?;
        out.extend_from_slice(&self.body);
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

type Value<'t> = Item<'t, 'static>;

/// An encoder of one message. Recursion is bounded by `depth`.
struct Encode<'w> {
    adopted: &'w Adopted,
    out: &'w mut Vec<u8>,
    losses: &'w mut Losses,
    depth: u32,
}

impl Encode<'_> {
    fn enter(&mut self, item: Value<'_>) -> Result<()> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(Error::new(ErrorKind::Limit, Fault::Data).seen(format!("more than {MAX_DEPTH} levels")).at(item.opening().start)),
        }
    }

    fn value(&mut self, id: Id, item: Value<'_>) -> Result<()> {
        self.enter(item)?;
        self.node(id, item)?;
        self.depth += 1;
        Ok(())
    }

    fn node(&mut self, id: Id, item: Value<'_>) -> Result<()> {
        let adopted = self.adopted;
        match &adopted.nodes[id as usize] {
            Node::Wrapper(inner) => return self.value(*inner, item),
            Node::Simple(simple) => return self.simple(*simple, item),
            Node::Number => {
                if let View::Scalar(scalar) = item.view() {
                    self.losses.whole(&scalar, item.opening());
                }
                return self.simple(Simple::Double, item);
            }
            Node::Words(words) => return self.words(*words, item),
            Node::Moment(unit) => {
                let View::Scalar(Scalar::Time(moment)) = item.view() else { return Err(misfit(item, "timestamp")) };
                let steps = i128::from(1_000_000_000 / unit.nanos());
                let count = i128::from(moment.seconds()) * steps + i128::from(moment.nanos() / unit.nanos());
                if *unit != TimeUnit::Nanosecond && !moment.nanos().is_multiple_of(unit.nanos()) {
                    self.losses.value("part of a moment that the samples did not have", item.opening());
                }
                put_whole(self.out, Simple::Long, count).map_err(|problem| refused(item, problem.text()))?;
            }
            Node::Instant => {
                let View::Scalar(Scalar::Time(moment)) = item.view() else { return Err(misfit(item, "timestamp")) };
                self.out.extend_from_slice(&moment.seconds().to_le_bytes());
                self.out.extend_from_slice(&moment.nanos().to_le_bytes());
            }
            Node::Names(names, simple, _) => {
                let found = match item.view() {
                    View::Scalar(Scalar::Text(name)) => names.iter().position(|known| *known.name == *name.get()),
                    View::Open(Open::Variant { name, .. }) => names.iter().position(|known| *known.name == *name),
                    _ => None,
                };
                let Some(number) = found else { return Err(misfit(item, "a name of the samples")) };
                put_whole(self.out, *simple, number as i128).map_err(|problem| refused(item, problem.text()))?;
            }
            Node::List(element) => match item.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) => {
                    put_uvarint(self.out, item.entries().count() as u64);
                    for (n, entry) in item.entries().enumerate() {
                        self.value(*element, entry.value()).map_err(|error| below(error, PathStep::Index(n as u64)))?;
                    }
                }
                _ => return Err(misfit(item, "a list")),
            },
            Node::Row(fields, _) => match item.view() {
                View::Open(Open::List(_) | Open::Tuple(_)) if item.entries().count() == fields.fields.len() => {
                    return self.row(fields, item);
                }
                _ => return Err(misfit(item, "a list of as many values as those of the samples")),
            },
            Node::Pairs(key, value) => return self.pairs(*key, *value, item),
            Node::Record(fields) => return self.record(fields, item),
            Node::Nullable(inner) => {
                let is_null = matches!(item.view(), View::Scalar(Scalar::Null));
                self.out.push(u8::from(!is_null));
                if !is_null {
                    return self.value(*inner, item);
                }
            }
            Node::Null => match item.view() {
                View::Scalar(Scalar::Null) => self.out.push(0),
                _ => return Err(misfit(item, "null")),
            },
            Node::Sum(cases, told) => return self.sum(cases, *told, item),
            Node::Marked(space, code, inner) => match (item.view(), item.entries().next()) {
                (View::Open(Open::Tagged { space: own, code: mark }), Some(inside)) if *own == **space && mark == *code => {
                    return self.value(*inner, inside.value());
                }
                _ => return Err(misfit(item, format!("the mark {space} {code}"))),
            },
            Node::Any => {
                let mut bytes = Vec::new();
                put_any(item, &mut bytes);
                put_sized(self.out, &bytes);
            }
            Node::Never => return Err(misfit(item, "nothing, which is what the samples had here")),
        }
        Ok(())
    }

    fn simple(&mut self, simple: Simple, item: Value<'_>) -> Result<()> {
        let View::Scalar(scalar) = item.view() else { return Err(misfit(item, simple.keyword())) };
        match (simple, scalar) {
            (Simple::Boolean, Scalar::Bool(value)) => self.out.push(if value { wire::TRUE } else { wire::FALSE }),
            (Simple::Float, Scalar::F32(value, _)) => self.out.extend_from_slice(&value.to_le_bytes()),
            (Simple::Double, Scalar::Decimal(..)) => {
                let number = DeclaredFloat::new(&scalar).ok_or_else(|| misfit(item, simple.keyword()))?;
                number.report(self.losses, item.opening());
                self.out.extend_from_slice(&number.value().to_le_bytes());
            }
            (Simple::Double, Scalar::F64(value, _)) => self.out.extend_from_slice(&value.to_le_bytes()),
            (Simple::Double, Scalar::F32(value, _)) => self.out.extend_from_slice(&f64::from(value).to_le_bytes()),
            (Simple::Double | Simple::Float, Scalar::UInt(..) | Scalar::Int(..)) => {
                let number = whole(scalar);
                let float = number as f64;
                if float as i128 != number || simple == Simple::Float && f64::from(float as f32) != float {
                    return Err(misfit(item, simple.keyword()));
                }
                match simple {
                    Simple::Float => self.out.extend_from_slice(&(float as f32).to_le_bytes()),
                    _ => self.out.extend_from_slice(&float.to_le_bytes()),
                }
            }
            (simple, Scalar::UInt(..) | Scalar::Int(..)) if simple.range().is_some() => {
                put_whole(self.out, simple, whole(scalar)).map_err(|problem| refused(item, problem.text()).expected(simple.keyword()))?;
            }
            _ => return Err(misfit(item, simple.keyword())),
        }
        Ok(())
    }

    fn words(&mut self, words: Words, item: Value<'_>) -> Result<()> {
        let View::Scalar(scalar) = item.view() else { return Err(misfit(item, "a scalar")) };
        let mut digits = String::new();
        let bytes = match (words, scalar) {
            (Words::Text | Words::Octets, Scalar::Text(text)) => text.get().as_bytes(),
            (Words::Octets, Scalar::Octets(bytes)) | (Words::Bytes, Scalar::Bytes(bytes)) => bytes.get(),
            (Words::Number, Scalar::Big(text, _) | Scalar::Decimal(text, _)) => text.get().as_bytes(),
            (Words::Number, Scalar::UInt(..) | Scalar::Int(..)) => {
                digits.push_str(&whole(scalar).to_string());
                digits.as_bytes()
            }
            (Words::Number, Scalar::F64(value, _)) if value.is_finite() => {
                digits.push_str(ryu::Buffer::new().format_finite(value));
                digits.as_bytes()
            }
            _ => return Err(misfit(item, "a value of the type of its samples")),
        };
        if u32::try_from(bytes.len()).is_err() {
            return Err(refused(item, "more than 32 bits' length"));
        }
        put_sized(self.out, bytes);
        Ok(())
    }

    fn pairs(&mut self, key: Id, value: Id, item: Value<'_>) -> Result<()> {
        if !matches!(item.view(), View::Open(Open::Map(_) | Open::Record { .. })) {
            return Err(misfit(item, "a map"));
        }
        put_uvarint(self.out, item.entries().count() as u64);
        for entry in item.entries() {
            match entry {
                Entry::Field(name, inside) => {
                    match &self.adopted.nodes[key as usize] {
                        Node::Words(Words::Text | Words::Octets) => put_sized(self.out, name.as_bytes()),
                        Node::Names(names, simple, _) => {
                            let Some(number) = names.iter().position(|known| *known.name == *name) else {
                                return Err(misfit(inside, "a key of the samples"));
                            };
                            put_whole(self.out, *simple, number as i128).map_err(|problem| refused(inside, problem.text()))?;
                        }
                        Node::Sum(cases, CaseForm::Untagged) => {
                            let is_text = |case: &&Case| matches!(case.fields.fields[..], [ref field] if self.is_text(field.node));
                            let Some(case) = cases.iter().find(is_text) else { return Err(misfit(inside, "a key of the samples")) };
                            put_uvarint(self.out, u64::from(case.tag));
                            put_sized(self.out, name.as_bytes());
                        }
                        _ => return Err(misfit(inside, "a key of the type of its samples")),
                    }
                    self.value(value, inside).map_err(|error| below(error, PathStep::Name(name.to_string())))?;
                }
                Entry::Pair(one, inside) => {
                    self.value(key, one)?;
                    self.value(value, inside)?;
                }
                Entry::Element(inside) => return Err(misfit(inside, "a pair")),
            }
        }
        Ok(())
    }

    fn is_text(&self, node: Id) -> bool {
        matches!(self.adopted.nodes[node as usize], Node::Words(Words::Text | Words::Octets))
    }

    fn presence(&mut self, fields: &Fields) -> usize {
        let at = self.out.len();
        self.out.resize(at + fields.presence_bytes(), 0);
        at
    }

    fn set(&mut self, presence: usize, nullable: usize) {
        self.out[presence + nullable / 8] |= 1 << (nullable % 8);
    }

    fn record(&mut self, fields: &Fields, item: Value<'_>) -> Result<()> {
        if !matches!(item.view(), View::Open(Open::Map(_) | Open::Record { .. })) {
            return Err(misfit(item, "a record"));
        }
        let mut given: Vec<Option<Value<'_>>> = vec![None; fields.fields.len()];
        let mut hint = 0;
        for entry in item.entries() {
            let Entry::Field(name, value) = entry else { return Err(misfit(entry.value(), "a field under its name")) };
            let known = |at: &usize| fields.fields.get(*at).is_some_and(|field| *field.name == *name);
            let Some(at) = Some(hint).filter(known).or_else(|| fields.fields.iter().position(|field| *field.name == *name)) else {
                return Err(misfit(value, "a field of the samples").seen(format!("the field `{name}`")));
            };
            hint = at + 1;
            if given[at].replace(value).is_some() {
                let error = Error::new(ErrorKind::DoubledKey, Fault::Data).seen(format!("a second field `{name}`"));
                return Err(error.at(value.opening().start));
            }
        }
        let presence = self.presence(fields);
        let mut nullable = 0;
        for (field, value) in fields.fields.iter().zip(given) {
            let is_null = value.is_some_and(|value| matches!(value.view(), View::Scalar(Scalar::Null)));
            let bit = nullable;
            nullable += usize::from(field.presence.is_nullable());
            match (field.presence, value) {
                (Presence::Absent, None) => continue,
                (Presence::Null, Some(_)) if is_null => continue,
                (Presence::Repeated, None) => self.out.push(0),
                (Presence::Repeated, Some(value)) if !matches!(value.view(), View::Open(Open::List(_))) => {
                    let Node::List(element) = self.adopted.nodes[field.node as usize] else {
                        return Err(Error::internal("a repeated field that is no list"));
                    };
                    self.out.push(1);
                    self.value(element, value).map_err(|error| below(error, PathStep::Name(field.name.to_string())))?;
                }
                (_, None) => {
                    let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("no field `{}`", field.name));
                    return Err(error.expected("a field that all samples had").at(item.opening().start));
                }
                (presence_of, Some(value)) => {
                    if presence_of.is_nullable() {
                        self.set(presence, bit);
                    }
                    self.value(field.node, value).map_err(|error| below(error, PathStep::Name(field.name.to_string())))?;
                }
            }
        }
        Ok(())
    }

    /// Writes consecutive values.
    fn row(&mut self, fields: &Fields, item: Value<'_>) -> Result<()> {
        let presence = self.presence(fields);
        let mut nullable = 0;
        let mut entries = item.entries();
        for (field, n) in fields.fields.iter().zip(0..) {
            let bit = nullable;
            nullable += usize::from(field.presence.is_nullable());
            match entries.next().map(Entry::value) {
                Some(value) if field.presence == Presence::Null && matches!(value.view(), View::Scalar(Scalar::Null)) => {}
                Some(value) => {
                    if field.presence.is_nullable() {
                        self.set(presence, bit);
                    }
                    self.value(field.node, value).map_err(|error| below(error, PathStep::Index(n)))?;
                }
                None => return Err(misfit(item, "as many values as the samples had")),
            }
        }
        if entries.next().is_some() { Err(misfit(item, "as many values as the samples had")) } else { Ok(()) }
    }

    fn sum(&mut self, cases: &[Case], told: CaseForm, item: Value<'_>) -> Result<()> {
        let named = |name: &str| cases.iter().find(|case| *case.name == *name);
        let one = |encode: &mut Self, case: &Case, value: Value<'_>| {
            put_uvarint(encode.out, u64::from(case.tag));
            let Some(field) = case.fields.fields.first() else { return Err(misfit(value, "a case without a value")) };
            let presence = encode.presence(&case.fields);
            if field.presence.is_nullable() {
                if matches!(value.view(), View::Scalar(Scalar::Null)) {
                    return Ok(());
                }
                encode.set(presence, 0);
            }
            encode.value(field.node, value)
        };
        match (told, item.view()) {
            (CaseForm::Untagged, _) => {
                let fits = |case: &&Case| case.fields.fields.first().is_some_and(|field| self.fits(field.node, field.presence, item));
                let Some(case) = cases.iter().find(fits) else { return Err(misfit(item, "a value of one of the types of its samples")) };
                one(self, case, item)
            }
            (_, View::Open(Open::Variant { name, .. })) => {
                let Some(case) = named(name) else { return Err(misfit(item, "a case of the samples")) };
                put_uvarint(self.out, u64::from(case.tag));
                self.row(&case.fields, item).map_err(|error| below(error, PathStep::Name(name.to_string())))
            }
            (_, View::Scalar(Scalar::Text(name))) => match named(name.get()) {
                Some(case) if case.fields.fields.is_empty() => {
                    put_uvarint(self.out, u64::from(case.tag));
                    self.out.push(0);
                    Ok(())
                }
                _ => Err(misfit(item, "a case of the samples")),
            },
            (_, View::Open(Open::Map(_) | Open::Record { .. })) => {
                let mut entries = item.entries();
                match (entries.next(), entries.next()) {
                    (Some(Entry::Field(name, value)), None) => match named(name) {
                        Some(case) => one(self, case, value).map_err(|error| below(error, PathStep::Name(name.to_string()))),
                        None => Err(misfit(item, "a case of the samples")),
                    },
                    _ => Err(misfit(item, "a record of one field")),
                }
            }
            _ => Err(misfit(item, "a case of the samples")),
        }
    }

    /// Returns whether a value fits a node, judged by the value alone.
    fn fits(&self, id: Id, presence: Presence, item: Value<'_>) -> bool {
        let scalar = match item.view() {
            View::Scalar(Scalar::Null) => return presence == Presence::Null || self.takes_null(id),
            View::Scalar(scalar) => Some(scalar),
            View::Open(_) => None,
        };
        let is_list = matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_)));
        let is_record = matches!(item.view(), View::Open(Open::Map(_) | Open::Record { .. }));
        match &self.adopted.nodes[id as usize] {
            Node::Simple(simple) => match (simple, scalar) {
                (Simple::Boolean, scalar) => matches!(scalar, Some(Scalar::Bool(_))),
                (Simple::Float, scalar) => matches!(scalar, Some(Scalar::F32(..))),
                (Simple::Double, scalar) => {
                    matches!(scalar, Some(Scalar::F64(..) | Scalar::F32(..) | Scalar::Int(..) | Scalar::UInt(..) | Scalar::Decimal(..)))
                }
                (simple, Some(number @ (Scalar::Int(..) | Scalar::UInt(..)))) => {
                    simple.range().is_some_and(|(low, high)| (low..=high).contains(&whole(number)))
                }
                _ => false,
            },
            Node::Number => {
                matches!(scalar, Some(Scalar::F64(..) | Scalar::F32(..) | Scalar::Int(..) | Scalar::UInt(..) | Scalar::Decimal(..)))
            }
            Node::Words(Words::Text) => matches!(scalar, Some(Scalar::Text(_))),
            Node::Words(Words::Octets) => matches!(scalar, Some(Scalar::Text(_) | Scalar::Octets(_))),
            Node::Words(Words::Bytes) => matches!(scalar, Some(Scalar::Bytes(_))),
            Node::Words(Words::Number) => {
                let is_finite = !matches!(scalar, Some(Scalar::F64(value, _)) if !value.is_finite());
                is_finite
                    && matches!(scalar, Some(Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..) | Scalar::Decimal(..) | Scalar::F64(..)))
            }
            Node::Moment(_) | Node::Instant => matches!(scalar, Some(Scalar::Time(_))),
            Node::Names(names, _, told) => match (told, scalar, item.view()) {
                (CaseForm::Named, Some(Scalar::Text(name)), _) => names.iter().any(|known| *known.name == *name.get()),
                (_, _, View::Open(Open::Variant { name, .. })) => names.iter().any(|known| *known.name == *name),
                _ => false,
            },
            Node::List(_) => is_list,
            Node::Row(fields, _) => is_list && item.entries().take(fields.fields.len() + 1).count() == fields.fields.len(),
            Node::Pairs(..) => is_record,
            // A record is named after its case where cases are named.
            Node::Record(fields) => {
                let known =
                    |entry: Entry<'_, '_>| matches!(entry, Entry::Field(name, _) if fields.fields.iter().any(|field| *field.name == *name));
                is_record && item.entries().all(known)
            }
            Node::Nullable(inner) | Node::Wrapper(inner) => self.fits(*inner, Presence::Always, item),
            Node::Sum(cases, told) => match (told, item.view()) {
                (CaseForm::Untagged, _) => {
                    cases.iter().any(|case| case.fields.fields.first().is_some_and(|field| self.fits(field.node, field.presence, item)))
                }
                (CaseForm::Variant, View::Open(Open::Variant { name, .. })) => cases.iter().any(|case| *case.name == *name),
                (CaseForm::Named, View::Scalar(Scalar::Text(name))) => cases.iter().any(|case| *case.name == *name.get()),
                (CaseForm::Named, View::Open(Open::Map(_) | Open::Record { .. })) => match item.entries().next() {
                    Some(Entry::Field(name, _)) => cases.iter().any(|case| *case.name == *name),
                    _ => false,
                },
                _ => false,
            },
            Node::Marked(space, code, _) => {
                matches!(item.view(), View::Open(Open::Tagged { space: own, code: mark }) if *own == **space && mark == *code)
            }
            Node::Any => true,
            Node::Null | Node::Never => false,
        }
    }

    fn takes_null(&self, id: Id) -> bool {
        matches!(self.adopted.nodes[id as usize], Node::Null | Node::Nullable(_) | Node::Any)
    }
}

fn whole(scalar: Scalar<'_, '_>) -> i128 {
    match scalar {
        Scalar::UInt(number, _) => number.into(),
        Scalar::Int(number, _) => number.into(),
        _ => 0,
    }
}

#[cold]
fn misfit(item: Value<'_>, expected: impl Into<String>) -> Error {
    let seen = match item.view() {
        View::Scalar(scalar) => scalar.kind(),
        View::Open(open) => open.kind(),
    };
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(seen)
        .expected(expected.into())
        .hint("the value does not fit the schema that was inferred")
        .at(item.opening().start)
}

#[cold]
fn refused(item: Value<'_>, seen: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).at(item.opening().start)
}

#[cold]
fn below(error: Error, step: PathStep) -> Error {
    let mut path = error.path().cloned().unwrap_or_default();
    path.0.insert(0, step);
    error.path_is(path)
}
