//! What of a value a format has no place for, and where that is.

use polywire_core::walk::Tracker;
use polywire_core::{Error, ErrorKind, Fault, Field, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

/// A writer whose errors name the path, and for which a value that is not kept as it is counts as one.
pub(super) struct Strict<'w> {
    writer: &'w mut dyn Writer,
    tracker: Tracker,
    losses: bool,
}

impl<'w> Strict<'w> {
    /// A path for each error of `writer`; if `losses` are told, for each value too that it would change or leave out. Null is not one of them: to be absent is how
    /// formats without null say it.
    pub fn new(writer: &'w mut dyn Writer, losses: bool) -> Strict<'w> {
        Strict { writer, tracker: Tracker::default(), losses }
    }

    fn judged<T>(&mut self, told: Result<T>, is_null: bool) -> Result<T> {
        let told = told.map_err(|error| error.path_is(self.tracker.last_path()))?;
        if self.losses
            && !is_null
            && let Some(lost) = self.writer.losses().into_iter().find(|lost| lost.is_value())
        {
            let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(lost.what).path_is(self.tracker.last_path());
            return Err(error.hint("change what the route returns, or the schema"));
        }
        Ok(told)
    }
}

impl<'m> Sink<'m> for Strict<'_> {
    fn needs(&self) -> Needs {
        self.writer.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tracker.open(&open);
        let told = self.writer.open(open, at);
        self.judged(told, false)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        let told = self.writer.field(field, at);
        self.judged(told, false)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tracker.scalar(&value);
        let is_null = value == Scalar::Null;
        let told = self.writer.scalar(value, at);
        let judged = self.judged(told, is_null);
        if is_null {
            drop(self.writer.losses());
        }
        judged
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tracker.part(&part);
        let told = self.writer.part(part, at);
        self.judged(told, false)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let told = self.writer.close(at).map_err(|error| error.path_is(self.tracker.path()));
        self.tracker.close();
        told
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}
