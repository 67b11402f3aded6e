//! Bodies of one root to events.

use std::sync::Arc;

use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::value::{Value, emit_any};
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Len, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span, Str, Timestamp,
};

use super::node::{Adopted, Case, CaseForm, FieldNode, Fields, Id, Node, Presence, Words};
use crate::error::{DecodeError, Problem};
use crate::events::{MAX_DEPTH, check_presence, count, is_present};
use crate::walk::{NAME, UsdsReader, root_head};
use crate::wire::codes::Simple;
use crate::wire::{self, number};

/// Reader of messages of an adopted schema.
#[derive(Debug)]
pub(crate) struct AdoptedReader {
    adopted: Arc<Adopted>,
    /// Framer of messages, which are bodies of the dictionary.
    bodies: UsdsReader,
}

impl AdoptedReader {
    pub(crate) fn new(adopted: Arc<Adopted>) -> AdoptedReader {
        let bodies = UsdsReader::roots(Arc::clone(&adopted.plan), adopted.tag);
        AdoptedReader { adopted, bodies }
    }
}

impl Reader for AdoptedReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.bodies.frame(buf, base, eof)
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let adopted = Arc::clone(&self.adopted);
        let mut reading = Reading { adopted: &adopted, bytes: msg, at: 0, base, sink, budget, depth: MAX_DEPTH };
        match reading.message() {
            Ok(()) | Err(None) => Ok(()),
            Err(Some(error)) => Err(error.format_is(NAME)),
        }
    }
}

/// Result of emitting; the error is `None` if the sink stopped.
type Ended<T = ()> = std::result::Result<T, Option<Error>>;

struct Reading<'r, 'm> {
    adopted: &'r Adopted,
    bytes: &'m [u8],
    at: usize,
    base: u64,
    sink: &'r mut dyn Sink<'m>,
    budget: &'r mut Budget,
    depth: u32,
}

impl<'r, 'm> Reading<'r, 'm> {
    fn message(&mut self) -> Ended {
        let adopted = self.adopted;
        let plan = &adopted.plan;
        let (found, start) = root_head(plan, self.bytes).map_err(|failure| failure.into_error(self.base))?;
        if found != adopted.tag {
            let failure = DecodeError::new(Problem::RootUnknown, plan.wire(), 1);
            return Err(Some(failure.seen(format!("the tag {found}, and not {}", adopted.tag)).into_error(self.base)));
        }
        self.sink.note(Note::Frame("signature of the body"), Span::at(self.base, 0, 1))?;
        self.sink.note(Note::Frame("id of the root's tag"), Span::at(self.base, 1, start))?;
        self.at = start;
        self.value(adopted.root)?;
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => {
                let error = Error::data(ErrorKind::Trailing, self.base + self.at as u64);
                Err(Some(error.seen(format!("{left} bytes after the root")).expected("its end")))
            }
        }
    }

    #[cold]
    fn bad(&self, problem: Problem, at: usize) -> Option<Error> {
        let at = if problem == Problem::End { self.bytes.len() } else { at };
        Some(DecodeError::new(problem, self.adopted.plan.wire(), at).into_error(self.base))
    }

    fn span(&self, start: usize) -> Span {
        Span::at(self.base, start, self.at)
    }

    fn read<T>(&mut self, primitive: impl FnOnce(&'m [u8], usize) -> wire::Wire<(T, usize)>) -> Ended<T> {
        match primitive(self.bytes, self.at) {
            Ok((value, end)) => {
                self.at = end;
                Ok(value)
            }
            Err(problem) => Err(self.bad(problem, self.at)),
        }
    }

    fn emit(&mut self, scalar: Scalar<'m, '_>, start: usize) -> Ended {
        let at = self.span(start);
        self.budget.item(at.start)?;
        Ok(self.sink.scalar(scalar, at)?)
    }

    /// Emits a container whose head starts at `start`, with its contents.
    fn within(&mut self, open: Open<'_>, start: usize, inside: impl Fn(&mut Reading<'_, 'm>) -> Ended) -> Ended {
        let at = self.span(start);
        self.budget.item(at.start)?;
        match self.sink.open(open, at)? {
            Next::Enter => {
                self.budget.enter(at.start)?;
                inside(self)?;
                self.budget.leave();
                Ok(self.sink.close(self.span(self.at))?)
            }
            Next::Skip => self.skip(inside),
            Next::Stop => Err(None),
        }
    }

    /// Skips a value that is not wanted.
    fn skip(&mut self, inside: impl Fn(&mut Reading<'_, 'm>) -> Ended) -> Ended {
        let mut reading = Reading {
            adopted: self.adopted,
            bytes: self.bytes,
            at: self.at,
            base: self.base,
            sink: &mut Nobody,
            budget: &mut *self.budget,
            depth: self.depth,
        };
        let ended = inside(&mut reading);
        self.at = reading.at;
        ended
    }

    fn value(&mut self, id: Id) -> Ended {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return Err(self.bad(Problem::Limit, self.at)),
        }
        self.node(id)?;
        self.depth += 1;
        Ok(())
    }

    fn node(&mut self, id: Id) -> Ended {
        let adopted = self.adopted;
        let start = self.at;
        match &adopted.nodes[id as usize] {
            Node::Wrapper(inner) => self.value(*inner),
            Node::Number => {
                let Value::F64(value) = self.read(|bytes, at| number(Simple::Double, bytes, at))? else {
                    return Err(Some(Error::internal("a double that is none")));
                };
                self.emit(Scalar::number(value), start)
            }
            Node::Simple(simple) => {
                let simple = *simple;
                let scalar = match self.read(|bytes, at| number(simple, bytes, at))? {
                    Value::Bool(value) => Scalar::Bool(value),
                    Value::Int(value) => Scalar::int(value),
                    Value::UInt(value) => Scalar::uint(value),
                    Value::F32(value) => Scalar::f32(value),
                    Value::F64(value) => Scalar::f64(value),
                    _ => return Err(Some(Error::internal("a number of no kind"))),
                };
                self.emit(scalar, start)
            }
            Node::Words(words) => {
                let scalar = self.words(*words)?;
                self.emit(scalar, start)
            }
            Node::Moment(unit) => {
                let count = i64::from_le_bytes(self.read(wire::array)?);
                let steps = i64::from(1_000_000_000 / unit.nanos());
                let nanos = count.rem_euclid(steps) as u32 * unit.nanos();
                self.moment(count.div_euclid(steps), nanos, start)
            }
            Node::Instant => {
                let seconds = i64::from_le_bytes(self.read(wire::array)?);
                let nanos = u32::from_le_bytes(self.read(wire::array)?);
                self.moment(seconds, nanos, start)
            }
            Node::Names(names, simple, told) => {
                let simple = *simple;
                let number = match self.read(|bytes, at| number(simple, bytes, at))? {
                    Value::UInt(number) => usize::try_from(number).ok(),
                    _ => None,
                };
                let Some(name) = number.and_then(|number| names.get(number)) else { return Err(self.bad(Problem::NoEnumerator, start)) };
                match told {
                    CaseForm::Variant => self.within(Open::Variant { name: &name.name, index: name.index }, start, |_| Ok(())),
                    _ => self.emit(Scalar::Text(Str::Scratch(&name.name)), start),
                }
            }
            Node::List(element) => {
                let count = self.read(count)?;
                self.within(Open::List(Len::Claimed(u64::from(count))), start, |reading| {
                    for _ in 0..count {
                        reading.value(*element)?;
                    }
                    Ok(())
                })
            }
            Node::Row(fields, is_tuple) => {
                let presence = self.presence(fields)?;
                let len = Len::Claimed(fields.fields.len() as u64);
                self.within(if *is_tuple { Open::Tuple(len) } else { Open::List(len) }, start, |reading| reading.row(fields, presence))
            }
            Node::Pairs(key, value) => {
                let count = self.read(count)?;
                self.within(Open::Map(Len::Claimed(u64::from(count))), start, |reading| {
                    for _ in 0..count {
                        match reading.key(*key)? {
                            Next::Enter => reading.value(*value)?,
                            Next::Skip => reading.skip(|reading| reading.value(*value))?,
                            Next::Stop => return Err(None),
                        }
                    }
                    Ok(())
                })
            }
            Node::Record(fields) => {
                let presence = self.presence(fields)?;
                self.within(Open::Record { name: "", len: Len::Unknown }, start, |reading| reading.record(fields, presence))
            }
            Node::Nullable(inner) => match self.read(wire::array::<1>)? {
                [0] => self.emit(Scalar::Null, start),
                [1] => self.value(*inner),
                _ => Err(self.bad(Problem::Padded, start)),
            },
            Node::Null => {
                self.nothing()?;
                self.emit(Scalar::Null, start)
            }
            Node::Sum(cases, told) => self.sum(cases, *told),
            Node::Marked(space, code, inner) => self.within(Open::Tagged { space, code: *code }, start, |reading| reading.value(*inner)),
            Node::Any => {
                let (from, end) = self.read(|bytes, at| wire::sized(bytes, at).map(|(from, end)| ((from, end), end)))?;
                match emit_any(&self.bytes[from..end], self.base + from as u64, self.sink, self.budget)? {
                    Next::Stop => Err(None),
                    _ => Ok(()),
                }
            }
            Node::Never => {
                Err(Some(Error::data(ErrorKind::Syntax, self.base + start as u64).seen("a value").expected("none, as in the samples")))
            }
        }
    }

    fn words(&mut self, words: Words) -> Ended<Scalar<'m, 'static>> {
        let start = self.at;
        let (from, end) = self.read(|bytes, at| wire::sized(bytes, at).map(|(from, end)| ((from, end), end)))?;
        let bytes = &self.bytes[from..end];
        let text = wire::utf8(bytes);
        Ok(match (words, text) {
            (Words::Text | Words::Octets, Some(text)) => Scalar::Text(Str::Input(text)),
            (Words::Octets, None) => Scalar::Octets(Str::Input(bytes)),
            (Words::Bytes, _) => Scalar::Bytes(Str::Input(bytes)),
            (Words::Number, Some(text)) => match classify(text) {
                Lexical::Int(value) => Scalar::int(value),
                Lexical::UInt(value) => Scalar::uint(value),
                Lexical::F64(value) => Scalar::f64(value),
                Lexical::Big => Scalar::big(Str::Input(text)),
                Lexical::Decimal => Scalar::decimal(Str::Input(text)),
                Lexical::Bool(_) | Lexical::Text => Scalar::Text(Str::Input(text)),
            },
            (Words::Text | Words::Number, None) => return Err(self.bad(Problem::Text, start)),
        })
    }

    fn moment(&mut self, seconds: i64, nanos: u32, start: usize) -> Ended {
        match Timestamp::new(seconds, nanos) {
            Some(moment) => self.emit(Scalar::Time(moment), start),
            None => Err(self.bad(Problem::Range, start)),
        }
    }

    /// Reads the presence bytes of a structure. Returns their offset.
    fn presence(&mut self, fields: &Fields) -> Ended<usize> {
        let start = self.at;
        if fields.fields.is_empty() {
            self.nothing()?;
        } else if fields.nullable > 0 {
            check_presence(self.bytes, start, fields.nullable).map_err(|problem| self.bad(problem, start))?;
            self.at += fields.presence_bytes();
        }
        Ok(start)
    }

    /// Reads the only field of a structure that stands for no fields.
    fn nothing(&mut self) -> Ended {
        let start = self.at;
        match self.read(wire::array::<1>)? {
            [0] => Ok(()),
            [1] => self.read(wire::boolean).map(|_| ()),
            _ => Err(self.bad(Problem::Padded, start)),
        }
    }

    fn record(&mut self, fields: &Fields, presence: usize) -> Ended {
        let mut nullable = 0;
        for (field, slot) in fields.fields.iter().zip(0u32..) {
            let mut is_there = true;
            if field.presence.is_nullable() {
                is_there = is_present(self.bytes, presence, nullable);
                nullable += 1;
            }
            if !is_there && field.presence == Presence::Absent {
                continue;
            }
            match (field.presence, &self.adopted.nodes[field.node as usize]) {
                (Presence::Repeated, Node::List(element)) => {
                    for _ in 0..self.read(count)? {
                        self.field(field, slot, *element, true)?;
                    }
                }
                _ => self.field(field, slot, field.node, is_there)?,
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &FieldNode, slot: u32, node: Id, is_there: bool) -> Ended {
        let at = Span::at(self.base, self.at, self.at);
        self.budget.item(at.start)?;
        let name = Field { name: Str::Scratch(&field.name), id: Some(u64::from(slot) + 1), slot: Some(slot) };
        match (self.sink.field(name, at)?, is_there) {
            (Next::Stop, _) => Err(None),
            (Next::Enter, true) => self.value(node),
            (Next::Enter, false) => self.emit(Scalar::Null, self.at),
            (Next::Skip, true) => self.skip(|reading| reading.value(node)),
            (Next::Skip, false) => Ok(()),
        }
    }

    fn row(&mut self, fields: &Fields, presence: usize) -> Ended {
        let mut nullable = 0;
        for field in &fields.fields {
            if field.presence.is_nullable() {
                nullable += 1;
                if !is_present(self.bytes, presence, nullable - 1) {
                    self.emit(Scalar::Null, self.at)?;
                    continue;
                }
            }
            self.value(field.node)?;
        }
        Ok(())
    }

    /// Emits a key; text is emitted as the name of a field.
    fn key(&mut self, id: Id) -> Ended<Next> {
        let adopted = self.adopted;
        let start = self.at;
        let name: Str<'m, '_, str> = match &adopted.nodes[id as usize] {
            Node::Words(words @ (Words::Text | Words::Octets)) => match self.words(*words)? {
                Scalar::Text(Str::Input(text)) => Str::Input(text),
                scalar => return self.emit(scalar, start).map(|()| Next::Enter),
            },
            Node::Names(names, simple, CaseForm::Named) => {
                let simple = *simple;
                let number = match self.read(|bytes, at| number(simple, bytes, at))? {
                    Value::UInt(number) => usize::try_from(number).ok(),
                    _ => None,
                };
                let Some(name) = number.and_then(|number| names.get(number)) else { return Err(self.bad(Problem::NoEnumerator, start)) };
                Str::Scratch(&name.name)
            }
            Node::Sum(cases, CaseForm::Untagged) => {
                let case = self.case(cases)?;
                let [field] = &case.fields.fields[..] else { return Err(self.bad(Problem::MemberType, start)) };
                if field.presence.is_nullable() {
                    return Err(self.bad(Problem::MemberType, start));
                }
                return self.key(field.node);
            }
            _ => return self.value(id).map(|()| Next::Enter),
        };
        let at = self.span(start);
        self.budget.item(at.start)?;
        Ok(self.sink.field(Field { name, id: None, slot: None }, at)?)
    }

    fn case<'c>(&mut self, cases: &'c [Case]) -> Ended<&'c Case> {
        let start = self.at;
        let tag = self.read(wire::id)?;
        cases.iter().find(|case| case.tag == tag).ok_or_else(|| self.bad(Problem::MemberType, start))
    }

    fn sum(&mut self, cases: &[Case], told: CaseForm) -> Ended {
        let start = self.at;
        let case = self.case(cases)?;
        let presence = self.presence(&case.fields)?;
        match (told, &case.fields.fields[..]) {
            (CaseForm::Variant, _) => {
                self.within(Open::Variant { name: &case.name, index: case.index }, start, |reading| reading.row(&case.fields, presence))
            }
            (CaseForm::Named, []) => self.emit(Scalar::Text(Str::Scratch(&case.name)), start),
            (CaseForm::Named, _) => self.within(Open::Record { name: "", len: Len::Claimed(1) }, start, |reading| {
                let at = reading.span(start);
                reading.budget.item(at.start)?;
                match reading.sink.field(Field { name: Str::Scratch(&case.name), id: None, slot: None }, at)? {
                    Next::Enter => reading.row(&case.fields, presence),
                    Next::Skip => reading.skip(|reading| reading.row(&case.fields, presence)),
                    Next::Stop => Err(None),
                }
            }),
            (CaseForm::Untagged, _) => self.row(&case.fields, presence),
        }
    }
}

/// Sink that wants nothing.
struct Nobody;

impl<'m> Sink<'m> for Nobody {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}
