//! Events to texts, by a schema or without one.

use std::sync::Arc;

use polywire_core::{Field, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::encode::encode;
use super::{NAME, SIMPLE_NAME};
use crate::plan::Plan;
use crate::wire::Binary;
use crate::write::ThriftWriter;

/// Writes texts of the JSON protocol.
#[derive(Debug, Default)]
pub(super) struct JsonWriter {
    plan: Option<Arc<Plan>>,
    /// True for the simple protocol.
    simple: bool,
    inner: Inner,
    /// The message that the text is made of.
    message: Vec<u8>,
}

/// A writer of the binary protocol, without bytes that are no text.
#[derive(Debug)]
struct Inner(ThriftWriter<Binary>);

impl Default for Inner {
    fn default() -> Inner {
        Inner(ThriftWriter::default().texts())
    }
}

impl JsonWriter {
    /// Makes a writer by a schema. `relay` means that fields that the schema lacks are written as
    /// they came from Thrift.
    pub fn by(plan: &Arc<Plan>, relay: bool, simple: bool) -> JsonWriter {
        let inner = ThriftWriter::default().by(Some(plan), relay).texts();
        JsonWriter { plan: Some(Arc::clone(plan)), simple, inner: Inner(inner), message: Vec::new() }
    }
}

impl<'m> Sink<'m> for JsonWriter {
    fn needs(&self) -> Needs {
        self.inner.0.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.inner.0.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.inner.0.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.inner.0.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.inner.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.inner.0.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.0.note(note, at)
    }
}

impl Writer for JsonWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.message.clear();
        let start = out.len();
        let written = self.inner.0.finish(&mut self.message).and_then(|()| encode(&self.message, self.plan.as_deref(), self.simple, out));
        if written.is_err() {
            out.truncate(start);
        }
        written.map_err(|error| error.format_is(if self.simple { SIMPLE_NAME } else { NAME }))
    }

    fn reset(&mut self) {
        self.inner.0.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.inner.0.losses()
    }
}
