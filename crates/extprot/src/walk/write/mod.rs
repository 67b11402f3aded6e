//! Events to messages of a known type (docs/spec/extprot.md 4).
//!
//! Each event is written as it arrives. Lengths and counts are gaps in the buffer, and a field out
//! of order is a piece that the last copy moves into its place. A value is held until it is
//! complete only if nothing but its contents shows its type ([`choice`]).

mod choice;
mod default;
mod place;
mod scalar;
mod slots;
mod state;

use std::sync::Arc;

use polywire_core::bytes::OutBuf;
use polywire_core::value::Tree;
use polywire_core::{
    Error, ErrorKind, Fault, Field, Losses, Lost, Needs, Next, Note, Open, Part, PartKind, Result, Scalar, Sink, Span, Str, Writer,
};

use super::shared::NAME;
use super::unknown::Unknown;
use crate::plan::{self, Plan};
use slots::Index;
use state::{State, Want, Write};

/// Writer of messages of one type.
///
/// It accepts all events that fit the type. Fields may come in any order; an absent field takes its
/// default. For formats without sum types, a record of one field named after a constructor or
/// variant is a value of that sum, and so is a text that names a constant constructor. A list may
/// stand for a tuple or for arguments.
#[derive(Debug)]
pub struct ExtprotWriter {
    plan: Arc<Plan>,
    index: Index,
    state: State,
}

impl ExtprotWriter {
    /// Returns a writer for the messages of `plan`.
    ///
    /// # Errors
    /// The messages contain a subset, which has no encoder.
    pub fn new(plan: Arc<Plan>) -> Result<ExtprotWriter> {
        if !plan.is_encodable() {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen("a message that holds a subset")
                .expected("a message that can be written")
                .hint("subsets are views for reading; write the message that they view"));
        }
        let state = State {
            out: OutBuf::default(),
            losses: Losses::default(),
            want: Want::Value(plan.root),
            frames: Vec::new(),
            skipped: Vec::new(),
            held: Tree::new(),
            depth: 0,
            parts: Vec::new(),
            from: None,
            keeps: false,
            unknown: Unknown::default(),
        };
        Ok(ExtprotWriter { index: Index::new(&plan), plan, state })
    }

    /// Sets whether elements unknown to the protocol are written back, at the end of their
    /// container, so that a message of a later version passes an older program without loss. The
    /// events must then come straight from an [`ExtprotReader`](crate::walk::ExtprotReader) of the
    /// same message type, because unknown bytes of another format are no elements.
    ///
    /// A primitive that was read from a tuple is written in that tuple, with the elements after it,
    /// and a tuple keeps its tag. Bytes that are not elements are lost. Bytes after the count of a
    /// composite that happen to be elements are taken for elements. Adopted schemas keep none.
    #[must_use]
    pub fn unknown(mut self, kept: bool) -> ExtprotWriter {
        self.state.keeps = kept && self.plan.nodes.iter().all(|node| node.view == plan::View::Declared);
        self
    }

    #[inline(always)]
    fn write(&mut self) -> Write<'_> {
        Write { plan: &self.plan, index: &self.index, s: &mut self.state }
    }

    /// Adds the format and the path to the error of an event.
    #[cold]
    fn placed(&self, error: Error) -> Error {
        let error = error.format_is(NAME);
        if error.path().is_some() { error } else { error.path_is(place::path(&self.plan, &self.state)) }
    }
}

impl<'m> Sink<'m> for ExtprotWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.write().open(open, at).map_err(|error| self.placed(error))
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.write().field(field.name.get(), at).map_err(|error| self.placed(error))
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.write().scalar(&value, at).map_err(|error| self.placed(error))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.state.parts.extend_from_slice(part.bytes);
        let from = *self.state.from.get_or_insert(at.start);
        if !part.last {
            return Ok(());
        }
        let parts = std::mem::take(&mut self.state.parts);
        let value = match (part.kind, std::str::from_utf8(&parts)) {
            (PartKind::Text, Ok(text)) => Scalar::Text(Str::Scratch(text)),
            (PartKind::Text, Err(_)) => return Err(Error::internal("parts of text that are no UTF-8")),
            (PartKind::Bytes, _) => Scalar::Bytes(Str::Scratch(&parts)),
            (PartKind::Octets, _) => Scalar::Octets(Str::Scratch(&parts)),
        };
        self.state.from = None;
        let outcome = self.write().scalar(&value, Span::new(from, at.end)).map_err(|error| self.placed(error));
        self.state.parts = parts;
        self.state.parts.clear();
        outcome
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.write().close(at).map_err(|error| self.placed(error))
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.state.keeps {
            self.write().remark(note, at);
        } else {
            self.state.losses.note(note, at);
        }
        Ok(())
    }
}

impl Writer for ExtprotWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !matches!(self.state.want, Want::End) || !self.state.frames.is_empty() {
            return Err(Error::usage("no value").expected("a message").format_is(NAME));
        }
        self.state.out.finish(out);
        self.state.want = Want::Value(self.plan.root);
        Ok(())
    }

    fn reset(&mut self) {
        let state = &mut self.state;
        state.out.clear();
        state.want = Want::Value(self.plan.root);
        state.frames.clear();
        state.skipped.clear();
        state.held = std::mem::take(&mut state.held).recycle();
        state.depth = 0;
        state.parts.clear();
        state.from = None;
        state.unknown.clear();
        state.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.state.losses.take()
    }
}
