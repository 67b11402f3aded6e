//! Entries of formats whose structure cannot be followed piece by piece: the document is read
//! whole.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::limits::{Budget, Limits};
use crate::value::owned::{Value, ValueSink};
use crate::walk::entries::{Descent, EntryPath, Place, Shape, Treatment};
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};
use crate::walk::read::{Frame, Reader, Surrogates};
use crate::walk::sink::Sink;

/// A reader whose messages are the entries of another one's. Memory: the entries of one document.
///
/// The bytes of a message are those of its entry, which may be none of the format's messages; so a
/// message is walked once framed, before the next one.
pub(crate) struct WholeEntries {
    inner: Box<dyn Reader>,
    descent: Descent,
    limits: Limits,
    pending: VecDeque<(Value, Span)>,
    /// End of the document whose entries are pending.
    end: u64,
    current: Value,
}

impl WholeEntries {
    pub(crate) fn new(inner: Box<dyn Reader>, path: EntryPath, repeats: bool, limits: &Limits) -> WholeEntries {
        let descent = Descent::new(path, repeats);
        WholeEntries { inner, descent, limits: *limits, pending: VecDeque::new(), end: 0, current: Value::Null }
    }

    pub(crate) fn descent(&self) -> &Descent {
        &self.descent
    }
}

impl Reader for WholeEntries {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        if self.pending.is_empty() && self.end > base {
            let rest = ((self.end - base) as usize).min(buf.len());
            self.end = 0;
            if rest > 0 {
                return Ok(Frame::Between(rest));
            }
        }
        if self.pending.is_empty() {
            let (start, end) = match self.inner.frame(buf, base, eof)? {
                Frame::Message { start, end } => (start, end.min(buf.len())),
                other => return Ok(other),
            };
            let mut picked = Picked { descent: &mut self.descent, found: VecDeque::new(), levels: Vec::new(), name: None, entry: None };
            self.inner.walk(&buf[start..end], base + start as u64, &mut picked, &mut Budget::new(&self.limits))?;
            self.pending = picked.found;
            self.end = base + end as u64;
            if self.pending.is_empty() {
                return Ok(Frame::Between(end.max(1)));
            }
        }
        let left = self.pending.len() as u64;
        let Some((value, span)) = self.pending.pop_front() else { return Err(Error::internal("no entry").at(base)) };
        self.current = value;
        // Every entry needs a byte of its own, whatever its span says.
        let last = self.end.saturating_sub(left - 1);
        if last <= base {
            let error = Error::new(ErrorKind::Limit, Fault::Data).seen("a document with more entries than bytes");
            return Err(error.expected("a byte for each entry").at(base));
        }
        let start = span.start.clamp(base, last - 1);
        let end = span.end.clamp(start + 1, last);
        Ok(Frame::Message { start: (start - base) as usize, end: (end - base) as usize })
    }

    fn walk<'m>(&mut self, _: &'m [u8], _: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        budget.decode(0, 0)?;
        self.current.emit(&mut Brief(sink))
    }

    fn surrogates(&mut self, surrogates: Surrogates) {
        self.inner.surrogates(surrogates);
    }

    fn groups_fields(&self) -> bool {
        self.inner.groups_fields()
    }
}

/// The sink that keeps entries.
struct Picked<'d> {
    descent: &'d mut Descent,
    found: VecDeque<(Value, Span)>,
    levels: Vec<Place>,
    name: Option<String>,
    /// The entry under way, its first byte, and how many of its containers are open.
    entry: Option<(ValueSink, u64, usize)>,
}

impl Picked<'_> {
    /// Decides on a value outside of entries.
    fn treat(&mut self, shape: Shape) -> Treatment {
        let name = self.name.take();
        self.descent.treat(self.levels.last().copied(), name.as_deref(), shape)
    }

    fn finish(&mut self, sink: ValueSink, at: Span) {
        self.found.extend(sink.finish().map(|value| (value, at)));
    }
}

impl<'m> Sink<'m> for Picked<'_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if let Some((sink, _, depth)) = &mut self.entry {
            *depth += 1;
            return sink.open(open, at);
        }
        let shape = match open {
            Open::List(_) | Open::Tuple(_) => Shape::List,
            Open::Map(_) | Open::Record { .. } => Shape::Named,
            Open::Variant { .. } | Open::Tagged { .. } => Shape::Scalar,
        };
        match self.treat(shape) {
            Treatment::Entry => {
                let mut sink = ValueSink::default();
                sink.open(open, at)?;
                self.entry = Some((sink, at.start, 1));
                Ok(Next::Enter)
            }
            Treatment::Skip => Ok(Next::Skip),
            Treatment::Enter(place) => {
                self.levels.push(place);
                Ok(Next::Enter)
            }
        }
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        match &mut self.entry {
            Some((sink, ..)) => sink.field(field, at),
            None => {
                self.name = Some(field.name.get().to_string());
                Ok(Next::Enter)
            }
        }
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if let Some((sink, ..)) = &mut self.entry {
            return sink.scalar(value, at);
        }
        if self.treat(Shape::Scalar) == Treatment::Entry {
            self.found.push_back((Value::from(value), at));
        }
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        if self.entry.is_none() && self.treat(Shape::Scalar) == Treatment::Entry {
            self.entry = Some((ValueSink::default(), at.start, 0));
        }
        let Some((sink, start, depth)) = &mut self.entry else { return Ok(()) };
        sink.part(part, at)?;
        let (start, done) = (*start, *depth == 0 && part.last);
        if done && let Some((sink, ..)) = self.entry.take() {
            self.finish(sink, Span::new(start, at.end));
        }
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let Some((sink, start, depth)) = &mut self.entry else {
            self.levels.pop();
            return Ok(());
        };
        sink.close(at)?;
        *depth -= 1;
        let (start, done) = (*start, *depth == 0);
        if done && let Some((sink, ..)) = self.entry.take() {
            self.finish(sink, Span::new(start, at.end));
        }
        Ok(())
    }
}

/// A sink for values that live for the call only.
struct Brief<'s, 'm>(&'s mut dyn Sink<'m>);

impl<'m> Sink<'_> for Brief<'_, 'm> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn field(&mut self, field: Field<'_, '_>, at: Span) -> Result<Next> {
        self.0.field(Field { name: field.name.scratch(), id: field.id, slot: field.slot }, at)
    }

    fn scalar(&mut self, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        self.0.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.0.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.0.note(note, at)
    }
}
