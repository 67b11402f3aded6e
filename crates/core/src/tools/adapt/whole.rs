//! Puts text and bytes that come in parts together, for sinks that need them whole.

use crate::error::{Error, ErrorKind, Result};
use crate::walk::event::{Field, Next, Note, Open, Part, PartKind, Scalar, Span, Str};
use crate::walk::sink::Sink;

/// Hands every value in parts over as one scalar. Memory: the longest value.
pub struct Whole<'a, S: ?Sized> {
    inner: &'a mut S,
    bytes: Vec<u8>,
    start: Option<u64>,
}

impl<'a, S: ?Sized> Whole<'a, S> {
    /// The adapter before `inner`.
    pub fn new(inner: &'a mut S) -> Self {
        Whole { inner, bytes: Vec::new(), start: None }
    }
}

impl<'m, S: Sink<'m> + ?Sized> Sink<'m> for Whole<'_, S> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.inner.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.inner.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.inner.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let start = *self.start.get_or_insert(at.start);
        self.bytes.extend_from_slice(part.bytes);
        if !part.last {
            return Ok(());
        }
        self.start = None;
        let at = Span::new(start, at.end);
        let bytes = std::mem::take(&mut self.bytes);
        let value = match part.kind {
            PartKind::Bytes => Scalar::Bytes(Str::Scratch(&bytes)),
            PartKind::Octets => Scalar::Octets(Str::Scratch(&bytes)),
            PartKind::Text => Scalar::Text(Str::Scratch(
                std::str::from_utf8(&bytes)
                    .map_err(|_| Error::data(ErrorKind::Encoding, at.start).seen("text whose parts are no UTF-8 together"))?,
            )),
        };
        self.inner.scalar(value, at)?;
        self.bytes = bytes;
        self.bytes.clear();
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.inner.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.inner.note(note, at)
    }
}
