//! Bytes of both protocols to events, by a schema or without one.
//!
//! A struct is a record; without a schema its fields have their numbers as names. An enveloped
//! message is a variant named by its type, `call`, `reply`, `exception` or `oneway`, which holds a
//! record of the name, the sequence number and the body.

use std::sync::Arc;

use polywire_core::bytes::Input;
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Hint, Len, Limits, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Spelling, Str,
    Writer,
};

use crate::kind::Kind;
use crate::plan::{Plan, Shape, TypeId};
use crate::skip::{Skipped, Skipper};
use crate::uuid;
use crate::wire::envelope::{BODY, Found, METHOD, Places, SEQUENCE, TYPES};
use crate::wire::{Binary, FieldHead, NAME, Protocol, text};
use crate::write::ThriftWriter;

/// Remark on a value that is text as well as bytes.
const TAKEN_FOR_TEXT: &str = "string: UTF-8; else binary";

/// Remark on a value that is no text.
const TAKEN_FOR_BYTES: &str = "binary: no UTF-8, or with control characters";

/// Reads messages of a protocol.
#[derive(Debug, Default)]
pub struct ThriftReader<P> {
    /// True for envelopes without a version.
    old: bool,
    plan: Option<Arc<Plan>>,
    /// True if strings that no schema declares are text.
    texts: bool,
    levels: Vec<Level>,
    /// For each required field of the open structs, whether it came.
    came: Vec<bool>,
    skipper: Skipper<P>,
    /// True while a message is being framed.
    framing: bool,
    /// True if a message was an empty struct.
    empty: bool,
}

impl<P: Protocol> ThriftReader<P> {
    /// Makes a reader. `old` means that messages have envelopes of the old kind, without a version,
    /// which only the binary protocol has.
    pub fn new(old: bool) -> ThriftReader<P> {
        ThriftReader { old, ..ThriftReader::default() }
    }

    /// Takes strings that no schema declares for text.
    pub(crate) fn texts(mut self) -> ThriftReader<P> {
        self.texts = true;
        self
    }

    /// Sets the schema of the messages.
    pub(crate) fn by(mut self, plan: Option<&Arc<Plan>>) -> ThriftReader<P> {
        self.plan = plan.cloned();
        self
    }
}

/// A container that is being read.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// A container that ends when the value in it does: a tag, an enveloped message.
    Around,
    /// A struct, behind the field of that number, of that index in the schema.
    Struct(i16, Option<u32>),
    /// A union, behind its field.
    Union(i16),
    /// Elements of one type that are left.
    List(u64, Kind, TypeId),
    /// Keys and values that are left.
    Map(u64, (Kind, TypeId), (Kind, TypeId)),
}

/// A walk over one message.
struct Walk<'w, 'm, P> {
    plan: Option<&'w Plan>,
    /// True if the sink wants fields that the schema lacks as their likely values.
    guesses: bool,
    /// True if strings that no schema declares are text.
    texts: bool,
    came: &'w mut Vec<bool>,
    input: Input<'m>,
    msg: &'m [u8],
    base: u64,
    levels: &'w mut Vec<Level>,
    skipper: &'w mut Skipper<P>,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
}

/// True if the sink has stopped the walk.
type Stopped = bool;

impl<'m, P: Protocol> Walk<'_, 'm, P> {
    fn span(&self, start: usize) -> Span {
        Span::at(self.base, start, self.input.pos())
    }

    fn message(&mut self, old: bool) -> Result<()> {
        let stopped = match P::envelope(self.msg, self.base, true, old) {
            Found::Bad(error, _) => return Err(error),
            Found::Envelope(places) => self.envelope(&places)?,
            Found::Struct | Found::More(_) => self.value(Kind::Struct, self.plan.map_or(TypeId::ANY, |plan| plan.root))?,
        };
        if stopped || self.fields()? {
            return Ok(());
        }
        match self.input.remaining() {
            0 => Ok(()),
            more => Err(Error::data(ErrorKind::Trailing, self.input.offset())
                .seen(format!("{more} bytes after the message"))
                .expected("its end")),
        }
    }

    /// Opens an enveloped message up to its body.
    fn envelope(&mut self, places: &Places) -> Result<Stopped> {
        let kind = places.kind;
        let head = Span::at(self.base, places.head.start, places.head.end);
        self.budget.item(head.start)?;
        self.budget.enter(head.start)?;
        match self.sink.open(Open::Variant { name: TYPES[usize::from(kind) - 1], index: u32::from(kind) - 1 }, head)? {
            Next::Enter => self.levels.push(Level::Around),
            Next::Skip => return self.rest(places.len),
            Next::Stop => return Ok(true),
        }
        let start = Span::at(self.base, places.head.end, places.head.end);
        self.budget.item(start.start)?;
        self.budget.enter(start.start)?;
        match self.sink.open(Open::Record { name: "", len: Len::Claimed(3) }, start)? {
            Next::Enter => self.levels.push(Level::Around),
            Next::Skip => return self.rest(places.len),
            Next::Stop => return Ok(true),
        }
        let name = &self.msg[places.name.clone()];
        let name = std::str::from_utf8(name).map_or(Scalar::Octets(Str::Input(name)), |name| Scalar::Text(Str::Input(name)));
        let mut parts =
            [(METHOD, places.named.clone(), name), (SEQUENCE, places.numbered.clone(), number(i64::from(places.sequence), Hint::NONE))];
        // The name comes last in the compact protocol.
        if places.numbered.start < places.named.start {
            parts.swap(0, 1);
        }
        for (field, range, value) in parts {
            match self.named(field, range.start)? {
                Next::Enter => {
                    self.budget.item(self.base + range.start as u64)?;
                    self.sink.scalar(value, Span::at(self.base, range.start, range.end))?;
                }
                Next::Skip => {}
                Next::Stop => return Ok(true),
            }
            if range == places.named && !places.late.is_empty() {
                self.sink.note(Note::Frame("type of the message"), Span::at(self.base, places.late.start, places.late.end))?;
            }
        }
        self.input.seek(places.len);
        let body = self.plan.map_or(TypeId::ANY, |plan| plan.body(kind, &self.msg[places.name.clone()]));
        match self.named(BODY, places.len)? {
            Next::Enter => self.value(Kind::Struct, body),
            Next::Skip => self.rest(places.len),
            Next::Stop => Ok(true),
        }
    }

    /// Emits a name that is not on the wire.
    fn named(&mut self, name: &'static str, at: usize) -> Result<Next> {
        let span = Span::at(self.base, at, at);
        self.budget.item(span.start)?;
        self.sink.field(Field::named(Str::Input(name)), span)
    }

    /// Steps over the body of the message at `at`.
    fn rest(&mut self, at: usize) -> Result<Stopped> {
        self.input.seek(at);
        self.skipper.start(at, Kind::Struct);
        self.skip()?;
        Ok(false)
    }

    /// Steps over what the skipper was started with.
    fn skip(&mut self) -> Result<()> {
        match self.skipper.run(self.msg, self.base, self.budget.limits().depth)? {
            Skipped::All(end) => {
                self.input.seek(end);
                Ok(())
            }
            Skipped::More => Err(Error::truncated(self.base + self.msg.len() as u64, "the end of a value that is stepped over")),
        }
    }

    /// Walks until all containers are closed.
    fn fields(&mut self) -> Result<Stopped> {
        while let Some(level) = self.levels.last_mut() {
            let at = self.input.pos();
            let stopped = match level {
                Level::Struct(last, of) => {
                    let of = *of;
                    match P::field(&mut self.input, *last)? {
                        None => {
                            self.complete(of, at)?;
                            self.close(at)?;
                            false
                        }
                        Some(head) => {
                            *last = head.id;
                            self.field(of, head, at)?
                        }
                    }
                }
                Level::Union(last) => match P::field(&mut self.input, *last)? {
                    None => self.close(at).map(|()| false)?,
                    Some(head) => {
                        return Err(Error::data(ErrorKind::Syntax, self.base + at as u64)
                            .seen(format!("a second field of a union, of the number {}", head.id))
                            .expected("the end of the union"));
                    }
                },
                Level::Around | Level::List(0, ..) | Level::Map(0, ..) => self.close(at).map(|()| false)?,
                Level::List(left, kind, ty) => {
                    *left -= 1;
                    let (kind, ty) = (*kind, *ty);
                    self.value(kind, ty)?
                }
                Level::Map(left, key, value) => {
                    *left -= 1;
                    let is_key = !left.is_multiple_of(2);
                    let (kind, ty) = if is_key { *key } else { *value };
                    if is_key { self.key(kind, ty)? } else { self.value(kind, ty)? }
                }
            };
            if stopped {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what a type of the schema is.
    fn shape(&self, ty: TypeId) -> Shape {
        self.plan.map_or(Shape::Any, |plan| plan.shape(ty))
    }

    /// Refuses a struct that lacks a required field.
    fn complete(&mut self, of: Option<u32>, at: usize) -> Result<()> {
        let (Some(plan), Some(of)) = (self.plan, of) else { return Ok(()) };
        let of = &plan.structs[of as usize];
        let start = self.came.len() - of.required.len();
        let missing = self.came[start..].iter().position(|came| !came);
        self.came.truncate(start);
        match missing {
            None => Ok(()),
            Some(missing) => Err(Error::data(ErrorKind::Mismatch, self.base + at as u64)
                .seen(format!("the end of `{}`", of.name))
                .expected(format!("its required field `{}`", of.fields[of.required[missing] as usize].name))),
        }
    }

    fn close(&mut self, at: usize) -> Result<()> {
        self.levels.pop();
        self.budget.leave();
        let span = self.span(at);
        self.sink.close(span)
    }

    /// Walks a field whose head began at `at`, of the struct of that index in the schema.
    fn field(&mut self, of: Option<u32>, head: FieldHead, at: usize) -> Result<Stopped> {
        let known = match (self.plan, of) {
            (Some(plan), Some(of)) => {
                let found = plan.structs[of as usize].of_id(head.id).filter(|(_, field)| plan.fits(field.ty, head.kind));
                if found.is_none() && !self.guesses {
                    return self.unknown(head, at).map(|()| false);
                }
                if let Some(place) = found.and_then(|(_, field)| field.required) {
                    let start = self.came.len() - plan.structs[of as usize].required.len();
                    self.came[start + place as usize] = true;
                }
                found
            }
            _ => None,
        };
        // The head of a truth value is the value as well.
        let span = if head.truth.is_some() { Span::at(self.base, at, at) } else { self.span(at) };
        self.budget.item(span.start)?;
        let mut digits = itoa::Buffer::new();
        let name = known.map_or_else(|| digits.format(head.id), |(_, field)| &*field.name);
        let slot = known.map(|(slot, _)| slot);
        let field = Field { name: Str::Scratch(name), id: u64::try_from(head.id).ok(), slot };
        match self.sink.field(field, span)? {
            Next::Stop => Ok(true),
            Next::Enter => self.of_field(head, known.map_or(TypeId::ANY, |(_, field)| field.ty), at),
            Next::Skip => {
                if head.truth.is_none() {
                    self.skipper.start(self.input.pos(), head.kind);
                    self.skip()?;
                }
                Ok(false)
            }
        }
    }

    /// Walks the value of a field whose head began at `at`.
    fn of_field(&mut self, head: FieldHead, ty: TypeId, at: usize) -> Result<Stopped> {
        match head.truth {
            Some(truth) => self.scalar(Scalar::Bool(truth), at, Kind::Bool.name()).map(|()| false),
            None => self.value(head.kind, ty),
        }
    }

    /// Notes a field that the schema lacks, in the form that the binary protocol gives it.
    fn unknown(&mut self, head: FieldHead, at: usize) -> Result<()> {
        let mut writer = ThriftWriter::<Binary>::default();
        writer.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE)?;
        let mut digits = itoa::Buffer::new();
        writer.field(Field::named(Str::Scratch(digits.format(head.id))), Span::NONE)?;
        let (mut levels, mut came) = (Vec::new(), Vec::new());
        let mut walk = Walk {
            plan: None,
            guesses: false,
            texts: self.texts,
            came: &mut came,
            input: self.input,
            msg: self.msg,
            base: self.base,
            levels: &mut levels,
            skipper: &mut *self.skipper,
            sink: &mut writer,
            budget: &mut *self.budget,
        };
        walk.of_field(head, TypeId::ANY, at)?;
        walk.fields()?;
        self.input.seek(walk.input.pos());
        writer.close(Span::NONE)?;
        let mut bytes = Vec::new();
        writer.finish(&mut bytes)?;
        bytes.pop();
        self.budget.decode(bytes.len() as u64, self.base + at as u64)?;
        let span = self.span(at);
        self.sink.note(Note::Unknown(&bytes), span)
    }

    /// Walks a key; text is a name.
    fn key(&mut self, kind: Kind, ty: TypeId) -> Result<Stopped> {
        let at = self.input.pos();
        let number;
        let (name, enumerated): (Option<Str<'m, '_, str>>, _) = match (kind, self.shape(ty)) {
            (Kind::String, Shape::Any) if !self.texts => (text(P::bytes(&mut self.input)?).map(Str::Input), false),
            (Kind::String, Shape::Text | Shape::Any) => (std::str::from_utf8(P::bytes(&mut self.input)?).ok().map(Str::Input), false),
            (Kind::I32, Shape::Enum(of)) => {
                number = P::int(&mut self.input, kind)? as i32;
                (self.plan.and_then(|plan| plan.enums[of as usize].name_of(number)).map(Str::Scratch), true)
            }
            _ => (None, false),
        };
        let Some(name) = name else {
            self.input.seek(at);
            return self.value(kind, ty);
        };
        let span = self.span(at);
        self.budget.item(span.start)?;
        let next = self.sink.field(Field::named(name), span)?;
        if enumerated && next == Next::Enter {
            self.sink.note(Note::Coerced(Kind::I32.name()), span)?;
        }
        match next {
            Next::Enter => Ok(false),
            Next::Stop => Ok(true),
            Next::Skip => {
                if let Some(Level::Map(left, _, (kind, _))) = self.levels.last_mut() {
                    *left -= 1;
                    self.skipper.start(self.input.pos(), *kind);
                    self.skip()?;
                }
                Ok(false)
            }
        }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: usize, remark: &'static str) -> Result<()> {
        let span = self.span(at);
        self.budget.item(span.start)?;
        self.sink.scalar(value, span)?;
        self.sink.note(Note::Coerced(remark), span)
    }

    /// Walks a scalar, or opens a container, at the cursor. A value has the type of the schema on
    /// the wire, or none.
    fn value(&mut self, kind: Kind, ty: TypeId) -> Result<Stopped> {
        let at = self.input.pos();
        match kind {
            Kind::Bool => {
                let truth = P::truth(&mut self.input)?;
                self.scalar(Scalar::Bool(truth), at, kind.name())?;
            }
            Kind::Double => {
                let value = P::double(&mut self.input)?;
                self.scalar(Scalar::f64(value), at, kind.name())?;
            }
            Kind::String => self.string(ty, at)?,
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                let value = P::int(&mut self.input, kind)?;
                if let (Some(plan), Shape::Enum(of)) = (self.plan, self.shape(ty))
                    && let Some(name) = plan.enums[of as usize].name_of(value as i32)
                {
                    self.scalar(Scalar::Text(Str::Scratch(name)), at, kind.name())?;
                    return Ok(false);
                }
                let spelling = Spelling::wire(NAME, kind.bits().unwrap_or(64), &self.msg[at..self.input.pos()]);
                self.scalar(number(value, Hint::new(&spelling)), at, kind.name())?;
            }
            Kind::Uuid => return self.uuid(at, ty),
            Kind::Struct => return self.structure(at, ty),
            Kind::Set if self.shape(ty) == Shape::Any => {
                // The tag has no bytes of its own: the head is the list's.
                let next = self.open(Open::Tagged { space: NAME, code: u64::from(Kind::Set as u8) }, at)?;
                match next {
                    Next::Enter => {
                        self.levels.push(Level::Around);
                        self.budget.item(self.base + at as u64)?;
                        return self.list(at, true, TypeId::ANY);
                    }
                    Next::Stop => return Ok(true),
                    Next::Skip => {
                        self.skipper.start(at, kind);
                        self.skip()?;
                    }
                }
            }
            Kind::List | Kind::Set => {
                self.budget.item(self.base + at as u64)?;
                let inner = match self.shape(ty) {
                    Shape::List(inner) | Shape::Set(inner) => inner,
                    _ => TypeId::ANY,
                };
                return self.list(at, kind == Kind::Set, inner);
            }
            Kind::Map => {
                let (key, value) = match self.shape(ty) {
                    Shape::Map(key, value) => (key, value),
                    _ => (TypeId::ANY, TypeId::ANY),
                };
                return self.map(at, key, value);
            }
        }
        Ok(false)
    }

    /// Walks text or bytes.
    fn string(&mut self, ty: TypeId, at: usize) -> Result<()> {
        let bytes = P::bytes(&mut self.input)?;
        match self.shape(ty) {
            Shape::Any if self.texts => match std::str::from_utf8(bytes) {
                Ok(text) => self.scalar(Scalar::Text(Str::Input(text)), at, "string"),
                Err(_) => self.scalar(Scalar::Bytes(Str::Input(bytes)), at, TAKEN_FOR_BYTES),
            },
            Shape::Text => match std::str::from_utf8(bytes) {
                Ok(text) => self.scalar(Scalar::Text(Str::Input(text)), at, "string"),
                Err(_) => self.scalar(Scalar::Octets(Str::Input(bytes)), at, "string: no UTF-8"),
            },
            Shape::Bytes => self.scalar(Scalar::Bytes(Str::Input(bytes)), at, "binary"),
            _ => match text(bytes) {
                Some(text) => self.scalar(Scalar::Text(Str::Input(text)), at, TAKEN_FOR_TEXT),
                None => self.scalar(Scalar::Bytes(Str::Input(bytes)), at, TAKEN_FOR_BYTES),
            },
        }
    }

    /// Opens a struct, or a union with the head of its field.
    fn structure(&mut self, at: usize, ty: TypeId) -> Result<Stopped> {
        let of = match self.shape(ty) {
            Shape::Struct(of) => Some(of),
            _ => None,
        };
        if let (Some(plan), Some(of)) = (self.plan, of)
            && plan.structs[of as usize].union
        {
            return self.union(plan, of, at);
        }
        match self.open(Open::Record { name: "", len: Len::Unknown }, at)? {
            Next::Enter => {
                if let (Some(plan), Some(of)) = (self.plan, of) {
                    self.came.resize(self.came.len() + plan.structs[of as usize].required.len(), false);
                }
                self.levels.push(Level::Struct(0, of));
            }
            Next::Stop => return Ok(true),
            Next::Skip => {
                self.skipper.start(at, Kind::Struct);
                self.skip()?;
            }
        }
        Ok(false)
    }

    /// Opens a union with the head of its field. One that the schema lacks is the field of a
    /// record.
    fn union(&mut self, plan: &Plan, of: u32, at: usize) -> Result<Stopped> {
        let mut ahead = self.input;
        let union = &plan.structs[of as usize];
        let Some(head) = P::field(&mut ahead, 0)? else {
            return Err(Error::data(ErrorKind::Mismatch, self.base + at as u64)
                .seen(format!("the union `{}` without a value", union.name))
                .expected("one field"));
        };
        let known = union.of_id(head.id).filter(|(_, field)| plan.fits(field.ty, head.kind));
        let open = match known {
            Some((slot, field)) => Open::Variant { name: &field.name, index: slot },
            None => Open::Record { name: "", len: Len::Unknown },
        };
        // The head of a truth value is the value as well, and that of an unknown field the field's.
        if head.truth.is_none() && known.is_some() {
            self.input = ahead;
        }
        let next = self.open(open, at)?;
        self.input = ahead;
        match (next, known) {
            (Next::Enter, Some((_, field))) => {
                self.levels.push(Level::Union(head.id));
                self.of_field(head, field.ty, at)
            }
            (Next::Enter, None) => {
                self.levels.push(Level::Union(head.id));
                self.field(Some(of), head, at)
            }
            (Next::Stop, _) => Ok(true),
            (Next::Skip, _) => {
                self.skipper.start(at, Kind::Struct);
                self.skip().map(|()| false)
            }
        }
    }

    /// Refuses elements of another type than the schema's.
    fn matches(&self, at: usize, ty: TypeId, kind: Option<Kind>) -> Result<()> {
        match (self.plan, kind) {
            (Some(plan), Some(kind)) if !plan.fits(ty, kind) => Err(Error::data(ErrorKind::Mismatch, self.base + at as u64)
                .seen(format!("values of the type {}", kind.name()))
                .expected(format!("{}, as the schema has them", plan.kind(ty).map_or("any", Kind::name)))),
            _ => Ok(()),
        }
    }

    /// Opens a container from `at` to the cursor.
    fn open(&mut self, open: Open<'_>, at: usize) -> Result<Next> {
        let span = self.span(at);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.sink.open(open, span)?;
        if next != Next::Enter {
            self.budget.leave();
        }
        Ok(next)
    }

    /// Refuses a count that the bytes that are left cannot hold.
    fn holds(&self, at: usize, values: u64, least: u64) -> Result<()> {
        let left = self.input.remaining() as u64;
        if values.saturating_mul(least) <= left {
            return Ok(());
        }
        Err(Error::data(ErrorKind::Truncated, self.base + at as u64)
            .seen(format!("a container that claims {values} values, with {left} bytes left"))
            .expected("a count that the message can hold")
            .hint("the message was cut short, or is of another protocol"))
    }

    fn list(&mut self, at: usize, set: bool, ty: TypeId) -> Result<Stopped> {
        let head = P::list(&mut self.input)?;
        self.budget.enter(self.base + at as u64)?;
        // Every value has at least one byte.
        let least = head.kind.and_then(P::fixed).unwrap_or(1);
        self.holds(at, head.count, least)?;
        self.matches(at, ty, head.kind.filter(|_| head.count > 0))?;
        let span = self.span(at);
        let next = self.sink.open(Open::List(Len::Claimed(head.count)), span)?;
        match (next, head.kind) {
            (Next::Stop, _) => return Ok(true),
            (Next::Enter, kind) => {
                if let Some(kind) = kind {
                    self.sink.note(Note::Coerced(kind.remark_of_elements(set)), span)?;
                }
                self.levels.push(Level::List(head.count, kind.unwrap_or(Kind::Bool), ty));
            }
            (Next::Skip, kind) => {
                self.budget.leave();
                if let Some(kind) = kind {
                    self.skipper.start_list(self.input.pos(), head.count, kind);
                    self.skip()?;
                }
            }
        }
        Ok(false)
    }

    fn map(&mut self, at: usize, key: TypeId, value: TypeId) -> Result<Stopped> {
        let head = P::map(&mut self.input)?;
        self.budget.item(self.base + at as u64)?;
        self.budget.enter(self.base + at as u64)?;
        let least = |kind| P::fixed(kind).unwrap_or(1);
        self.holds(at, head.count, head.kinds.map_or(2, |(key, value)| least(key) + least(value)))?;
        let there = head.kinds.filter(|_| head.count > 0);
        self.matches(at, key, there.map(|(kind, _)| kind))?;
        self.matches(at, value, there.map(|(_, kind)| kind))?;
        let span = self.span(at);
        let next = self.sink.open(Open::Map(Len::Claimed(head.count)), span)?;
        match (next, head.kinds) {
            (Next::Stop, _) => return Ok(true),
            (Next::Enter, kinds) => {
                if let Some((key, value)) = kinds {
                    self.sink.note(Note::Coerced(key.remark_of_entries().0), span)?;
                    self.sink.note(Note::Coerced(value.remark_of_entries().1), span)?;
                }
                let (of_key, of_value) = kinds.unwrap_or((Kind::Bool, Kind::Bool));
                self.levels.push(Level::Map(head.count * 2, (of_key, key), (of_value, value)));
            }
            (Next::Skip, kinds) => {
                self.budget.leave();
                if let Some(kinds) = kinds {
                    self.skipper.start_map(self.input.pos(), head.count * 2, kinds);
                    self.skip()?;
                }
            }
        }
        Ok(false)
    }

    fn uuid(&mut self, at: usize, ty: TypeId) -> Result<Stopped> {
        let bytes = self.input.array("a uuid")?;
        if self.shape(ty) == Shape::Uuid {
            self.budget.decode(uuid::LEN as u64, self.base + at as u64)?;
            return self.scalar(Scalar::Text(Str::Scratch(&uuid::text(&bytes))), at, Kind::Uuid.name()).map(|()| false);
        }
        let end = self.input.pos();
        self.input.seek(at);
        let next = self.open(Open::Tagged { space: NAME, code: u64::from(Kind::Uuid as u8) }, at)?;
        self.input.seek(end);
        match next {
            Next::Enter => {
                self.levels.push(Level::Around);
                self.budget.decode(uuid::LEN as u64, self.base + at as u64)?;
                let text = uuid::text(&bytes);
                self.scalar(Scalar::Text(Str::Scratch(&text)), at, Kind::Uuid.name())?;
                Ok(false)
            }
            Next::Skip => Ok(false),
            Next::Stop => Ok(true),
        }
    }
}

/// Returns a whole number in its one form, with a hint.
fn number<'m, 's>(value: i64, hint: Hint<'s>) -> Scalar<'m, 's> {
    match u64::try_from(value) {
        Ok(value) => Scalar::UInt(value, hint),
        Err(_) => Scalar::Int(value, hint),
    }
}

impl<P: Protocol> Reader for ThriftReader<P> {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if buf.is_empty() {
            return Ok(if eof { Frame::End } else { Frame::More(1) });
        }
        if !self.framing {
            let start = match P::envelope(buf, base, eof, self.old) {
                Found::Struct => 0,
                Found::Envelope(places) => places.len,
                Found::More(more) if !eof => return Ok(Frame::More(more)),
                // The walk finds the same error and reports more about it.
                Found::Bad(_, end) => return Ok(Frame::Message { start: 0, end }),
                Found::More(_) => return Ok(Frame::Message { start: 0, end: buf.len() }),
            };
            self.skipper.start(start, Kind::Struct);
            self.framing = true;
        }
        let end = match self.skipper.run(buf, 0, Limits::MAX_DEPTH) {
            Ok(Skipped::All(end)) => end,
            Ok(Skipped::More) if eof => buf.len(),
            Ok(Skipped::More) => return Ok(Frame::More(1)),
            Err(_) => self.skipper.pos().max(1),
        };
        self.framing = false;
        Ok(Frame::Message { start: 0, end })
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.levels.clear();
        self.came.clear();
        let guesses = sink.needs().has(Needs::GUESSES);
        let mut walk = Walk {
            plan: self.plan.as_deref(),
            guesses,
            texts: self.texts,
            came: &mut self.came,
            input: Input::new(msg, base),
            msg,
            base,
            levels: &mut self.levels,
            skipper: &mut self.skipper,
            sink,
            budget,
        };
        let outcome = walk.message(self.old).map_err(|error| error.format_is(P::NAME));
        // The first bytes of a length are zeros, and each is an empty struct.
        let empty = std::mem::replace(&mut self.empty, msg == [0]);
        match outcome {
            Err(error) if empty => {
                Err(error.hint("if each message stands behind its length: `--transport framed` or `--transport header`"))
            }
            outcome => outcome,
        }
    }
}
