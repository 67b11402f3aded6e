//! Events of the types that the common schema has: its moments, sum types and plain values in place
//! of the messages that stand for them on the wire. `language::read` makes that schema.

use polywire_core::{Error, ErrorKind, Field as Named, Len, Next, Open, Result, Scalar, Sink, Span, Str, Timestamp};

use super::events::{self, plain};
use super::visit::{Inner, Visitor};
use crate::model::{Cardinality, Kind, WellKnown};
use crate::plan::{Field, Message};
use crate::scalar::Value;

/// Emits what is visited to a sink, with the types of the common schema.
pub(super) struct Events<'w, 'm, S: ?Sized> {
    events: events::Events<'w, 'm, S>,
    levels: &'w mut Vec<Level>,
    /// The next value is that of a case, which is open.
    in_case: bool,
}

/// An open message.
#[derive(Debug)]
pub(super) struct Level {
    form: Form,
    /// Offset of its first byte.
    start: u64,
    /// A field of it came.
    has_field: bool,
    /// A case closes with it.
    closes_case: bool,
}

/// The value that a message stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A record of its fields.
    Record,
    /// The case that its only oneof has.
    Choice,
    /// The value of its only field.
    Wrapper,
    /// The value of its only field, a list or map.
    Container,
    /// Any value.
    Any,
    /// A moment: seconds and nanoseconds.
    Moment(i64, i32),
    /// A case without a value.
    Constant,
}

impl<'w, 'm, S: Sink<'m> + ?Sized> Events<'w, 'm, S> {
    pub(super) fn new(events: events::Events<'w, 'm, S>, levels: &'w mut Vec<Level>) -> Events<'w, 'm, S> {
        levels.clear();
        Events { events, levels, in_case: false }
    }

    fn push(&mut self, form: Form, at: Span) {
        let closes_case = std::mem::take(&mut self.in_case);
        self.levels.push(Level { form, start: at.start, has_field: false, closes_case });
    }

    /// Closes the case around a value, if there is one.
    fn end_case(&mut self, at: Span) -> Result<()> {
        if std::mem::take(&mut self.in_case) { self.events.sink.close(Span::new(at.end, at.end)) } else { Ok(()) }
    }

    /// Emits the value of a message that has none of the fields that it stands for.
    fn absent(&mut self, form: Form, message: &Message, at: Span) -> Result<()> {
        let sink = &mut *self.events.sink;
        let field = message.fields.first();
        match (form, field.map(|field| (field.kind, field.cardinality))) {
            (Form::Container, Some((_, cardinality))) => {
                let empty = if cardinality == Cardinality::Map { Open::Map(Len::Claimed(0)) } else { Open::List(Len::Claimed(0)) };
                if sink.open(empty, at)? == Next::Enter { sink.close(at) } else { Ok(()) }
            }
            (Form::Wrapper, Some((kind, _))) => {
                let default = match kind {
                    Kind::Double => Scalar::f64(0.0),
                    Kind::Float => Scalar::f32(0.0),
                    Kind::Bool => Scalar::Bool(false),
                    Kind::String => Scalar::Text(Str::Scratch("")),
                    Kind::Bytes => Scalar::Bytes(Str::Scratch(&[])),
                    _ => Scalar::uint(0),
                };
                sink.scalar(default, at)
            }
            (Form::Choice, _) => sink.scalar(Scalar::Null, at),
            // Its absence indicates an error (struct.proto, `Value`).
            (Form::Any, _) => Err(Error::data(ErrorKind::Mismatch, at.start).seen("a Value without a kind").expected("one of its fields")),
            _ => Ok(()),
        }
    }
}

/// Returns the value that a message stands for.
fn form_of(message: &Message, is_case: bool) -> Form {
    match message.known {
        Some(WellKnown::Timestamp) => Form::Moment(0, 0),
        Some(WellKnown::Struct | WellKnown::ListValue) => Form::Container,
        Some(WellKnown::Value) => Form::Any,
        Some(WellKnown::Empty) if is_case => Form::Constant,
        Some(known) if known.is_wrapper() => Form::Wrapper,
        _ if message.is_choice => Form::Choice,
        _ => Form::Record,
    }
}

impl<'m, S: Sink<'m> + ?Sized> Visitor<'m> for Events<'_, 'm, S> {
    fn message(&mut self, message: &Message, at: Span) -> Result<Next> {
        // The walk starts with the root, which stands for itself unless it is a choice.
        let form = match form_of(message, self.in_case) {
            Form::Choice => Form::Choice,
            form if !self.levels.is_empty() => form,
            _ => Form::Record,
        };
        if form == Form::Record {
            let next = self.events.message(message, at)?;
            if next != Next::Enter {
                if next == Next::Skip {
                    self.end_case(at)?;
                }
                return Ok(next);
            }
        }
        self.push(form, at);
        Ok(Next::Enter)
    }

    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>> {
        let Some(Level { form, start, has_field, closes_case }) = self.levels.pop() else {
            return Err(Error::internal("the end of no message"));
        };
        match form {
            Form::Record => {
                self.events.message_end(message, at)?;
            }
            Form::Moment(seconds, nanos) => {
                let span = Span::new(start, at.end);
                let moment = u32::try_from(nanos).ok().and_then(|nanos| Timestamp::new(seconds, nanos));
                let Some(moment) = moment else {
                    let error = Error::data(ErrorKind::Range, start).seen(format!("a Timestamp with {nanos} nanoseconds"));
                    return Err(error.expected("0 to 999999999 nanoseconds"));
                };
                self.events.sink.scalar(Scalar::Time(moment), span)?;
            }
            form if !has_field => self.absent(form, message, at)?,
            _ => {}
        }
        self.in_case = closes_case;
        self.end_case(at)?;
        Ok(None)
    }

    fn field(&mut self, field: &Field, at: Span) -> Result<Next> {
        let Some(level) = self.levels.last_mut() else { return Err(Error::internal("a field of no message")) };
        level.has_field = true;
        let form = level.form;
        match form {
            Form::Record | Form::Choice => {}
            _ => return Ok(Next::Enter),
        }
        if field.oneof.is_none() {
            let named = Named { name: Str::Scratch(field.common_name()), id: Some(u64::from(field.number)), slot: None };
            return self.events.sink.field(named, at);
        }
        if form == Form::Record {
            match self.events.sink.field(Named::named(Str::Scratch(&field.choice)), at)? {
                Next::Enter => {}
                next => return Ok(next),
            }
        }
        let next = self.events.sink.open(Open::Variant { name: field.common_name(), index: field.number }, at)?;
        self.in_case = next == Next::Enter;
        Ok(next)
    }

    fn list(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.events.list(field, at)
    }

    fn list_end(&mut self, at: Span) -> Result<()> {
        self.events.list_end(at)
    }

    fn map(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.events.map(field, at)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        self.events.key(value, at)
    }

    fn map_end(&mut self, at: Span) -> Result<()> {
        self.events.map_end(at)
    }

    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        if let Some(Level { form: Form::Moment(seconds, nanos), .. }) = self.levels.last_mut() {
            match value {
                Value::I64(value) => *seconds = value,
                Value::I32(value) => *nanos = value,
                _ => return Err(Error::internal("a moment of other fields")),
            }
            return Ok(());
        }
        match value {
            Value::Enum(_) if field.enumeration().is_some_and(|at| self.events.plan.enums[at].known.is_some()) => {
                self.events.sink.scalar(Scalar::Null, at)?;
            }
            Value::Enum(_) => self.events.scalar(field, value, at)?,
            value => self.events.sink.scalar(plain(value), at)?,
        }
        self.end_case(at)
    }

    fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        self.events.unknown(start, end)
    }

    fn stray(&mut self, field: &Field, start: usize, end: usize) -> Result<()> {
        self.events.stray(field, start, end)
    }

    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()> {
        self.events.remark(remark, at)
    }
}
