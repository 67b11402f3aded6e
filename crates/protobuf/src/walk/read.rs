//! Messages of a known type to events.

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;
#[cfg(feature = "columns")]
use polywire_core::Limits;
#[cfg(feature = "columns")]
use polywire_core::columns::Filling;
use polywire_core::{Budget, Frame, Needs, Reader, Result, Sink};
use polywire_doc::{DocumentReader, Read, Reading};

#[cfg(feature = "columns")]
use super::columns::Columns;
use super::document::Documents;
use super::events::Events;
use super::state::{Scratch, Walk};
#[cfg(feature = "columns")]
use super::typed;
use super::view::{self, Viewed};
use crate::plain::note_head;
use crate::plan::Plan;
use crate::wire::NAME;
use crate::wire::framing::Framing;

/// Reads messages of one type.
///
/// A message becomes a record of its present fields, a repeated field a list, a map a map. An
/// enum's value becomes its name, as text, or its number if it has no name. Fields that the schema
/// does not have become [`Note::Unknown`](polywire_core::Note::Unknown); a sink that needs
/// [`Needs::GUESSES`] gets them as what they are likely to be.
#[derive(Debug)]
pub struct ProtobufReader {
    plan: Arc<Plan>,
    framing: Framing,
    /// The empty message of an empty input was returned.
    empty: bool,
    scratch: Scratch,
    views: view::Memory,
    /// Values have the types of the common schema.
    #[cfg(feature = "columns")]
    typed: bool,
    #[cfg(feature = "columns")]
    types: Vec<typed::Level>,
    #[cfg(feature = "columns")]
    columns: Columns,
}

impl ProtobufReader {
    /// Makes a reader of messages of the plan's root type.
    pub fn new(plan: Arc<Plan>, framing: Framing) -> ProtobufReader {
        ProtobufReader {
            plan,
            framing,
            empty: false,
            scratch: Scratch::default(),
            views: view::Memory::default(),
            #[cfg(feature = "columns")]
            typed: false,
            #[cfg(feature = "columns")]
            types: Vec::new(),
            #[cfg(feature = "columns")]
            columns: Columns::default(),
        }
    }

    /// Sets whether values have the types of the common schema. A oneof is a field of a sum type
    /// then, `Timestamp` a moment, and a wrapper the value in it.
    #[cfg(feature = "columns")]
    #[must_use]
    pub fn typed(mut self, typed: bool) -> ProtobufReader {
        self.typed = typed && self.plan.has_types();
        self
    }

    /// Returns the reader as it is: only columns need other types.
    #[cfg(not(feature = "columns"))]
    pub(crate) fn typed(self, _: bool) -> ProtobufReader {
        self
    }

    /// Walks a message as [`Reader::walk`] does, for a sink whose type is known at compile time.
    ///
    /// # Errors
    /// Errors of the sink, and mistakes in the message.
    pub fn walk_into<'m, S: Sink<'m> + ?Sized>(&mut self, msg: &'m [u8], base: u64, sink: &mut S, budget: &mut Budget) -> Result<()> {
        let head = self.framing.head(msg, base).map_err(|error| error.format_is(NAME))?;
        note_head(&head, base, sink)?;
        let guesses = sink.needs().has(Needs::GUESSES);
        let plan = &*self.plan;
        let mut events = Events { plan, msg, base, sink, guesses, limits: Budget::new(budget.limits()) };
        let scratch = &mut self.scratch;
        #[cfg(feature = "columns")]
        if self.typed {
            let mut visitor = typed::Events::new(events, &mut self.types);
            let outcome = Walk { plan, msg, base, visitor: &mut visitor, budget, scratch }.run(plan.root, head.len);
            return outcome.map_err(|error| error.format_is(NAME));
        }
        let outcome = if plan.has_views() {
            self.views.clear();
            let mut visitor = Viewed { events, memory: &mut self.views };
            Walk { plan, msg, base, visitor: &mut visitor, budget, scratch }.run(plan.root, head.len)
        } else {
            Walk { plan, msg, base, visitor: &mut events, budget, scratch }.run(plan.root, head.len)
        };
        outcome.map_err(|error| error.format_is(NAME))
    }

    /// Reads the message as a document.
    fn read(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Result<Read> {
        let head = self.framing.head(msg, 0)?;
        let plan = &*self.plan;
        let fresh = budget.clone();
        let mut visitor = Documents::new(plan, msg.clone(), reading);
        let walk = Walk { plan, msg, base: 0, visitor: &mut visitor, budget, scratch: &mut self.scratch };
        // A document can be thrown away, so that surveys wait until something is unusual.
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
        // No bytes are a message without fields.
        if self.framing == Framing::Whole && buf.is_empty() && eof && base == 0 {
            self.empty = !self.empty;
            return Ok(if self.empty { Frame::Message { start: 0, end: 0 } } else { Frame::End });
        }
        self.framing.frame(buf, base, eof).map_err(|error| error.format_is(NAME))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.walk_into(msg, base, sink, budget)
    }

    #[cfg(feature = "columns")]
    fn fill(&mut self, msg: &[u8], base: u64, filling: &mut Filling<'_>, limits: &Limits) -> bool {
        match self.framing.head(msg, base) {
            Ok(head) => self.columns.fill(&self.plan, self.typed, msg, head.len, filling, limits),
            Err(_) => false,
        }
    }

    fn groups_fields(&self) -> bool {
        // Adopted schemas may emit elements one by one.
        !self.plan.has_views()
    }
}

impl DocumentReader for ProtobufReader {
    fn document(&mut self, msg: &Bytes, reading: &Reading<'_>, budget: &mut Budget) -> Option<Result<Read>> {
        #[cfg(feature = "columns")]
        if self.typed {
            return None;
        }
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
