//! Events of an adopted schema: values as they were before they were fitted into messages.

use polywire_core::value::emit_any;
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{Field as Named, Len, Next, Open, Result, Scalar, Sink, Span, Str, Timestamp};

use super::events::Events;
use super::visit::{Inner, Visitor};
use crate::model::Cardinality;
use crate::plan::{Field, Message, Row, View};
use crate::scalar::Value;

/// Emits what is visited to a sink, as the views of the fields require.
pub(super) struct Viewed<'w, 'm, S: ?Sized> {
    pub(super) events: Events<'w, 'm, S>,
    pub(super) memory: &'w mut Memory,
}

/// Memory that views reuse.
#[derive(Debug, Default)]
pub(super) struct Memory {
    levels: Vec<ViewLevel>,
    /// Numbers of the fields that the open messages have, innermost last.
    seen: Vec<u32>,
    /// The sink wants no more events.
    stopped: bool,
    /// Field names for the elements of the open lists, innermost last.
    names: String,
}

impl Memory {
    /// Forgets the last message.
    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.seen.clear();
        self.stopped = false;
        self.names.clear();
    }
}

/// An open container.
#[derive(Debug)]
struct ViewLevel {
    /// A message whose fields are emitted without their names.
    silent: bool,
    /// Number and slot of the field that each element is emitted as; `None` for one list.
    each: Option<(u32, u32)>,
    /// Start of its part of `names`.
    name: usize,
    /// Start of its part of `seen`.
    seen: usize,
}

impl<'m, S: Sink<'m> + ?Sized> Viewed<'_, 'm, S> {
    /// Emits the field name of an element, where a list is emitted as fields.
    fn element(&mut self, at: Span) -> Result<Next> {
        match self.memory.levels.last() {
            Some(ViewLevel { each: Some((number, slot)), name, .. }) => {
                let named = Named { name: Str::Scratch(&self.memory.names[*name..]), id: Some(u64::from(*number)), slot: Some(*slot) };
                self.events.sink.field(named, at)
            }
            _ => Ok(Next::Enter),
        }
    }

    fn push(&mut self, silent: bool, each: Option<&Field>) {
        let memory = &mut *self.memory;
        let name = memory.names.len();
        if let Some(field) = each {
            memory.names.push_str(&field.name);
        }
        let each = each.map(|field| (field.number, field.slot));
        memory.levels.push(ViewLevel { silent, each, name, seen: memory.seen.len() });
    }

    fn pop(&mut self) -> Option<ViewLevel> {
        let level = self.memory.levels.pop()?;
        self.memory.names.truncate(level.name);
        Some(level)
    }

    /// Emits the value of an absent field.
    fn absent(&mut self, field: &Field, at: Span) -> Result<()> {
        let empty = match (field.view, field.cardinality) {
            (View::Null, _) => return self.events.sink.scalar(Scalar::Null, at),
            (_, Cardinality::Map) => Open::Map(Len::Claimed(0)),
            _ => Open::List(Len::Claimed(0)),
        };
        match self.events.sink.open(empty, at)? {
            Next::Enter => self.events.sink.close(at),
            _ => Ok(()),
        }
    }
}

impl<'m, S: Sink<'m> + ?Sized> Visitor<'m> for Viewed<'_, 'm, S> {
    fn message(&mut self, message: &Message, at: Span) -> Result<Next> {
        if self.memory.stopped {
            return Ok(Next::Stop);
        }
        match self.element(at)? {
            Next::Enter => {}
            next => return Ok(next),
        }
        let len = Len::Claimed(message.fields.len() as u64);
        let next = match (message.wrapper, &message.row) {
            (true, _) => Next::Enter,
            (_, Some(Row::List)) => self.events.sink.open(Open::List(len), at)?,
            (_, Some(Row::Tuple)) => self.events.sink.open(Open::Tuple(len), at)?,
            (_, Some(Row::Marked(space, code))) => self.events.sink.open(Open::Tagged { space, code: *code }, at)?,
            _ => self.events.message(message, at)?,
        };
        if next == Next::Enter {
            self.push(message.wrapper || message.row.is_some(), None);
        }
        Ok(next)
    }

    fn message_end(&mut self, message: &Message, at: Span) -> Result<Option<Inner>> {
        let from = self.pop().map_or(0, |level| level.seen);
        if self.memory.stopped {
            return Ok(None);
        }
        let none = self.memory.seen.len() == from;
        if message.shows_absent && (!message.wrapper || none) {
            let end = Span::new(at.end, at.end);
            for field in message.fields.iter().filter(|field| field.shows_absent()) {
                if self.memory.seen[from..].contains(&field.number) {
                    continue;
                }
                if message.wrapper {
                    self.absent(field, end)?;
                    break;
                }
                if self.events.field(field, end)? == Next::Enter {
                    self.absent(field, end)?;
                }
            }
        }
        self.memory.seen.truncate(from);
        if message.wrapper { Ok(None) } else { self.events.message_end(message, at) }
    }

    fn field(&mut self, field: &Field, at: Span) -> Result<Next> {
        if self.memory.stopped {
            return Ok(Next::Stop);
        }
        self.memory.seen.push(field.number);
        if self.memory.levels.last().is_some_and(|level| level.silent) || field.each {
            return Ok(Next::Enter);
        }
        self.events.field(field, at)
    }

    fn list(&mut self, field: &Field, at: Span) -> Result<Next> {
        let each = field.each;
        let next = if each { Next::Enter } else { self.events.list(field, at)? };
        if next == Next::Enter {
            self.push(false, each.then_some(field));
        }
        Ok(next)
    }

    fn list_end(&mut self, at: Span) -> Result<()> {
        match self.pop() {
            _ if self.memory.stopped => Ok(()),
            Some(ViewLevel { each: Some(_), .. }) => Ok(()),
            _ => self.events.list_end(at),
        }
    }

    fn map(&mut self, field: &Field, at: Span) -> Result<Next> {
        let next = self.events.map(field, at)?;
        if next == Next::Enter {
            self.push(false, None);
        }
        Ok(next)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        if self.memory.stopped { Ok(Next::Stop) } else { self.events.key(value, at) }
    }

    fn map_end(&mut self, at: Span) -> Result<()> {
        self.pop();
        if self.memory.stopped { Ok(()) } else { self.events.map_end(at) }
    }

    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        if self.memory.stopped || self.element(at)? != Next::Enter {
            return Ok(());
        }
        let scalar = match (field.view, value) {
            (View::Number, Value::Text(text)) => match classify(text) {
                Lexical::Int(value) => Scalar::int(value),
                Lexical::UInt(value) => Scalar::uint(value),
                Lexical::F64(value) => Scalar::f64(value),
                Lexical::Big => Scalar::big(Str::Input(text)),
                Lexical::Decimal => Scalar::decimal(Str::Input(text)),
                Lexical::Bool(_) | Lexical::Text => Scalar::Text(Str::Input(text)),
            },
            (View::Moment, Value::Text(text)) => Timestamp::from_rfc3339(text).map_or(Scalar::Text(Str::Input(text)), Scalar::Time),
            (View::Whole, Value::F64(value)) => Scalar::number(value),
            (View::Any, Value::Bytes(bytes)) => {
                let base = at.end - bytes.len() as u64;
                self.events.limits.reset();
                self.memory.stopped |= emit_any(bytes, base, self.events.sink, &mut self.events.limits)? == Next::Stop;
                return Ok(());
            }
            (View::Octets, Value::Bytes(bytes)) => Scalar::Octets(Str::Input(bytes)),
            _ => return self.events.scalar(field, value, at),
        };
        self.events.sink.scalar(scalar, at)
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
