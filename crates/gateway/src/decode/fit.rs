//! Parts of a value that a format cannot hold, with their paths.

use polywire_core::walk::Tracker;
use polywire_core::{Error, ErrorKind, Fault, Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

/// A writer whose errors have the path, and for which a changed value is an error.
pub(super) struct Strict<'w> {
    writer: &'w mut dyn Writer,
    tracker: Tracker,
    losses: bool,
}

impl<'w> Strict<'w> {
    /// Adds the path to each error of `writer`. With `losses`, a value that it would change or
    /// leave out is an error too, except null: formats without null leave it out.
    pub fn new(writer: &'w mut dyn Writer, losses: bool) -> Strict<'w> {
        Strict { writer, tracker: Tracker::default(), losses }
    }

    fn judged<T>(&mut self, written: Result<T>, is_null: bool) -> Result<T> {
        let written = written.map_err(|error| error.path_is(self.tracker.last_path()))?;
        if self.losses
            && !is_null
            && let Some(lost) = self.writer.losses().into_iter().find(|lost| lost.is_value())
        {
            let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(lost.what).path_is(self.tracker.last_path());
            return Err(error.hint("change what the route returns, or the schema"));
        }
        Ok(written)
    }
}

impl<'m> Sink<'m> for Strict<'_> {
    fn needs(&self) -> Needs {
        self.writer.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tracker.open(&open);
        let written = self.writer.open(open, at);
        self.judged(written, false)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        let written = self.writer.field(field, at);
        self.judged(written, false)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tracker.scalar(&value);
        let is_null = value == Scalar::Null;
        let written = self.writer.scalar(value, at);
        let judged = self.judged(written, is_null);
        if is_null {
            drop(self.writer.losses());
        }
        judged
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tracker.part(&part);
        let written = self.writer.part(part, at);
        self.judged(written, false)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let written = self.writer.close(at).map_err(|error| error.path_is(self.tracker.path()));
        self.tracker.close();
        written
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}
