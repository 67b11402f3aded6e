//! Spans of a message that was given bytes which the stream does not have.

use crate::error::Result;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};
use crate::walk::sink::{Needs, Sink};

/// A sink whose spans leave out bytes that the stream does not have.
pub(super) struct Shifted<'s, S> {
    pub(super) sink: &'s mut S,
    /// Offset of the first of these bytes.
    pub(super) from: u64,
    /// Their number.
    pub(super) by: u64,
}

impl<S> Shifted<'_, S> {
    pub(super) fn offset(&self, offset: u64) -> u64 {
        if offset <= self.from { offset } else { self.from.max(offset.saturating_sub(self.by)) }
    }

    fn span(&self, at: Span) -> Span {
        Span::new(self.offset(at.start), self.offset(at.end))
    }

    /// Reports whether nothing of a span is in the stream.
    fn is_added(&self, at: Span) -> bool {
        at.start >= self.from && at.end <= self.from + self.by && at.start < at.end
    }
}

impl<'m, S: Sink<'m>> Sink<'m> for Shifted<'_, S> {
    fn needs(&self) -> Needs {
        self.sink.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.sink.open(open, self.span(at))
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        if self.is_added(at) {
            return Ok(Next::Skip);
        }
        self.sink.field(field, self.span(at))
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.sink.scalar(value, self.span(at))
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.sink.part(part, self.span(at))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.sink.close(self.span(at))
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        if self.is_added(at) { Ok(()) } else { self.sink.note(note, self.span(at)) }
    }
}
