//! Events to a message of a known type (docs/spec/extprot.md 4).
//!
//! Each event is written where it is told: lengths and counts are gaps of the buffer, and a field out of order is a piece that the last copy puts into its place. Only
//! a value whose type shows in its contents alone ([`choice`]) is held until it is complete.

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

/// Writes messages of one type.
///
/// It takes any events that fit. Fields may come in any order; one that is absent takes its default. Records of one field whose name is a constructor or a variant,
/// and texts that name a constant constructor, are values of sum types too, as formats without these write them. Lists are tuples and arguments.
#[derive(Debug)]
pub struct ExtprotWriter {
    plan: Arc<Plan>,
    index: Index,
    state: State,
}

impl ExtprotWriter {
    /// A writer of the messages that `plan` is of.
    ///
    /// # Errors
    /// They have no encoder, since a subset is part of them.
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

    /// Sets whether elements that the protocol does not know are written back at the end of what they stood in, so that a message of a later version passes an older
    /// program without loss. The events must then come straight from an [`ExtprotReader`](crate::walk::ExtprotReader) of the same message type: unknown bytes of another format are no elements.
    ///
    /// A primitive that was read from a tuple is written in that tuple, with what stood behind it, and a tuple keeps the tag that it was read with. Bytes that are no elements are
    /// lost all the same. Bytes beyond the count of a composite that happen to be elements are taken for such. Adopted schemas keep none.
    #[must_use]
    pub fn unknown(mut self, kept: bool) -> ExtprotWriter {
        self.state.keeps = kept && self.plan.nodes.iter().all(|node| node.view == plan::View::Declared);
        self
    }

    #[inline(always)]
    fn write(&mut self) -> Write<'_> {
        Write { plan: &self.plan, index: &self.index, s: &mut self.state }
    }

    /// Says where in the message an error of an event is.
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
        drop(state.losses.take());
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.state.losses.take()
    }
}
