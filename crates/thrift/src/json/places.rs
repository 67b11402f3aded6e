//! Places of a text's parts, by those of the binary message that was made of it.

use polywire_core::{Error, Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span};

/// Places of parts, in the order of both.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Start in the message, and in the text.
    starts: Vec<(u64, u64)>,
    /// End in the message, and in the text.
    ends: Vec<(u64, u64)>,
}

impl Places {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }

    /// Adds a part: its bytes in the message, and in the text.
    pub fn add(&mut self, message: (usize, usize), text: (usize, usize)) {
        self.starts.push((message.0 as u64, text.0 as u64));
        self.ends.push((message.1 as u64, text.1 as u64));
    }

    /// Returns the place in the text of the byte at an offset of the message.
    pub fn start(&self, offset: u64) -> u64 {
        let behind = self.starts.partition_point(|(known, _)| *known <= offset);
        behind.checked_sub(1).map_or(0, |at| self.starts[at].1)
    }

    fn span(&self, span: Span, base: u64) -> Span {
        let start = self.start(span.start);
        let end = if span.end <= span.start {
            start
        } else {
            let at = self.ends.partition_point(|(known, _)| *known < span.end);
            self.ends.get(at).or(self.ends.last()).map_or(start, |(_, end)| *end).max(start)
        };
        Span { start: base + start, end: base + end }
    }
}

/// Sink of a message's events, which gives them on with the places of the text.
pub(super) struct Placed<'w, 'm> {
    pub places: &'w Places,
    pub base: u64,
    pub sink: &'w mut dyn Sink<'m>,
    /// True if the sink refused something: the error has its place.
    pub refused: bool,
}

impl Placed<'_, '_> {
    fn noted<T>(&mut self, result: Result<T>) -> Result<T> {
        self.refused |= result.is_err();
        result
    }

    /// Returns an error of the walk with the place of the text.
    pub fn error(&self, error: Error) -> Error {
        match error.offset() {
            Some(offset) if !self.refused => error.at(self.base + self.places.start(offset)),
            _ => error,
        }
    }
}

impl<'s> Sink<'s> for Placed<'_, '_> {
    fn needs(&self) -> Needs {
        self.sink.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let at = self.places.span(at, self.base);
        let next = self.sink.open(open, at);
        self.noted(next)
    }

    fn field(&mut self, field: Field<'s, '_>, at: Span) -> Result<Next> {
        let at = self.places.span(at, self.base);
        let next = self.sink.field(Field { name: field.name.scratch(), id: field.id, slot: field.slot }, at);
        self.noted(next)
    }

    fn scalar(&mut self, value: Scalar<'s, '_>, at: Span) -> Result<()> {
        let at = self.places.span(at, self.base);
        let done = self.sink.scalar(value.scratch(), at);
        self.noted(done)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        let at = self.places.span(at, self.base);
        let done = self.sink.part(part, at);
        self.noted(done)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let at = self.places.span(at, self.base);
        let done = self.sink.close(at);
        self.noted(done)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let at = self.places.span(at, self.base);
        let done = self.sink.note(note, at);
        self.noted(done)
    }
}
