//! Events to messages of a known type.

#[cfg(feature = "columns")]
use std::ops::Range;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
#[cfg(feature = "columns")]
use polywire_core::columns::View as Columns;
use polywire_core::value::{DeclaredFloat, Tree, put_any, put_any_scalar};
use polywire_core::{
    Error, ErrorKind, Fault, Field as Named, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer,
};

use super::build::Build;
use super::structs;
use crate::model::{Cardinality, Kind, Presence, WellKnown};
use crate::plan::{Field, Message, Plan, Row, View};
use crate::scalar::{Value, double, float, is_default, parse_duration, parse_timestamp, path_of_mask, whole};
use crate::wire::framing::Framing;
use crate::wire::{self, MAX_LENGTH, NAME, varint};

/// Writes messages of one type.
///
/// It accepts any events that fit. Fields may come in any order, by their name, their JSON name or
/// their number. They are written in the order of their numbers, and the entries of maps as they
/// come, so that the same events give the same bytes. A field of implicit presence is not written
/// if it has the default of its type.
#[derive(Debug)]
pub struct ProtobufWriter {
    plan: Arc<Plan>,
    framing: Framing,
    build: Build,
    levels: Vec<WriteLevel>,
    /// Fields that the open messages have so far, innermost last.
    seen: Vec<bool>,
    losses: Losses,
    /// A message was begun; it is whole.
    begun: bool,
    whole: bool,
    /// Keep unknown fields.
    keeps: bool,
    /// The caution about each unknown field that is kept.
    caution: Option<&'static str>,
    /// Unknown fields that came within the open packed list, and the number of each. They follow
    /// the list.
    strays: Vec<(u32, Box<[u8]>)>,
    /// Values may have the types of the common schema.
    typed: bool,
    /// The oneof whose name came as that of a field: index of its first member.
    choosing: Option<u32>,
    /// A value of any type that is not whole yet, and its place.
    held: Tree<'static>,
    holding: Option<Holding>,
}

/// The place of a value that is held until it is whole.
#[derive(Debug, Clone, Copy)]
struct Holding {
    /// Its message, and the index of its field.
    field: (u32, u32),
    /// Number of levels of bytes that close with it.
    closes: u8,
    /// Number of its open containers.
    depth: u32,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct WriteLevel {
    kind: WriteLevelKind,
    /// Type of the message; for lists and maps, the type that has their field.
    message: u32,
    /// Index of the current field, or that of the list or map.
    field: u32,
    /// Start of its part of `seen`.
    seen: usize,
    /// Number of levels of bytes that close with it.
    closes: u8,
    /// The map expects a value.
    value_due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteLevelKind {
    Message,
    List,
    Packed,
    Map,
    /// A list whose elements are the fields of a message.
    Row,
    /// The case of a oneof: `field` is its member.
    Case,
    /// The same as a record of one field, which names the member.
    Choice,
}

/// The next value, as far as it selects the field.
#[derive(Debug, Clone, Copy)]
enum Coming<'s> {
    List,
    Named,
    /// A value under a mark: tag space and code.
    Marked(&'s str, u64),
    Other(&'static str),
    Scalar(Scalar<'s, 's>),
}

impl ProtobufWriter {
    /// Makes a writer of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, framing: Framing) -> ProtobufWriter {
        ProtobufWriter {
            plan,
            framing,
            build: Build::default(),
            levels: Vec::new(),
            seen: Vec::new(),
            losses: Losses::default(),
            begun: false,
            whole: false,
            keeps: false,
            caution: None,
            strays: Vec::new(),
            typed: false,
            choosing: None,
            held: Tree::new(),
            holding: None,
        }
    }

    /// Sets whether unknown fields are written back, so that a message of a later version passes an
    /// older program without loss. The events must then come straight from a
    /// [`ProtobufReader`](super::ProtobufReader), because unknown bytes of another format are no
    /// fields.
    #[must_use]
    pub fn unknown(mut self, kept: bool) -> ProtobufWriter {
        self.keeps = kept;
        self
    }

    /// Sets whether values may also have the types that the common schema has for them, as
    /// [`ProtobufReader::typed`](super::ProtobufReader::typed) emits them.
    #[must_use]
    pub fn typed(mut self, typed: bool) -> ProtobufWriter {
        self.typed = typed && self.plan.has_types();
        self
    }

    /// Sets the caution that is noted for each unknown field that is kept.
    #[must_use]
    pub fn caution(mut self, caution: &'static str) -> ProtobufWriter {
        self.caution = Some(caution);
        self
    }

    fn push(&mut self, kind: WriteLevelKind, message: u32, field: u32, closes: u8) {
        let seen = self.seen.len();
        if kind == WriteLevelKind::Message {
            self.seen.resize(seen + self.plan.message(message).fields.len(), false);
        }
        self.levels.push(WriteLevel { kind, message, field, seen, closes, value_due: false });
    }

    fn close_bytes(&mut self, levels: u8) {
        (0..levels).for_each(|_| self.build.close());
    }

    /// Opens the wrappers around the next value. Returns the message and index of the field that
    /// takes the value, and the number of levels of bytes opened.
    fn descend(&mut self, plan: &Plan, mut message: u32, mut index: u32, coming: Coming<'_>, at: Span) -> Result<(u32, u32, u8)> {
        let mut opened = 0;
        loop {
            let field = &plan.message(message).fields[index as usize];
            if is_absent(field, coming) {
                return Ok((message, index, opened));
            }
            let Some(inner) = field.message().filter(|inner| field.cardinality != Cardinality::Map && plan.message(*inner).wrapper) else {
                return Ok((message, index, opened));
            };
            // A list of wrappers takes a list itself, unless it is the one that is open.
            if field.is_repeated() && matches!(coming, Coming::List) && (opened > 0 || !self.in_list()) {
                return Ok((message, index, opened));
            }
            let fields = &plan.message(inner).fields;
            let found = fields.iter().position(|field| fits(plan, field, coming)).or((fields.len() == 1).then_some(0));
            let Some(found) = found else { return Err(misfit(coming, "a value of one of the types of its samples", at)) };
            self.build.open_message(field);
            opened += 1;
            (message, index) = (inner, found as u32);
        }
    }

    fn in_list(&self) -> bool {
        matches!(self.levels.last(), Some(WriteLevel { kind: WriteLevelKind::List | WriteLevelKind::Packed, .. }))
    }

    /// Returns the message and index of the field that takes the next value, and the number of
    /// levels of bytes that close with the value.
    fn target(&mut self, coming: Coming<'_>, at: Span) -> Result<(u32, u32, u8)> {
        let plan = Arc::clone(&self.plan);
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a value behind the message")) };
        match level.kind {
            WriteLevelKind::Case | WriteLevelKind::Choice => {
                level.value_due = false;
                let (message, field) = (level.message, level.field);
                self.descend(&plan, message, field, coming, at)
            }
            WriteLevelKind::Message | WriteLevelKind::List | WriteLevelKind::Packed => {
                let (message, field) = (level.message, level.field);
                self.descend(&plan, message, field, coming, at)
            }
            WriteLevelKind::Row => {
                let (message, field) = (level.message, level.field);
                if field as usize >= plan.message(message).fields.len() {
                    return Err(misfit(coming, "the end of the list", at));
                }
                level.field += 1;
                self.descend(&plan, message, field, coming, at)
            }
            WriteLevelKind::Map => {
                level.value_due = false;
                let map = &plan.message(level.message).fields[level.field as usize];
                let entry = map.message().unwrap_or_default();
                let (message, field, opened) = self.descend(&plan, entry, 1, coming, at)?;
                Ok((message, field, opened + 1))
            }
        }
    }

    /// Writes the key of a map's entry.
    fn key(&mut self, key: Scalar<'_, '_>, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a key outside of all maps")) };
        level.value_due = true;
        let map = &plan.message(level.message).fields[level.field as usize];
        let Some([field, _]) = map.message().map(|entry| &plan.message(entry).fields[..]) else {
            return Err(Error::internal("a map whose entries are no pairs"));
        };
        self.build.open(map.number);
        let mut memory = Vec::new();
        let value = convert(&plan, field, key, at, &mut self.losses, &mut memory)?;
        self.build.scalar(field, value);
        Ok(())
    }

    fn null(&mut self, plan: &Plan, message: u32, index: u32, closes: u8, at: Span) -> Result<()> {
        let field = &plan.message(message).fields[index as usize];
        let is_null = field.enumeration().is_some_and(|at| plan.enums[at].known == Some(WellKnown::NullValue));
        match field.view {
            View::Null => {}
            _ if is_null && self.typed && field.presence == Presence::Implicit && !field.is_repeated() && closes == 0 => {}
            _ if is_null => self.build.scalar(field, Value::Enum(0)),
            _ if self.in_list() || matches!(self.levels.last(), Some(WriteLevel { kind: WriteLevelKind::Map, .. })) => {
                return Err(misfit(Coming::Scalar(Scalar::Null), "a value, as elements are not null", at));
            }
            _ => {
                self.losses.value("null dropped: the field is absent", at);
                if let Some(level) = self.levels.last().filter(|level| level.kind == WriteLevelKind::Message) {
                    let (seen, field) = (level.seen, level.field);
                    self.seen[seen + field as usize] = false;
                }
            }
        }
        self.close_bytes(closes);
        Ok(())
    }
}

#[cold]
fn misfit(coming: Coming<'_>, expected: impl Into<std::borrow::Cow<'static, str>>, at: Span) -> Error {
    let seen = match coming {
        Coming::List => "a list".to_string(),
        Coming::Named => "a record or map".to_string(),
        Coming::Marked(space, code) => format!("a value with the mark {space} {code}"),
        Coming::Other(kind) => format!("a {kind}"),
        Coming::Scalar(scalar) => scalar.kind().to_string(),
    };
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected(expected).at(at.start).format_is(NAME)
}

#[cold]
fn second_member(field: &str, other: &str, at: Span) -> Error {
    Error::new(ErrorKind::DoubledKey, Fault::Data)
        .seen(format!("the field `{field}`"))
        .expected(format!("one field of the oneof, which `{other}` is"))
        .at(at.start)
        .format_is(NAME)
}

#[cold]
fn no_case(name: &str, number: u32, ty: &Message, member: u32, at: Span) -> Error {
    let seen = if name.is_empty() { format!("the case number {number}") } else { format!("the case `{name}`") };
    let choice = ty.fields.get(member as usize).map(|field| &*field.choice).unwrap_or_default();
    let expected = format!("a member of the oneof `{choice}` of {}", ty.name);
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected(expected).at(at.start).format_is(NAME)
}

/// Adds a hint about lists to the error of a value in the place of a message.
#[cold]
fn boxed(coming: Coming<'_>, error: Error) -> Error {
    match coming {
        Coming::List => error.hint("a message is a record of fields: put the list into one, or its elements into several, by name"),
        _ => error,
    }
}

#[cold]
fn out_of_range(seen: String, kind: Kind, at: Span) -> Error {
    Error::new(ErrorKind::Range, Fault::Data).seen(seen).expected(format!("a value of type {}", kind.name())).at(at.start).format_is(NAME)
}

/// Returns whether the next value is null, and the field without a value means that.
fn is_absent(field: &Field, coming: Coming<'_>) -> bool {
    field.view == View::Null && matches!(coming, Coming::Scalar(Scalar::Null))
}

/// Returns whether a field's message stands for the next value.
fn is_row(plan: &Plan, field: &Field, coming: Coming<'_>) -> bool {
    let row = field.message().and_then(|inner| plan.message(inner).row.as_ref());
    match (coming, row) {
        (Coming::List, Some(row)) => matches!(row, Row::List | Row::Tuple),
        (Coming::Marked(space, code), Some(Row::Marked(own, mark))) => **own == *space && *mark == code,
        _ => false,
    }
}

/// Returns whether a field takes the next value. Only the kind of value decides.
fn fits(plan: &Plan, field: &Field, coming: Coming<'_>) -> bool {
    if is_absent(field, coming) || field.view == View::Any && !field.is_repeated() {
        return true;
    }
    if let (Some(inner), false) = (field.message(), field.is_repeated())
        && plan.message(inner).wrapper
    {
        return plan.message(inner).fields.iter().any(|field| fits(plan, field, coming));
    }
    match (coming, field.cardinality) {
        (Coming::List, Cardinality::Repeated) => true,
        (Coming::List | Coming::Marked(..), Cardinality::Singular) => is_row(plan, field, coming),
        (Coming::Named, Cardinality::Map) => true,
        (Coming::Named, Cardinality::Singular) => field.message().is_some_and(|inner| plan.message(inner).row.is_none()),
        (Coming::Scalar(scalar), Cardinality::Singular) => match (scalar, field.kind, field.view) {
            (Scalar::Bool(_), Kind::Bool, view) => view != View::Null,
            (Scalar::UInt(..), Kind::UInt64 | Kind::UInt32, _) => true,
            (Scalar::UInt(value, _), Kind::SInt64 | Kind::Int64, _) => i64::try_from(value).is_ok(),
            (Scalar::Int(..), Kind::SInt64 | Kind::Int64, _) | (Scalar::F32(..), Kind::Float, _) => true,
            (Scalar::F64(..) | Scalar::Decimal(..), Kind::Double, _) => true,
            (Scalar::UInt(..) | Scalar::Int(..) | Scalar::F32(..), Kind::Double, View::Whole) => true,
            (Scalar::Text(_), Kind::String, View::Declared | View::Null) => true,
            (Scalar::Big(..) | Scalar::Decimal(..) | Scalar::UInt(..) | Scalar::Int(..) | Scalar::F64(..), Kind::String, View::Number) => {
                true
            }
            (Scalar::Bytes(_), Kind::Bytes, View::Declared) | (Scalar::Octets(_), Kind::Bytes, View::Octets) => true,
            (Scalar::Time(_), Kind::String, View::Moment) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Converts a scalar to a field's type. `memory` keeps what the value borrows.
fn convert<'s>(
    plan: &Plan,
    field: &Field,
    scalar: Scalar<'s, 's>,
    at: Span,
    losses: &mut Losses,
    memory: &'s mut Vec<u8>,
) -> Result<Value<'s>> {
    if field.view == View::Any {
        put_any_scalar(scalar, memory);
        return Ok(Value::Bytes(memory));
    }
    let kind = field.kind;
    let wrong = || misfit(Coming::Scalar(scalar), format!("a value of type {}", kind.name()), at);
    Ok(match kind {
        Kind::Bool => match scalar {
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Text(text) if text.get() == "true" => Value::Bool(true),
            Scalar::Text(text) if text.get() == "false" => Value::Bool(false),
            _ => return Err(wrong()),
        },
        Kind::Double | Kind::Float => {
            let mut number = match scalar {
                Scalar::Text(text) => {
                    let value = if kind == Kind::Float { float(text.get()).map(f64::from) } else { double(text.get()) };
                    value.and_then(|value| DeclaredFloat::new(&Scalar::f64(value)))
                }
                scalar => DeclaredFloat::new(&scalar),
            }
            .ok_or_else(wrong)?;
            let (value, single) = (number.value(), number.single(scalar.digits()));
            let same = kind == Kind::Double || !value.is_finite() || f64::from(single) == value || {
                // The digits of a float may be those of a nearby double.
                single.is_finite() && ryu::Buffer::new().format_finite(single) == ryu::Buffer::new().format_finite(value)
            };
            if value.is_finite() && kind == Kind::Float && !single.is_finite() {
                return Err(out_of_range(value.to_string(), kind, at));
            }
            if !same {
                number.narrowed();
            }
            number.report(losses, at);
            if field.view == View::Whole {
                losses.whole(&scalar, at);
            }
            if kind == Kind::Double { Value::F64(value) } else { Value::F32(single) }
        }
        Kind::String => {
            let text: &[u8] = match scalar {
                Scalar::Text(text) => return Ok(Value::Text(text.get())),
                Scalar::Octets(bytes) if !field.utf8 || std::str::from_utf8(bytes.get()).is_ok() => {
                    losses.value("octets became a string", at);
                    return Ok(Value::Octets(bytes.get()));
                }
                Scalar::Big(text, _) | Scalar::Decimal(text, _) => {
                    if field.view != View::Number {
                        losses.value("number became a string", at);
                    }
                    return Ok(Value::Text(text.get()));
                }
                Scalar::UInt(number, _) if field.view == View::Number => itoa_into(memory, number),
                Scalar::Int(number, _) if field.view == View::Number => itoa_into(memory, number),
                Scalar::F64(number, _) if field.view == View::Number && number.is_finite() => {
                    memory.extend_from_slice(ryu::Buffer::new().format_finite(number).as_bytes());
                    memory
                }
                Scalar::Time(moment) => {
                    if field.view != View::Moment {
                        losses.value("timestamp became a string", at);
                    } else if moment.to_rfc3339().is_none() {
                        return Err(out_of_range(moment.to_string(), kind, at));
                    }
                    memory.extend_from_slice(moment.to_string().as_bytes());
                    memory
                }
                _ => return Err(wrong()),
            };
            Value::Octets(text)
        }
        Kind::Bytes => match scalar {
            Scalar::Bytes(bytes) => Value::Bytes(bytes.get()),
            Scalar::Octets(bytes) => {
                if field.view != View::Octets {
                    losses.value("octets became bytes", at);
                }
                Value::Bytes(bytes.get())
            }
            Scalar::Text(text) => {
                let engine = if text.get().contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
                engine
                    .decode_vec(text.get(), memory)
                    .map_err(|_| misfit(Coming::Scalar(scalar), "bytes, or their base64", at).hint("text is read as base64, as in JSON"))?;
                Value::Bytes(memory)
            }
            _ => return Err(wrong()),
        },
        Kind::Enum(id) => {
            let ty = &plan.enums[id.index()];
            let number = match scalar {
                Scalar::Text(text) => match ty.number_of(text.get()) {
                    Some(number) => Some(number),
                    None => match whole(text.get(), Kind::Int32) {
                        Some(Value::I32(number)) => Some(number),
                        _ => {
                            return Err(
                                misfit(Coming::Scalar(scalar), format!("a value of {}", ty.name), at).seen(format!("{:?}", text.get()))
                            );
                        }
                    },
                },
                Scalar::UInt(number, _) => i32::try_from(number).ok(),
                Scalar::Int(number, _) => i32::try_from(number).ok(),
                _ => return Err(wrong()),
            };
            let known = number.filter(|number| !field.closed || ty.name_of(*number).is_some());
            Value::Enum(known.ok_or_else(|| {
                out_of_range(number.map_or_else(|| "a number beyond int32".to_string(), |number| number.to_string()), kind, at)
            })?)
        }
        Kind::Message(_) | Kind::Group(_) => return Err(misfit(Coming::Scalar(scalar), "a record", at)),
        kind => {
            let whole = match scalar {
                Scalar::UInt(number, _) => whole(itoa::Buffer::new().format(number), kind),
                Scalar::Int(number, _) => whole(itoa::Buffer::new().format(number), kind),
                Scalar::Text(text) => whole(text.get(), kind),
                Scalar::F64(value, _) if value.fract() == 0.0 && value.abs() < 9.1e15 => {
                    whole(itoa::Buffer::new().format(value as i64), kind)
                }
                Scalar::F64(value, _) => return Err(out_of_range(value.to_string(), kind, at)),
                Scalar::Big(text, _) | Scalar::Decimal(text, _) => whole(text.get(), kind),
                _ => return Err(wrong()),
            };
            whole.ok_or_else(|| out_of_range(polywire_core::value::show::scalar(&scalar, 40), kind, at))?
        }
    })
}

fn itoa_into(memory: &mut Vec<u8>, number: impl itoa::Integer) -> &[u8] {
    memory.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    memory
}

/// Writes a message that has a text form from that form. Returns `false` if it has none, or the
/// scalar does not match.
fn put_known(build: &mut Build, field: &Field, known: WellKnown, scalar: Scalar<'_, '_>) -> bool {
    let moment = match (known, scalar) {
        (WellKnown::Timestamp, Scalar::Time(moment)) => i32::try_from(moment.nanos()).ok().map(|nanos| (moment.seconds(), nanos)),
        (WellKnown::Timestamp, Scalar::Text(text)) => parse_timestamp(text.get()),
        (WellKnown::Duration, Scalar::Text(text)) => parse_duration(text.get()),
        (WellKnown::FieldMask, Scalar::Text(text)) => {
            let paths: Option<Vec<String>> = text.get().split(',').filter(|path| !path.is_empty()).map(path_of_mask).collect();
            let Some(paths) = paths else { return false };
            build.open_message(field);
            paths.iter().for_each(|path| build.bytes(1, path.as_bytes()));
            build.close();
            return true;
        }
        _ => return false,
    };
    let Some((seconds, nanos)) = moment else { return false };
    build.open_message(field);
    if seconds != 0 {
        build.varint(1, seconds as u64);
    }
    if nanos != 0 {
        build.varint(2, i64::from(nanos) as u64);
    }
    build.close();
    true
}

impl<'m> Sink<'m> for ProtobufWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if let Some(holding) = &mut self.holding {
            holding.depth += 1;
            return self.held.open(open, at);
        }
        let plan = Arc::clone(&self.plan);
        if let Some(member) = self.choosing.take() {
            return self.choose(&plan, member, open, at);
        }
        let coming = match open {
            Open::List(_) | Open::Tuple(_) => Coming::List,
            Open::Tagged { space, code } => Coming::Marked(space, code),
            Open::Record { .. } | Open::Map(_) => Coming::Named,
            other => Coming::Other(other.kind()),
        };
        let (message, index, closes) = if self.levels.is_empty() && !self.begun {
            self.begun = true;
            self.build.begin();
            let root = plan.message(plan.root);
            if !root.wrapper {
                if let (Open::Variant { name, index }, true) = (open, self.typed && root.is_choice) {
                    return self.case(&plan, plan.root, 0, name, index, 0, at);
                }
                if !matches!(coming, Coming::Named) {
                    return Err(boxed(coming, misfit(coming, "a record, as messages are", at)));
                }
                self.push(WriteLevelKind::Message, plan.root, 0, 0);
                return Ok(Next::Enter);
            }
            let Some(found) = root.fields.iter().position(|field| fits(&plan, field, coming)) else {
                return Err(misfit(coming, "a value of one of the types of its samples", at));
            };
            self.descend(&plan, plan.root, found as u32, coming, at)?
        } else {
            if self.map_key_due() {
                return Err(misfit(coming, "a key that is a scalar", at));
            }
            self.target(coming, at)?
        };
        let field = &plan.message(message).fields[index as usize];
        let in_list = self.in_list() && self.levels.last().is_some_and(|level| (level.message, level.field) == (message, index));
        if field.view == View::Any && (!field.is_repeated() || in_list) {
            self.holding = Some(Holding { field: (message, index), closes, depth: 1 });
            return self.held.open(open, at);
        }
        if let Some(inner) =
            field.message().filter(|_| self.typed && field.cardinality != Cardinality::Map && (!field.is_repeated() || in_list))
        {
            let ty = plan.message(inner);
            let is_held = match (ty.known, coming) {
                (Some(WellKnown::Value), _) => true,
                (Some(WellKnown::Struct), coming) => matches!(coming, Coming::Named),
                (Some(WellKnown::ListValue), coming) => matches!(coming, Coming::List),
                _ => false,
            };
            if is_held {
                self.holding = Some(Holding { field: (message, index), closes, depth: 1 });
                return self.held.open(open, at);
            }
            if let (Open::Variant { name, index }, true) = (open, ty.is_choice) {
                self.build.open_message(field);
                return self.case(&plan, inner, 0, name, index, closes + 1, at);
            }
        }
        match (coming, field.cardinality) {
            (Coming::List, Cardinality::Repeated) if !in_list => {
                let kind = if field.packed { WriteLevelKind::Packed } else { WriteLevelKind::List };
                if field.packed {
                    self.build.open_unless_empty(field.number);
                }
                self.push(kind, message, index, closes + u8::from(field.packed));
            }
            (Coming::List | Coming::Marked(..), _) if is_row(&plan, field, coming) => {
                self.build.open_message(field);
                self.push(WriteLevelKind::Row, field.message().unwrap_or_default(), 0, closes + 1);
            }
            (Coming::Named, Cardinality::Map) => self.push(WriteLevelKind::Map, message, index, closes),
            (Coming::Named, _) if field.message().is_some_and(|inner| plan.message(inner).row.is_none()) => {
                self.build.open_message(field);
                self.push(WriteLevelKind::Message, field.message().unwrap_or_default(), 0, closes + 1);
            }
            _ => {
                let expected = match field.cardinality {
                    Cardinality::Repeated if !in_list => "a list".to_string(),
                    Cardinality::Map => "a record or map".to_string(),
                    _ => format!("a value of type {}", field.kind.name()),
                };
                let error = misfit(coming, expected, at);
                return Err(if field.message().is_some() { boxed(coming, error) } else { error });
            }
        }
        Ok(Next::Enter)
    }

    fn field(&mut self, named: Named<'m, '_>, at: Span) -> Result<Next> {
        if self.holding.is_some() {
            return self.held.field(Named { name: named.name.scratch(), ..named }, at);
        }
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a field outside of all records")) };
        if level.kind == WriteLevelKind::Map {
            self.key(Scalar::Text(named.name.scratch()), at)?;
            return Ok(Next::Enter);
        }
        let message = self.plan.message(level.message);
        let name = named.name.get();
        let found = message.named(name).or_else(|| name.parse().ok().and_then(|number| message.find(number)));
        let found = found.or_else(|| if self.typed { message.named(&format!("[{name}]")) } else { None });
        let found = match level.kind {
            WriteLevelKind::Choice => {
                let oneof = message.fields[level.field as usize].oneof;
                let Some(found) = found.filter(|found| message.fields[*found].oneof == oneof) else {
                    return Err(no_case(name, 0, message, level.field, at));
                };
                Some(found)
            }
            _ => found,
        };
        let Some(index) = found else {
            let choice = message.fields.iter().position(|field| field.oneof.is_some() && *field.choice == *name).filter(|_| self.typed);
            if let Some(member) = choice {
                self.choosing = Some(member as u32);
                return Ok(Next::Enter);
            }
            self.losses.value("field that the schema does not have dropped", at);
            return Ok(Next::Skip);
        };
        let field = &message.fields[index];
        let seen = &mut self.seen[level.seen..];
        let other =
            message.fields.iter().zip(seen.iter()).find(|(other, seen)| **seen && other.oneof.is_some() && other.oneof == field.oneof);
        if seen[index] && !field.is_repeated() {
            return Err(Error::new(ErrorKind::DoubledKey, Fault::Data)
                .seen(format!("the field `{}` for the second time", field.name))
                .expected("each singular field once")
                .at(at.start)
                .format_is(NAME));
        }
        if let Some((other, _)) = other {
            return Err(second_member(&field.name, &other.name, at));
        }
        seen[index] = true;
        level.field = index as u32;
        Ok(Next::Enter)
    }

    fn scalar(&mut self, scalar: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.holding.is_some() {
            return self.held.scalar(scalar.scratch(), at);
        }
        let plan = Arc::clone(&self.plan);
        let scalar = scalar.scratch();
        if let Some(member) = self.choosing.take() {
            return self.constant(&plan, member, scalar, at);
        }
        if self.levels.is_empty() && !self.begun && self.typed && plan.message(plan.root).is_choice {
            self.begun = true;
            self.whole = true;
            self.build.begin();
            return self.named_case(&plan, plan.root, scalar, at);
        }
        let (message, index, closes) = if self.levels.is_empty() && !self.begun {
            self.begun = true;
            self.build.begin();
            let root = plan.message(plan.root);
            let coming = Coming::Scalar(scalar);
            let found = root.fields.iter().position(|field| fits(&plan, field, coming)).filter(|_| root.wrapper);
            let Some(found) = found else { return Err(misfit(coming, "a record, as messages are", at)) };
            let target = self.descend(&plan, plan.root, found as u32, coming, at)?;
            self.whole = true;
            target
        } else {
            if self.map_key_due() {
                return self.key(scalar, at);
            }
            self.target(Coming::Scalar(scalar), at)?
        };
        let field = &plan.message(message).fields[index as usize];
        if let Some(inner) = field.message().filter(|_| self.typed && field.cardinality != Cardinality::Map) {
            let ty = plan.message(inner);
            let is_element = field.is_repeated()
                || matches!(self.levels.last(), Some(WriteLevel { kind: WriteLevelKind::Map | WriteLevelKind::Case, .. }));
            if ty.known == Some(WellKnown::Value) && (scalar != Scalar::Null || is_element) {
                let mut bytes = Vec::new();
                structs::put_scalar(scalar, &mut bytes, at, &mut self.losses)?;
                self.put_message(field, &bytes);
                self.close_bytes(closes);
                return Ok(());
            }
            if ty.is_choice && ty.known.is_none() && (scalar != Scalar::Null || is_element) {
                self.build.open_message(field);
                self.named_case(&plan, inner, scalar, at)?;
                self.close_bytes(closes + 1);
                return Ok(());
            }
        }
        if scalar == Scalar::Null && field.view != View::Any {
            return self.null(&plan, message, index, closes, at);
        }
        if field.cardinality == Cardinality::Map {
            return Err(misfit(Coming::Scalar(scalar), "a record or map", at));
        }
        let mut memory = Vec::new();
        if let Some(ty) = field.message().map(|at| plan.message(at))
            && let Some(known) = ty.known
        {
            if known.is_wrapper()
                && let Some(inner) = ty.fields.first()
            {
                let value = convert(&plan, inner, scalar, at, &mut self.losses, &mut memory)?;
                self.build.open_message(field);
                if !is_default(value) {
                    self.build.scalar(inner, value);
                }
                self.build.close();
            } else if !put_known(&mut self.build, field, known, scalar) {
                return Err(misfit(Coming::Scalar(scalar), format!("a record, or the text of {}", ty.name), at));
            }
            self.close_bytes(closes);
            return Ok(());
        }
        let value = convert(&plan, field, scalar, at, &mut self.losses, &mut memory)?;
        let in_map = closes > 0 && matches!(self.levels.last(), Some(WriteLevel { kind: WriteLevelKind::Map, .. }));
        match self.levels.last().map(|level| level.kind) {
            Some(WriteLevelKind::Packed) if closes == 0 => self.build.element(field.kind, value),
            _ if field.presence == Presence::Implicit && !field.is_repeated() && !in_map && is_default(value) => {}
            _ => self.build.scalar(field, value),
        }
        self.close_bytes(closes);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if let Some(holding) = &mut self.holding {
            self.held.close(at)?;
            holding.depth -= 1;
            return if holding.depth == 0 { self.release(at) } else { Ok(()) };
        }
        let Some(level) = self.levels.pop() else { return Err(Error::internal("a close without its open")) };
        if level.kind == WriteLevelKind::Case && level.value_due {
            self.empty_case(level, at)?;
        }
        if level.kind == WriteLevelKind::Message {
            let message = self.plan.message(level.message);
            let seen = &self.seen[level.seen..];
            if message.required > 0
                && let Some((field, _)) =
                    message.fields.iter().zip(seen).find(|(field, seen)| field.presence == Presence::Required && !**seen)
            {
                return Err(Error::new(ErrorKind::Unsupported, Fault::Data)
                    .seen(format!("a message {} without it", message.name))
                    .expected(format!("the required field `{}`", field.name))
                    .at(at.start)
                    .format_is(NAME));
            }
            self.seen.truncate(level.seen);
        }
        if level.kind == WriteLevelKind::Row && (level.field as usize) < self.plan.message(level.message).fields.len() {
            return Err(misfit(Coming::List, format!("{} elements", self.plan.message(level.message).fields.len()), at));
        }
        self.close_bytes(level.closes);
        if level.kind == WriteLevelKind::Packed {
            for (number, bytes) in self.strays.drain(..) {
                self.build.raw(number, &bytes);
            }
        }
        self.whole = self.levels.is_empty();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if let (Note::Unknown(bytes), true, Some(level)) = (note, self.keeps, self.levels.last())
            && let Ok((tag, ..)) = wire::tag(bytes, 0)
        {
            let kept = match level.kind {
                // Elements of a list are fields of the message, and others may come between them.
                WriteLevelKind::Message | WriteLevelKind::List => {
                    self.build.raw(tag.number(), bytes);
                    true
                }
                WriteLevelKind::Packed => {
                    self.strays.push((tag.number(), bytes.into()));
                    true
                }
                // A field of an entry, which has a place only for key and value.
                WriteLevelKind::Map | WriteLevelKind::Row | WriteLevelKind::Case | WriteLevelKind::Choice => false,
            };
            if kept {
                if let Some(caution) = self.caution {
                    self.losses.caution(caution, at);
                }
                return Ok(());
            }
        }
        self.losses.note(note, at);
        Ok(())
    }
}

impl ProtobufWriter {
    /// Writes the held value, which is whole.
    fn release(&mut self, at: Span) -> Result<()> {
        let Some(Holding { field: (message, index), closes, .. }) = self.holding.take() else { return Ok(()) };
        let held = std::mem::take(&mut self.held);
        let plan = Arc::clone(&self.plan);
        let field = &plan.message(message).fields[index as usize];
        let mut bytes = Vec::new();
        let known = field.message().and_then(|inner| plan.message(inner).known);
        let put = match (held.root(), known) {
            (Some(root), None) => {
                put_any(root, &mut bytes);
                Ok(())
            }
            (Some(root), Some(known)) => structs::put(root, known, &mut bytes, at, &mut self.losses),
            (None, _) => Ok(()),
        };
        self.held = held.recycle();
        put?;
        match known {
            Some(_) => self.put_message(field, &bytes),
            None => self.build.scalar(field, Value::Bytes(&bytes)),
        }
        self.close_bytes(closes);
        self.whole = self.levels.is_empty();
        Ok(())
    }

    /// Writes a field whose message has these bytes.
    fn put_message(&mut self, field: &Field, bytes: &[u8]) {
        self.build.open_message(field);
        self.build.raw(u32::MAX, bytes);
        self.build.close();
    }

    /// Opens the value of a oneof, of which `member` is one, in the message that is open.
    fn choose(&mut self, plan: &Plan, member: u32, open: Open<'_>, at: Span) -> Result<Next> {
        let Some(level) = self.levels.last() else { return Err(Error::internal("a oneof of no message")) };
        let (message, seen) = (level.message, level.seen);
        let ty = plan.message(message);
        let own = &ty.fields[member as usize];
        if let Some((other, _)) = ty.fields.iter().zip(&self.seen[seen..]).find(|(other, seen)| **seen && other.oneof == own.oneof) {
            return Err(second_member(&own.choice, &other.name, at));
        }
        match open {
            Open::Variant { name, index } => {
                let next = self.case(plan, message, member, name, index, 0, at)?;
                if let Some(found) = self.levels.last().map(|level| level.field as usize) {
                    self.seen[seen + found] = true;
                }
                Ok(next)
            }
            Open::Record { .. } | Open::Map(_) => {
                self.levels.push(WriteLevel { kind: WriteLevelKind::Choice, message, field: member, seen, closes: 0, value_due: false });
                Ok(Next::Enter)
            }
            other => Err(misfit(
                Coming::Other(other.kind()),
                format!("a case of the oneof `{}`", plan.message(message).fields[member as usize].choice),
                at,
            )),
        }
    }

    /// Opens a case of the oneof that `member` is in. With it close `closes` levels of bytes.
    #[expect(clippy::too_many_arguments, reason = "a case has as many")]
    fn case(&mut self, plan: &Plan, message: u32, member: u32, name: &str, number: u32, closes: u8, at: Span) -> Result<Next> {
        let ty = plan.message(message);
        let oneof = ty.fields.get(member as usize).and_then(|field| field.oneof);
        let is_it = |field: &Field| field.oneof == oneof && if name.is_empty() { field.number == number } else { *field.name == *name };
        let Some(found) = ty.fields.iter().position(is_it) else { return Err(no_case(name, number, ty, member, at)) };
        let seen = self.seen.len();
        self.levels.push(WriteLevel { kind: WriteLevelKind::Case, message, field: found as u32, seen, closes, value_due: true });
        Ok(Next::Enter)
    }

    /// Writes a case without a value, which is that of a message without fields.
    fn empty_case(&mut self, level: WriteLevel, at: Span) -> Result<()> {
        let plan = Arc::clone(&self.plan);
        let field = &plan.message(level.message).fields[level.field as usize];
        if field.message().is_none() {
            return Err(misfit(Coming::Other("case"), format!("a value of type {}", field.kind.name()), at));
        }
        self.put_message(field, &[]);
        Ok(())
    }

    /// Writes the case that is named by a text, of the oneof that `member` is in.
    fn constant(&mut self, plan: &Plan, member: u32, scalar: Scalar<'_, '_>, at: Span) -> Result<()> {
        let Some(level) = self.levels.last() else { return Err(Error::internal("a oneof of no message")) };
        let message = level.message;
        match scalar {
            Scalar::Null => Ok(()),
            Scalar::Text(name) => {
                self.case(plan, message, member, name.get(), 0, 0, at)?;
                self.close(at)
            }
            _ => Err(misfit(Coming::Scalar(scalar), "a case of the oneof", at)),
        }
    }

    /// Writes the fields of a message that is a choice: those of the case that a text names, or
    /// none for null.
    fn named_case(&mut self, plan: &Plan, message: u32, scalar: Scalar<'_, '_>, at: Span) -> Result<()> {
        let ty = plan.message(message);
        match scalar {
            Scalar::Null => Ok(()),
            Scalar::Text(name) => match ty.fields.iter().find(|field| *field.name == *name.get() && field.message().is_some()) {
                Some(field) => {
                    self.put_message(field, &[]);
                    Ok(())
                }
                None => Err(no_case(name.get(), 0, ty, 0, at)),
            },
            _ => Err(misfit(Coming::Scalar(scalar), format!("a case of {}", ty.name), at)),
        }
    }

    fn map_key_due(&self) -> bool {
        matches!(self.levels.last(), Some(WriteLevel { kind: WriteLevelKind::Map, value_due: false, .. }))
    }
}

impl Writer for ProtobufWriter {
    fn only_one(&self) -> Option<&'static str> {
        (self.framing == Framing::Whole).then_some("write them with their lengths: --to protobuf-delimited")
    }

    #[cfg(feature = "columns")]
    fn rows(&mut self, view: &Columns<'_>, rows: Range<usize>, out: &mut Vec<u8>) -> bool {
        super::rows::rows(&self.plan, self.framing, view, rows, out)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.whole {
            return Err(Error::usage("no whole value").expected("a message").format_is(NAME));
        }
        let start = out.len();
        self.build.finish(out);
        let length = out.len() - start;
        if length as u64 > MAX_LENGTH {
            return Err(Error::new(ErrorKind::Limit, Fault::Data)
                .seen(format!("a message of {length} bytes"))
                .expected("at most 2147483647")
                .format_is(NAME));
        }
        match self.framing {
            Framing::Whole | Framing::Confluent => {}
            Framing::Delimited => {
                let (bytes, len) = varint::bytes(length as u64);
                out.splice(start..start, bytes[..len].iter().copied());
            }
            Framing::Grpc => {
                let length = (length as u32).to_be_bytes();
                out.splice(start..start, [0].into_iter().chain(length));
            }
        }
        (self.begun, self.whole) = (false, false);
        Ok(())
    }

    fn reset(&mut self) {
        self.build.clear();
        self.levels.clear();
        self.seen.clear();
        self.strays.clear();
        self.choosing = None;
        if self.holding.take().is_some() {
            self.held = std::mem::take(&mut self.held).recycle();
        }
        (self.begun, self.whole) = (false, false);
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
