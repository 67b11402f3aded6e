//! A message of a known type to events.

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;
use polywire_core::{Budget, Field as Named, Frame, Len, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};
use polywire_doc::{DocumentReader, Read, Reading};

use super::document::Documents;
use super::tell::{Scratch, Walk};
use super::view::{self, Viewed};
use super::visit::{Inner, Value, Visitor};
use crate::model::Cardinality;
use crate::plain::{NAME, say, tell_field};
use crate::plan::{Field, Message, Plan};
use crate::wire::framing::Framing;

/// Reads messages of one type.
///
/// A message becomes a record of the fields that are there, a repeated field a list, a map a map; an enum's value becomes its name, as text, or its number if it has none.
/// What is absent is not told. Fields that the schema does not have are told as [`Note::Unknown`], or, to a sink that needs [`Needs::GUESSES`], as what they are
/// likely to be.
#[derive(Debug)]
pub struct ProtobufReader {
    plan: Arc<Plan>,
    framing: Framing,
    scratch: Scratch,
    views: view::Memory,
}

impl ProtobufReader {
    /// A reader of messages of the type that `plan` is of.
    pub fn new(plan: Arc<Plan>, framing: Framing) -> ProtobufReader {
        ProtobufReader { plan, framing, scratch: Scratch::default(), views: view::Memory::default() }
    }

    /// [`Reader::walk`] for a sink whose type is known.
    ///
    /// # Errors
    /// What the sink says, or what is wrong with the message.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let head = self.framing.head(msg, base).map_err(|error| error.format_is(NAME))?;
        say(&head, base, sink)?;
        let guesses = sink.needs().has(Needs::GUESSES);
        let plan = &*self.plan;
        let mut events = Events { plan, msg, base, sink, guesses, limits: Budget::new(budget.limits()) };
        let scratch = &mut self.scratch;
        let outcome = if plan.has_views() {
            self.views.clear();
            let mut visitor = Viewed { events, memory: &mut self.views };
            Walk { plan, msg, base, visitor: &mut visitor, budget, scratch }.run(plan.root, head.len)
        } else {
            Walk { plan, msg, base, visitor: &mut events, budget, scratch }.run(plan.root, head.len)
        };
        outcome.map_err(|error| error.format_is(NAME))
    }

    /// The message as a document.
    fn read(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read> {
        let head = self.framing.head(msg, 0)?;
        let plan = &*self.plan;
        let fresh = budget.clone();
        let mut visitor = Documents::new(plan, msg.clone(), reading);
        let walk = Walk { plan, msg, base: 0, visitor: &mut visitor, budget, scratch: &mut self.scratch };
        // A document can be thrown away, so that a survey of each message is left until something is strange.
        if walk.run_at_once(plan.root, head.len).is_err() {
            *budget = fresh;
            visitor = Documents::new(plan, msg.clone(), reading);
            Walk { plan, msg, base: 0, visitor: &mut visitor, budget, scratch: &mut self.scratch }.run(plan.root, head.len)?;
        }
        visitor.finish(msg.len() as u64)
    }
}

impl Reader for ProtobufReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        self.framing.frame(buf, base, eof).map_err(|error| error.format_is(NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }

    fn groups_fields(&self) -> bool {
        // Adopted schemas may tell elements one by one.
        !self.plan.has_views()
    }
}

impl DocumentReader for ProtobufReader {
    fn document(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Option<Result<Read>> {
        if self.plan.has_views() {
            return None;
        }
        Some(self.read(msg, reading, budget).map_err(|error| error.format_is(NAME)))
    }
}

/// Returns the reader as one that makes documents, if it reads messages of a known type.
pub fn document_reader(reader: &mut dyn Reader) -> Option<&mut dyn DocumentReader> {
    let reader: &mut dyn Any = reader;
    reader.downcast_mut::<ProtobufReader>().map(|reader| reader as &mut dyn DocumentReader)
}

/// Tells a sink what is visited.
pub(super) struct Events<'w, 'm, S: ?Sized> {
    plan: &'w Plan,
    msg: &'m [u8],
    base: u64,
    pub(super) sink: &'w mut S,
    /// Whether unknown fields are told as what they are likely to be.
    guesses: bool,
    /// What these may cost.
    limits: Budget,
}

impl<'m, S: Sink<'m> + ?Sized> Visitor<'m> for Events<'_, 'm, S> {
    #[inline(always)]
    fn message(&mut self, _: &Message, at: Span) -> Result<Next> {
        self.sink.open(Open::Record { name: "", len: Len::Unknown }, at)
    }

    #[inline(always)]
    fn message_end(&mut self, _: &Message, at: Span) -> Result<Option<Inner>> {
        self.sink.close(at).map(|()| None)
    }

    #[inline(always)]
    fn field(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.sink.field(Named { name: Str::Scratch(&field.name), id: Some(u64::from(field.number)), slot: Some(field.slot) }, at)
    }

    #[inline(always)]
    fn list(&mut self, _: &Field, at: Span) -> Result<Next> {
        self.sink.open(Open::List(Len::Unknown), at)
    }

    #[inline(always)]
    fn list_end(&mut self, at: Span) -> Result<()> {
        self.sink.close(at)
    }

    fn map(&mut self, field: &Field, at: Span) -> Result<Next> {
        debug_assert_eq!(field.cardinality, Cardinality::Map);
        self.sink.open(Open::Map(Len::Unknown), at)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        match value {
            Value::Text(text) => self.sink.field(Named::named(Str::Input(text)), at),
            other => self.sink.scalar(plain(other), at).map(|()| Next::Enter),
        }
    }

    fn map_end(&mut self, at: Span) -> Result<()> {
        self.sink.close(at)
    }

    #[inline(always)]
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        let scalar = match value {
            Value::Enum(number) => match field.enumeration().and_then(|at| self.plan.enums[at].name_of(number)) {
                Some(name) => Scalar::Text(Str::Scratch(name)),
                None => Scalar::int(i64::from(number)),
            },
            other => plain(other),
        };
        self.sink.scalar(scalar, at)
    }

    fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        if self.guesses {
            self.limits.reset();
            if tell_field(&self.msg[..end], self.base, start, self.sink, &mut self.limits)? {
                return Ok(());
            }
        }
        self.sink.note(Note::Unknown(&self.msg[start..end]), Span::at(self.base, start, end))
    }

    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()> {
        self.sink.note(Note::Coerced(remark), at)
    }
}

/// A scalar that is no enum's.
#[inline(always)]
pub(super) fn plain(value: Value<'_>) -> Scalar<'_, '_> {
    match value {
        Value::Bool(value) => Scalar::Bool(value),
        Value::I32(value) | Value::Enum(value) => Scalar::int(i64::from(value)),
        Value::I64(value) => Scalar::int(value),
        Value::U32(value) => Scalar::UInt(u64::from(value)),
        Value::U64(value) => Scalar::UInt(value),
        Value::F32(value) => Scalar::F32(value),
        Value::F64(value) => Scalar::F64(value),
        Value::Text(text) => Scalar::Text(Str::Input(text)),
        Value::Octets(bytes) => Scalar::Octets(Str::Input(bytes)),
        Value::Bytes(bytes) => Scalar::Bytes(Str::Input(bytes)),
    }
}
