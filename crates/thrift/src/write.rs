//! Events to bytes of both protocols, by a schema or without one.

use std::marker::PhantomData;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::value::{ROUNDED, nearest_f64};
use polywire_core::{
    Budget, Error, ErrorKind, Fault, Field, Len, Limits, Losses, Lost, Needs, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span,
    Writer,
};

use crate::kind::{Kind, Of};
use crate::plan::{Plan, Shape, TypeId};
use crate::read::ThriftReader;
use crate::uuid;
use crate::wire::envelope::{self, BODY, Envelope, METHOD, SEQUENCE};
use crate::wire::{Binary, MOST, NAME, Protocol, text};

/// Writes messages of a protocol.
#[derive(Debug, Default)]
pub struct ThriftWriter<P> {
    /// True for envelopes without a version.
    old: bool,
    plan: Option<Arc<Plan>>,
    /// True if fields that the schema lacks are written as they came.
    relay: bool,
    /// True while such a field is written.
    foreign: bool,
    out: OutBuf,
    levels: Vec<Level>,
    /// True if the message has its value.
    begun: bool,
    /// True if the message has an envelope.
    enveloped: bool,
    /// A mark of our own whose value comes next.
    tag: Option<Kind>,
    losses: Losses,
    protocol: PhantomData<P>,
}

impl<P: Protocol> ThriftWriter<P> {
    /// Makes a writer. `old` means that envelopes have no version, as the binary protocol had them
    /// first.
    pub fn new(old: bool) -> ThriftWriter<P> {
        ThriftWriter { old, ..ThriftWriter::default() }
    }

    /// Sets the schema of the messages. `relay` means that fields that the schema lacks are written
    /// as they came from Thrift.
    pub(crate) fn by(mut self, plan: Option<&Arc<Plan>>, relay: bool) -> ThriftWriter<P> {
        self.plan = plan.cloned();
        self.relay = relay;
        self
    }
}

/// An open container.
#[derive(Debug)]
enum Level {
    /// The case of a message's type, by its number.
    Case { kind: u8, filled: bool },
    /// The record in it.
    Message(Message),
    /// A struct.
    Struct(Struct),
    /// A union of the schema.
    Union { of: u32, pending: Option<(i16, TypeId)>, filled: bool },
    /// A name of an enum, which is written.
    Name,
    /// A list or set.
    List { mark: Mark, kind: Option<Kind>, count: u64, ty: TypeId },
    /// A map; `count` is that of keys and values.
    Map { mark: Mark, key: Option<Kind>, value: Option<Kind>, count: u64, types: (TypeId, TypeId) },
    /// A mark that is a set or an identifier, or that is dropped.
    Tag,
}

#[derive(Debug, Default)]
struct Message {
    kind: u8,
    name: Option<Vec<u8>>,
    sequence: Option<i32>,
    /// Name of the field whose value comes next.
    expected: &'static str,
    written: bool,
}

#[derive(Debug, Default)]
struct Struct {
    /// Number of the last field that was written.
    last: i16,
    /// Number and type of the field whose value comes next.
    pending: Option<(i16, TypeId)>,
    naming: Naming,
    /// Its index in the schema.
    of: Option<u32>,
    /// Numbers of the fields that were written, if some are required.
    came: Vec<i16>,
}

/// How fields get their numbers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// No field came yet.
    #[default]
    Unknown,
    /// Names are numbers.
    Numbers,
    /// Names are dropped, and fields are counted.
    Counted(i16),
}

#[cold]
fn unsupported(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen.into())
}

#[cold]
fn mismatch(seen: impl Into<String>) -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen(seen.into())
}

/// Returns the container that the next value belongs to: the innermost one that is no mark.
fn top(levels: &mut [Level]) -> Option<&mut Level> {
    levels.iter_mut().rev().find(|level| !matches!(level, Level::Tag))
}

/// Reads the number of a field of its name: canonical digits.
fn number(name: &str) -> Option<i16> {
    name.parse().ok().filter(|id: &i16| itoa::Buffer::new().format(*id) == name)
}

impl<P: Protocol> ThriftWriter<P> {
    /// Begins a value of a type: writes the head of its field, or counts it. `truth` is its value
    /// if it is a truth value. Returns whether that is written.
    fn begin(&mut self, kind: Kind, truth: Option<bool>) -> Result<bool> {
        let Some(level) = top(&mut self.levels) else {
            if self.begun {
                return Err(Error::internal("a second value in one message"));
            }
            if kind != Kind::Struct {
                return Err(unsupported(format!("a message that is no record but a value of the type {}", kind.name()))
                    .expected("a record, whose names are the numbers of fields"));
            }
            self.begun = true;
            return Ok(false);
        };
        match level {
            Level::Struct(fields) => {
                let Some((id, _)) = fields.pending.take() else { return Err(no_field()) };
                if let (Some(plan), Some(of)) = (&self.plan, fields.of)
                    && !plan.structs[of as usize].required.is_empty()
                {
                    fields.came.push(id);
                }
                let last = std::mem::replace(&mut fields.last, id);
                Ok(P::put_field(&mut self.out, last, id, kind, truth))
            }
            Level::Union { pending, filled, .. } => {
                let Some((id, _)) = pending.take().filter(|_| !*filled) else {
                    return Err(mismatch("another value in a union").expected("one field"));
                };
                *filled = true;
                Ok(P::put_field(&mut self.out, 0, id, kind, truth))
            }
            Level::Name => Err(mismatch("a value in a name of an enum").expected("the name alone")),
            Level::List { kind: known, count, .. } => {
                *count += 1;
                uniform(known, kind, "a list")?;
                Ok(false)
            }
            Level::Map { key, value, count, .. } => {
                *count += 1;
                if count.is_multiple_of(2) {
                    uniform(value, kind, "the values of a map")?;
                } else {
                    uniform(key, kind, "the keys of a map")?;
                }
                Ok(false)
            }
            Level::Message(message) if message.expected == BODY && kind == Kind::Struct => {
                let (Some(name), Some(sequence)) = (&message.name, message.sequence) else {
                    return Err(mismatch("the body of a message before its name and its sequence number")
                        .expected(format!("`{METHOD}` and `{SEQUENCE}` before `{BODY}`")));
                };
                P::put_envelope(&mut self.out, &Envelope { kind: message.kind, name, sequence }, self.old)?;
                (message.expected, message.written) = ("", true);
                self.enveloped = true;
                Ok(false)
            }
            Level::Message(message) => Err(mismatch(format!("a value of the type {} as `{}` of a message", kind.name(), message.expected))
                .expected(format!("text as `{METHOD}`, an integer of 32 bits as `{SEQUENCE}`, a record as `{BODY}`"))),
            Level::Case { .. } => Err(mismatch("a type of message that does not hold one record")
                .expected(format!("a record of `{METHOD}`, `{SEQUENCE}` and `{BODY}`"))),
            Level::Tag => Err(Error::internal("a mark as a container of values")),
        }
    }

    /// Returns the integer type that the values of the innermost list or map have so far.
    fn expected_kind(&mut self) -> Option<Kind> {
        match top(&mut self.levels)? {
            Level::List { kind, .. } => *kind,
            Level::Map { key, value, count, .. } => {
                if count.is_multiple_of(2) {
                    *key
                } else {
                    *value
                }
            }
            _ => None,
        }
    }

    fn field_of_struct(&mut self, name: &str, at: Span) -> Result<Next> {
        let Some(Level::Struct(fields)) = self.levels.last_mut() else { return Err(Error::internal("a field outside of a struct")) };
        let known = fields.of.filter(|_| !self.foreign).zip(self.plan.as_ref());
        if let Some((of, plan)) = known {
            let Some(field) = plan.structs[of as usize].of_name(name) else {
                self.losses.value("field that the schema lacks is left out", at);
                return Ok(Next::Skip);
            };
            fields.pending = Some((field.id, field.ty));
            return Ok(Next::Enter);
        }
        let id = match (fields.naming, number(name)) {
            (Naming::Unknown | Naming::Numbers, Some(id)) => {
                fields.naming = Naming::Numbers;
                id
            }
            (Naming::Numbers, None) => {
                return Err(
                    mismatch(format!("the name `{name}` among numbers of fields")).expected("the number of a field, from -32768 to 32767")
                );
            }
            (naming, _) => {
                let last = if let Naming::Counted(last) = naming { last } else { 0 };
                let id = last.checked_add(1).ok_or_else(|| unsupported("a record of more than 32767 fields"))?;
                fields.naming = Naming::Counted(id);
                self.losses.value("name of a field became its place", at);
                id
            }
        };
        fields.pending = Some((id, TypeId::ANY));
        Ok(Next::Enter)
    }

    /// Takes the mark of our own that stands before this value. Another one was dropped before.
    fn take_tag(&mut self) -> Option<Kind> {
        self.tag.take()
    }

    /// Reports a mark of our own that does not fit its value.
    fn misplaced(&mut self, at: Span) {
        if self.take_tag().is_some() {
            self.losses.value("tag dropped: its value is of another type", at);
        }
    }

    fn string(&mut self, bytes: &[u8]) -> Result<()> {
        let len = u32::try_from(bytes.len()).ok().filter(|len| u64::from(*len) <= MOST);
        let len = len.ok_or_else(|| unsupported(format!("a string of {} bytes", bytes.len())).expected(format!("at most {MOST}")))?;
        P::put_length(&mut self.out, len);
        self.out.put(bytes);
        Ok(())
    }

    fn text(&mut self, value: &str, at: Span) -> Result<()> {
        if text(value.as_bytes()).is_none() {
            self.losses.value("text with control characters reads as bytes", at);
        }
        self.begin(Kind::String, None)?;
        self.string(value.as_bytes())
    }

    fn int(&mut self, value: i64, width: Option<u8>, at: Span) -> Result<()> {
        if let Some(Level::Message(message)) = top(&mut self.levels)
            && message.expected == SEQUENCE
        {
            let sequence =
                i32::try_from(value).map_err(|_| mismatch(format!("the sequence number {value}")).expected("an integer of 32 bits"))?;
            (message.sequence, message.expected) = (Some(sequence), "");
            return Ok(());
        }
        let kind = match self.expected_kind() {
            Some(Kind::Double) if value.unsigned_abs() <= 1 << 53 => {
                self.losses.value("integer among floats became a float", at);
                self.begin(Kind::Double, None)?;
                P::put_double(&mut self.out, value as f64);
                return Ok(());
            }
            Some(known) if known.bits().is_some_and(|bits| bits == 64 || value >> (bits - 1) == value >> 63) => known,
            _ => width.map_or(Kind::I64, Kind::integer),
        };
        self.begin(kind, None)?;
        P::put_int(&mut self.out, kind, value);
        Ok(())
    }

    fn double(&mut self, value: f64) -> Result<()> {
        self.begin(Kind::Double, None)?;
        P::put_double(&mut self.out, value);
        Ok(())
    }

    fn null(&mut self, at: Span) -> Result<()> {
        if let Some(Level::Struct(fields)) = top(&mut self.levels)
            && fields.pending.take().is_some()
        {
            self.losses.value("null became an absent field", at);
            return Ok(());
        }
        Err(unsupported("null in a list, a map or a message").expected("a value: Thrift has null only as a field that is absent"))
    }

    fn bytes(&mut self, bytes: &[u8], at: Span) -> Result<()> {
        if text(bytes).is_some() {
            self.losses.value("bytes that are UTF-8 read as text", at);
        }
        self.begin(Kind::String, None)?;
        self.string(bytes)
    }

    /// Gives the name of an enveloped message. Returns whether it was that.
    fn method(&mut self, name: &[u8]) -> bool {
        if let Some(Level::Message(message)) = top(&mut self.levels)
            && message.expected == METHOD
        {
            (message.name, message.expected) = (Some(name.to_vec()), "");
            return true;
        }
        false
    }
}

/// Holds that values of a container have one type.
fn uniform(known: &mut Option<Kind>, kind: Kind, what: &str) -> Result<()> {
    match *known.get_or_insert(kind) {
        same if same == kind => Ok(()),
        other => {
            Err(unsupported(format!("values of the types {} and {} in {what}", other.name(), kind.name())).expected("values of one type"))
        }
    }
}

fn count(entries: u64) -> Result<u32> {
    u32::try_from(entries)
        .ok()
        .filter(|count| u64::from(*count) <= MOST)
        .ok_or_else(|| unsupported(format!("a container of {entries} entries")).expected(format!("at most {MOST}")))
}

impl<'m, P: Protocol> Sink<'m> for ThriftWriter<P> {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT | Needs::GROUPED
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if let Open::Tagged { space, code } = open {
            self.misplaced(at);
            match (space, u8::try_from(code).ok().and_then(Kind::of)) {
                (NAME, Some(kind @ (Kind::Set | Kind::Uuid))) => self.tag = Some(kind),
                _ => self.losses.value("tag dropped", at),
            }
            self.levels.push(Level::Tag);
            return Ok(Next::Enter);
        }
        let shape = self.expected();
        if let (Open::Record { .. } | Open::Map(_), Some(Level::Case { kind, filled: filled @ false })) = (open, top(&mut self.levels)) {
            *filled = true;
            let kind = *kind;
            self.levels.push(Level::Message(Message { kind, ..Message::default() }));
            return Ok(Next::Enter);
        }
        match open {
            Open::List(_) => {
                let tag = self.take_tag();
                if tag == Some(Kind::Uuid) && shape == Shape::Any {
                    self.losses.value("tag dropped: its value is of another type", at);
                }
                let (kind, ty) = match shape {
                    Shape::Any if tag == Some(Kind::Set) => (Kind::Set, TypeId::ANY),
                    Shape::Any => (Kind::List, TypeId::ANY),
                    Shape::List(ty) => (Kind::List, ty),
                    Shape::Set(ty) => (Kind::Set, ty),
                    _ => return Err(self.other(shape, "a list")),
                };
                self.begin(kind, None)?;
                let kind = self.kind(ty);
                let mark = self.out.open();
                self.levels.push(Level::List { mark, kind, count: 0, ty });
            }
            Open::Variant { name, index } => {
                self.misplaced(at);
                return self.variant(name, index, shape);
            }
            Open::Record { .. } | Open::Map(_) | Open::Tuple(_) => {
                self.misplaced(at);
                match (shape, open) {
                    (Shape::Any, Open::Map(_)) => self.open_map((TypeId::ANY, TypeId::ANY))?,
                    (Shape::Map(key, value), Open::Map(_) | Open::Record { .. }) => self.open_map((key, value))?,
                    (Shape::List(_) | Shape::Set(_), Open::Tuple(_)) => return self.open(Open::List(Len::Unknown), at),
                    (Shape::Any | Shape::Struct(_), _) => self.open_struct(open, shape, at)?,
                    _ => return Err(self.other(shape, open.kind())),
                }
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        let name = field.name.get();
        let root = self.levels.len() == 1;
        match self.levels.last_mut() {
            Some(Level::Map { types, .. }) if types.0 != TypeId::ANY => self.scalar(Scalar::Text(field.name), at)?,
            Some(Level::Map { .. }) => self.text(name, at)?,
            Some(Level::Union { of, pending, .. }) => {
                let Some(plan) = &self.plan else { return Err(no_field()) };
                let of = &plan.structs[*of as usize];
                let Some(field) = of.of_name(name) else {
                    return Err(mismatch(format!("the field `{name}` of the union `{}`", of.name)).expected("a field of the schema"));
                };
                *pending = Some((field.id, field.ty));
            }
            Some(Level::Struct(fields)) => match envelope::of_name(name) {
                // An enveloped message as formats without cases show it.
                Some(kind) if root && fields.naming == Naming::Unknown && fields.last == 0 && !is_field(&self.plan, fields.of, name) => {
                    self.levels.pop();
                    self.levels.push(Level::Case { kind, filled: false });
                }
                _ => return self.field_of_struct(name, at),
            },
            Some(Level::Message(message)) => match [METHOD, SEQUENCE, BODY].into_iter().find(|known| *known == name) {
                Some(known) => message.expected = known,
                None => {
                    return Err(
                        mismatch(format!("the field `{name}` of a message")).expected(format!("one of {METHOD}, {SEQUENCE}, {BODY}"))
                    );
                }
            },
            Some(Level::Case { .. }) => {
                return Err(mismatch(format!("the field `{name}` beside the type of a message")).expected("one type of a message"));
            }
            _ => return Err(Error::internal("a field outside of a record")),
        }
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if let (Some(Kind::Uuid), Scalar::Text(text), Shape::Any) = (self.tag, value, self.expected())
            && let Some(bytes) = uuid::parse(text.get())
        {
            self.tag = None;
            self.begin(Kind::Uuid, None)?;
            self.out.put(&bytes);
            return Ok(());
        }
        match self.expected() {
            Shape::Any => {
                self.misplaced(at);
                self.plain(value, at)
            }
            shape => {
                // The schema says what a mark of our own does.
                self.tag = None;
                self.declared(shape, value, at)
            }
        }
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value in parts for a writer that asked for whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        match self.levels.pop() {
            Some(Level::Struct(fields)) => {
                if fields.pending.is_some() {
                    return Err(Error::internal("a field without a value"));
                }
                if let (Some(plan), Some(of)) = (&self.plan, fields.of) {
                    let of = &plan.structs[of as usize];
                    let mut required = of.required.iter().map(|slot| &of.fields[*slot as usize]);
                    if let Some(missing) = required.find(|field| !fields.came.contains(&field.id)) {
                        return Err(mismatch(format!("`{}` without its field `{}`", of.name, missing.name))
                            .expected("a value: the field is required"));
                    }
                }
                P::put_stop(&mut self.out);
            }
            Some(Level::Union { of, filled, .. }) => {
                if !filled {
                    let name = self.plan.as_ref().map(|plan| &*plan.structs[of as usize].name).unwrap_or_default();
                    return Err(mismatch(format!("the union `{name}` without a value")).expected("one field"));
                }
                P::put_stop(&mut self.out);
            }
            Some(Level::Name) => {}
            Some(Level::List { mark, kind, count: entries, .. }) => {
                self.out.close(mark, P::list_head(kind.unwrap_or(Kind::String), count(entries)?).as_bytes());
            }
            Some(Level::Map { mark, key, value, count: entries, .. }) => {
                let kinds = (key.unwrap_or(Kind::String), value.unwrap_or(Kind::String));
                self.out.close(mark, P::map_head(kinds, count(entries / 2)?).as_bytes());
            }
            Some(Level::Message(message)) if !message.written => {
                return Err(mismatch("a message without a body").expected(format!("a record as `{BODY}`")));
            }
            Some(Level::Case { filled: false, .. }) => {
                return Err(
                    mismatch("a type of message without a message").expected(format!("a record of `{METHOD}`, `{SEQUENCE}` and `{BODY}`"))
                );
            }
            Some(Level::Tag) => self.misplaced(at),
            Some(Level::Message(_) | Level::Case { .. }) => {}
            None => return Err(Error::internal("a close without an open")),
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        // The types of what an empty list, set or map could hold.
        if let (Note::Unknown(bytes), true) = (note, self.relay) {
            return self.foreign(bytes, at);
        }
        let Note::Coerced(remark) = note else {
            self.losses.note(note, at);
            return Ok(());
        };
        if let Some(level @ (Level::List { count: 0, .. } | Level::Map { count: 0, .. })) = self.levels.last_mut()
            && let Some((part, stated)) = Kind::of_remark(remark)
        {
            match (level, part) {
                (Level::List { kind, .. }, Of::Elements) => *kind = Some(stated),
                (Level::Map { key, .. }, Of::Keys) => *key = Some(stated),
                (Level::Map { value, .. }, Of::Values) => *value = Some(stated),
                _ => {}
            }
        }
        Ok(())
    }
}

impl<P: Protocol> ThriftWriter<P> {
    /// Returns the type that the next value has by the schema.
    fn expected(&mut self) -> Shape {
        let Some(plan) = &self.plan else { return Shape::Any };
        let ty = match top(&mut self.levels) {
            None => plan.root,
            Some(Level::Struct(fields)) => fields.pending.map_or(TypeId::ANY, |(_, ty)| ty),
            Some(Level::Union { pending, .. }) => pending.map_or(TypeId::ANY, |(_, ty)| ty),
            Some(Level::List { ty, .. }) => *ty,
            Some(Level::Map { types, count, .. }) => {
                if count.is_multiple_of(2) {
                    types.0
                } else {
                    types.1
                }
            }
            Some(Level::Message(message)) if message.expected == BODY => {
                message.name.as_ref().map_or(TypeId::ANY, |name| plan.body(message.kind, name))
            }
            Some(_) => TypeId::ANY,
        };
        plan.shape(ty)
    }

    /// Returns the type on the wire of a type of the schema.
    fn kind(&self, ty: TypeId) -> Option<Kind> {
        self.plan.as_ref().and_then(|plan| plan.kind(ty))
    }

    /// Returns the error of a value of another type than the schema's.
    fn other(&self, shape: Shape, seen: &str) -> Error {
        let expected = match (shape, &self.plan) {
            (Shape::Enum(of), Some(plan)) => format!("a name of the enum `{}`", plan.enums[of as usize].name),
            (Shape::Struct(of), Some(plan)) => format!("`{}`, a record", plan.structs[of as usize].name),
            (Shape::Int(kind), _) => format!("an {}", kind.name()),
            (Shape::Bool, _) => "a bool".into(),
            (Shape::Double, _) => "a number".into(),
            (Shape::Text, _) => "a string".into(),
            (Shape::Bytes, _) => "bytes, or their base64".into(),
            (Shape::Uuid, _) => "a uuid, as 36 characters".into(),
            (Shape::List(_) | Shape::Set(_), _) => "a list".into(),
            _ => "a map".into(),
        };
        mismatch(seen).expected(expected)
    }

    fn open_map(&mut self, types: (TypeId, TypeId)) -> Result<()> {
        self.begin(Kind::Map, None)?;
        let (key, value) = (self.kind(types.0), self.kind(types.1));
        let mark = self.out.open();
        self.levels.push(Level::Map { mark, key, value, count: 0, types });
        Ok(())
    }

    /// Opens a record or tuple as a struct, or a record as a union.
    fn open_struct(&mut self, open: Open<'_>, shape: Shape, at: Span) -> Result<()> {
        let of = if let Shape::Struct(of) = shape { Some(of) } else { None };
        let tuple = matches!(open, Open::Tuple(_));
        match open {
            Open::Record { name, .. } if !name.is_empty() && of.is_none() => self.losses.value("record name dropped", at),
            Open::Tuple(_) if of.is_some() => return Err(self.other(shape, "a tuple")),
            Open::Tuple(_) => self.losses.value("tuple became a struct", at),
            _ => {}
        }
        self.begin(Kind::Struct, None)?;
        let union = self.plan.as_ref().zip(of).is_some_and(|(plan, of)| plan.structs[of as usize].union);
        self.levels.push(match of {
            Some(of) if union => Level::Union { of, pending: None, filled: false },
            _ => {
                let naming = if tuple { Naming::Counted(0) } else { Naming::Unknown };
                Level::Struct(Struct { naming, of, ..Struct::default() })
            }
        });
        Ok(())
    }

    /// Opens a case: a union's field, a name of an enum, or the type of a message.
    fn variant(&mut self, name: &str, index: u32, shape: Shape) -> Result<Next> {
        // The type of a message stands around what the schema says.
        if let Some(kind) = envelope::of_name(name)
            && top(&mut self.levels).is_none()
            && !self.begun
        {
            self.begun = true;
            self.levels.push(Level::Case { kind, filled: false });
            return Ok(Next::Enter);
        }
        let plan = self.plan.clone();
        match (shape, &plan) {
            (Shape::Struct(of), Some(plan)) if plan.structs[of as usize].union => {
                let union = &plan.structs[of as usize];
                let named = union.of_name(name).or_else(|| union.fields.get(index as usize).filter(|_| name.is_empty()));
                let Some(field) = named else {
                    return Err(mismatch(format!("the case `{name}` of the union `{}`", union.name)).expected("a field of the schema"));
                };
                self.begin(Kind::Struct, None)?;
                self.levels.push(Level::Union { of, pending: Some((field.id, field.ty)), filled: false });
                Ok(Next::Enter)
            }
            (Shape::Enum(of), Some(plan)) => {
                let number = plan.enums[of as usize].number_of(name).ok_or_else(|| self.other(shape, &format!("`{name}`")))?;
                self.put(Kind::I32, i64::from(number))?;
                self.levels.push(Level::Name);
                Ok(Next::Enter)
            }
            (Shape::Any, _) => Err(unsupported(format!("the case `{name}` of a sum type"))
                .expected("a value that needs no schema, or the type of a message: call, reply, exception, oneway")),
            _ => Err(self.other(shape, &format!("the case `{name}`"))),
        }
    }

    fn put(&mut self, kind: Kind, value: i64) -> Result<()> {
        self.begin(kind, None)?;
        P::put_int(&mut self.out, kind, value);
        Ok(())
    }

    /// Writes a scalar where the schema declares a type.
    fn declared(&mut self, shape: Shape, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        if value == Scalar::Null {
            return self.null(at);
        }
        let number = whole(value);
        match (shape, value) {
            (Shape::Bool, Scalar::Bool(truth)) => {
                if !self.begin(Kind::Bool, Some(truth))? {
                    P::put_truth(&mut self.out, truth);
                }
                Ok(())
            }
            (Shape::Bool, Scalar::Text(text)) if matches!(text.get(), "true" | "false") => {
                self.declared(shape, Scalar::Bool(text.get() == "true"), at)
            }
            (Shape::Int(kind), _) => {
                let bits = kind.bits().unwrap_or(64);
                match number {
                    Some(value) if bits == 64 || value >> (bits - 1) == value >> 63 => self.put(kind, value),
                    Some(value) => Err(self.other(shape, &value.to_string())),
                    None => Err(self.other(shape, value.kind())),
                }
            }
            (Shape::Enum(of), Scalar::Text(text)) if number.is_none() => {
                let known = self.plan.as_ref().and_then(|plan| plan.enums[of as usize].number_of(text.get()));
                let known = known.ok_or_else(|| self.other(shape, &format!("`{}`", text.get())))?;
                self.put(Kind::I32, i64::from(known))
            }
            (Shape::Enum(_), _) => match number.and_then(|number| i32::try_from(number).ok()) {
                Some(number) => self.put(Kind::I32, i64::from(number)),
                None => Err(self.other(shape, value.kind())),
            },
            (Shape::Double, Scalar::F64(value, _)) => self.double(value),
            (Shape::Double, Scalar::F32(value, _)) => self.double(f64::from(value)),
            (Shape::Double, Scalar::Text(text)) => match text.get().parse() {
                Ok(value) => self.double(value),
                Err(_) => Err(self.other(shape, "text")),
            },
            (Shape::Double, Scalar::Decimal(digits, _) | Scalar::Big(digits, _)) => {
                self.losses.rounded(ROUNDED, at);
                self.double(digits.get().parse().unwrap_or(f64::NAN))
            }
            (Shape::Double, _) => match number {
                Some(number) => {
                    if i128::from(number) != number as f64 as i128 {
                        self.losses.rounded(ROUNDED, at);
                    }
                    self.double(number as f64)
                }
                None => Err(self.other(shape, value.kind())),
            },
            (Shape::Text, Scalar::Text(text)) => self.binary(text.get().as_bytes()),
            (Shape::Text | Shape::Bytes, Scalar::Octets(bytes)) | (Shape::Bytes, Scalar::Bytes(bytes)) => self.binary(bytes.get()),
            (Shape::Text, Scalar::Bytes(bytes)) => {
                self.losses.value("bytes became a string", at);
                self.binary(bytes.get())
            }
            (Shape::Text, Scalar::Time(moment)) => {
                self.losses.value("timestamp became text", at);
                self.binary(moment.to_string().as_bytes())
            }
            (Shape::Text, Scalar::Big(digits, _) | Scalar::Decimal(digits, _)) => {
                self.losses.value("number became text", at);
                self.binary(digits.get().as_bytes())
            }
            (Shape::Bytes, Scalar::Text(text)) => match STANDARD.decode(text.get()) {
                Ok(bytes) => self.binary(&bytes),
                Err(_) => Err(self.other(shape, "text that is no base64")),
            },
            (Shape::Uuid, Scalar::Text(text)) => match uuid::parse(text.get()) {
                Some(bytes) => {
                    self.begin(Kind::Uuid, None)?;
                    self.out.put(&bytes);
                    Ok(())
                }
                None => Err(self.other(shape, "other text")),
            },
            (Shape::Uuid, Scalar::Bytes(bytes)) if bytes.get().len() == 16 => {
                self.begin(Kind::Uuid, None)?;
                self.out.put(bytes.get());
                Ok(())
            }
            _ => Err(self.other(shape, value.kind())),
        }
    }

    fn binary(&mut self, bytes: &[u8]) -> Result<()> {
        self.begin(Kind::String, None)?;
        self.string(bytes)
    }

    /// Writes a field that the schema lacks, in the form that the binary protocol gives it.
    fn foreign(&mut self, field: &[u8], at: Span) -> Result<()> {
        let between = matches!(self.levels.last(), Some(Level::Struct(fields)) if fields.pending.is_none());
        if !between || self.foreign {
            self.losses.note(Note::Unknown(field), at);
            return Ok(());
        }
        let mut whole = field.to_vec();
        whole.push(0);
        self.foreign = true;
        let mut inside = Inside { writer: self, depth: 0 };
        let outcome = ThriftReader::<Binary>::default().walk(&whole, 0, &mut inside, &mut Budget::new(&Limits::MAX));
        self.foreign = false;
        outcome
    }

    /// Writes a scalar without a mark of our own.
    fn plain(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        match value {
            Scalar::Null => self.null(at),
            Scalar::Bool(value) => {
                if !self.begin(Kind::Bool, Some(value))? {
                    P::put_truth(&mut self.out, value);
                }
                Ok(())
            }
            Scalar::Int(value, hint) => self.int(value, hint.wire(NAME).and(hint.width()), at),
            Scalar::UInt(value, hint) => match i64::try_from(value) {
                Ok(value) => self.int(value, hint.wire(NAME).and(hint.width()), at),
                Err(_) => {
                    self.losses.value("integer beyond 64 bits with a sign became text", at);
                    self.text(itoa::Buffer::new().format(value), at)
                }
            },
            Scalar::F32(value, _) => self.double(f64::from(value)),
            Scalar::F64(value, _) => self.double(value),
            Scalar::Big(digits, _) => {
                self.losses.value("big integer became text", at);
                self.text(digits.get(), at)
            }
            Scalar::Decimal(digits, hint) => match nearest_f64(digits.get(), hint) {
                Some(value) => {
                    self.losses.rounded(ROUNDED, at);
                    self.double(value)
                }
                None => {
                    self.losses.value("decimal became text", at);
                    self.text(digits.get(), at)
                }
            },
            Scalar::Text(text) if self.method(text.get().as_bytes()) => Ok(()),
            Scalar::Text(text) => self.text(text.get(), at),
            Scalar::Octets(bytes) if self.method(bytes.get()) => Ok(()),
            Scalar::Octets(bytes) => {
                self.losses.value("octets became bytes", at);
                self.bytes(bytes.get(), at)
            }
            Scalar::Bytes(bytes) => self.bytes(bytes.get(), at),
            Scalar::Time(moment) => {
                self.losses.value("timestamp became text", at);
                self.text(&moment.to_string(), at)
            }
            other => Err(Error::unknown_event(other.kind())),
        }
    }
}

impl<P: Protocol> Writer for ThriftWriter<P> {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.levels.is_empty() || !self.begun {
            return Err(Error::internal("the end of a message that is no whole value").format_is(P::NAME));
        }
        self.begun = false;
        let start = out.len();
        self.out.finish(out);
        if !std::mem::take(&mut self.enveloped) {
            P::tell_from_envelope(out, start);
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.out.clear();
        self.levels.clear();
        self.begun = false;
        self.enveloped = false;
        self.tag = None;
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}

/// Hands the fields of a struct on to a writer, without the struct.
struct Inside<'w, P> {
    writer: &'w mut ThriftWriter<P>,
    depth: u32,
}

impl<'m, P: Protocol> Sink<'m> for Inside<'_, P> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.depth += 1;
        if self.depth == 1 { Ok(Next::Enter) } else { self.writer.open(open, at) }
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.writer.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.writer.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.writer.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.depth -= 1;
        if self.depth == 0 { Ok(()) } else { self.writer.close(at) }
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}

/// Reports whether a struct of the schema has a field of a name.
fn is_field(plan: &Option<Arc<Plan>>, of: Option<u32>, name: &str) -> bool {
    plan.as_ref().zip(of).is_some_and(|(plan, of)| plan.structs[of as usize].of_name(name).is_some())
}

#[cold]
fn no_field() -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen("a value without the name of a field").expected("a record of fields")
}

/// Returns a value as a whole number of 64 bits, if it is one: also a float without a fraction, and
/// digits.
fn whole(value: Scalar<'_, '_>) -> Option<i64> {
    match value {
        Scalar::Int(value, _) => Some(value),
        Scalar::UInt(value, _) => i64::try_from(value).ok(),
        Scalar::F64(value, _) => match Scalar::number(value) {
            Scalar::Int(value, _) => Some(value),
            Scalar::UInt(value, _) => i64::try_from(value).ok(),
            _ => None,
        },
        Scalar::Text(text) => text.get().parse().ok(),
        _ => None,
    }
}
