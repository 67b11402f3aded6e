//! Text to events: those of the CBOR that it stands for, with the places of the text.

use polywire_core::{Budget, Error, Field, Frame, Limits, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span};

use super::NAME;
use super::frame::Framer;
use super::parse::{Parsed, Range, parse};
use crate::cbor::CborReader;
use crate::cbor::heads;

/// Reads the notation.
#[derive(Debug)]
pub struct DiagReader {
    framer: Framer,
    cbor: CborReader,
}

impl Default for DiagReader {
    fn default() -> DiagReader {
        DiagReader { framer: Framer::default(), cbor: CborReader::with_lengths() }
    }
}

impl Reader for DiagReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.frame(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let parsed = parse(msg, base, budget).map_err(|error| error.format_is(NAME))?;
        let offsets = heads::offsets(&parsed.cbor);
        if offsets.len() != parsed.places.len() {
            return Err(Error::internal("heads of another number than their places").format_is(NAME));
        }
        let Parsed { cbor, places, comments } = &parsed;
        let mut placed = Placed { sink, base, msg, offsets: &offsets, places, comments, after: After::Value, stopped: false };
        // The parser spent the budget, and its errors have places in the text.
        let mut budget = Budget::new(&Limits::MAX.with_digits(budget.limits().digits).with_items(u64::MAX).with_decoded(u64::MAX));
        self.cbor.walk(cbor, 0, &mut placed, &mut budget)?;
        if !placed.stopped {
            placed.comments_before(usize::MAX)?;
        }
        Ok(())
    }
}

/// Puts events in their places in the text, and comments between them.
struct Placed<'a, 'm> {
    sink: &'a mut dyn Sink<'m>,
    base: u64,
    msg: &'m [u8],
    /// Offset of each head in the CBOR.
    offsets: &'a [u32],
    /// Place of each head in the text.
    places: &'a [Range],
    /// Comments to come.
    comments: &'a [Range],
    after: After,
    stopped: bool,
}

/// The event before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Value,
    /// The name of a value, which comes next.
    Field,
    /// A value that is stepped over, with the comments in it.
    Skipped,
}

impl Placed<'_, '_> {
    /// Returns the place in the text of a range of bytes of the CBOR.
    fn range(&self, at: Span) -> (usize, usize) {
        let before = self.offsets.partition_point(|offset| u64::from(*offset) < at.start);
        if at.is_empty() {
            // The end of a container without a break, or a value that has no bytes.
            let end = before.checked_sub(1).map_or(0, |index| self.places[index].end());
            return (end, end);
        }
        let rest = &self.offsets[before..];
        let last = before + rest.partition_point(|offset| u64::from(*offset) < at.end);
        match (self.places.get(before), last.checked_sub(1)) {
            (Some(first), Some(last)) => (first.start(), self.places[last].end()),
            _ => (0, 0),
        }
    }

    /// Returns the place of an event, after the comments before it.
    fn place(&mut self, at: Span) -> Result<Span> {
        let (start, end) = self.range(at);
        match std::mem::replace(&mut self.after, After::Value) {
            After::Value => self.comments_before(start)?,
            After::Field => {}
            After::Skipped => {
                let skipped = self.comments.partition_point(|comment| comment.start() < start);
                self.comments = &self.comments[skipped..];
            }
        }
        Ok(Span::at(self.base, start, end))
    }

    fn comments_before(&mut self, at: usize) -> Result<()> {
        while let Some((first, rest)) = self.comments.split_first().filter(|(first, _)| first.start() < at) {
            self.comments = rest;
            let text = std::str::from_utf8(&self.msg[first.start()..first.end()]).unwrap_or_default();
            let text = text.strip_prefix('#').unwrap_or_else(|| text.trim_matches('/'));
            self.sink.note(Note::Comment(text), Span::at(self.base, first.start(), first.end()))?;
        }
        Ok(())
    }

    fn answered(&mut self, next: Next) -> Next {
        match next {
            Next::Enter => {}
            Next::Skip => self.after = After::Skipped,
            Next::Stop => self.stopped = true,
        }
        next
    }
}

impl<'c> Sink<'c> for Placed<'_, '_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let at = self.place(at)?;
        let next = self.sink.open(open, at)?;
        Ok(self.answered(next))
    }

    fn field(&mut self, field: Field<'c, '_>, at: Span) -> Result<Next> {
        let at = self.place(at)?;
        self.after = After::Field;
        let next = self.sink.field(Field { name: field.name.scratch(), ..field }, at)?;
        Ok(self.answered(next))
    }

    fn scalar(&mut self, value: Scalar<'c, '_>, at: Span) -> Result<()> {
        let at = self.place(at)?;
        self.sink.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let at = self.place(at)?;
        self.sink.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let at = self.place(at)?;
        self.sink.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let after = self.after;
        let at = self.place(at)?;
        if after == After::Field {
            self.after = after;
        }
        self.sink.note(note, at)
    }
}
