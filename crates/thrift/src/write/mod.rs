//! Events to bytes of both protocols, by a schema or without one.

mod declared;

use std::marker::PhantomData;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::value::{ROUNDED, nearest_f64};
use polywire_core::{Error, ErrorKind, Fault, Field, Len, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use crate::kind::{Kind, Of};
use crate::plan::{Plan, Shape, TypeId};
use crate::uuid;
use crate::wire::envelope::{self, BODY, Envelope, METHOD, SEQUENCE};
use crate::wire::{MOST, NAME, Protocol, text};

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
    /// True if strings that no schema declares have to be text.
    texts: bool,
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

    /// Writes bytes that no schema declares as base64.
    pub(crate) fn texts(mut self) -> ThriftWriter<P> {
        self.texts = true;
        self
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
        if !self.texts && text(value.as_bytes()).is_none() {
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
        if self.texts {
            self.losses.value("bytes became text: base64", at);
            self.begin(Kind::String, None)?;
            return self.string(STANDARD.encode(bytes).as_bytes());
        }
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
            Some(Level::Union { pending, .. }) if self.foreign => *pending = number(name).map(|id| (id, TypeId::ANY)),
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

#[cold]
fn no_field() -> Error {
    Error::new(ErrorKind::Mismatch, Fault::Data).seen("a value without the name of a field").expected("a record of fields")
}

/// Reports whether a struct of the schema has a field of a name.
fn is_field(plan: &Option<Arc<Plan>>, of: Option<u32>, name: &str) -> bool {
    plan.as_ref().zip(of).is_some_and(|(plan, of)| plan.structs[of as usize].of_name(name).is_some())
}
