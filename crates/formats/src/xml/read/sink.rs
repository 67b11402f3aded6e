//! What the walk of a document is told to.

use polywire_core::error::Result;
use polywire_core::event::{Field, Next, Note, Open, Scalar, Span, Str};
use polywire_core::sink::Sink;

use super::paths::PathId;

/// A sink that tells child elements, attributes and text apart, and may keep what it knows of a path: the walk numbers the paths.
pub trait ElementSink<'m> {
    /// A container starts.
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next>;

    /// A child element, whose value follows. `at` spans its name.
    fn element(&mut self, path: PathId, name: Str<'m, '_, str>, at: Span) -> Result<Next>;

    /// An attribute of the element that was opened last, whose value follows. `at` spans its name.
    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next>;

    /// Text beside other things; it follows.
    fn text(&mut self, at: Span) -> Result<Next>;

    /// A field of a record of the values profile, whose value follows.
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next>;

    /// A whole scalar.
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()>;

    /// The innermost open container ends.
    fn close(&mut self, at: Span) -> Result<()>;

    /// Something that is no value.
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()>;
}

/// Any sink, told of elements, attributes and text as fields: `name`, `@name` and `#text`.
pub struct Fields<'k, K: ?Sized> {
    sink: &'k mut K,
    key: String,
}

impl<'k, K: ?Sized> Fields<'k, K> {
    /// Tells `sink`.
    pub fn of(sink: &'k mut K) -> Fields<'k, K> {
        Fields { sink, key: String::new() }
    }
}

impl<'m, K: Sink<'m> + ?Sized> ElementSink<'m> for Fields<'_, K> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.sink.open(open, at)
    }

    #[inline]
    fn element(&mut self, _: PathId, name: Str<'m, '_, str>, at: Span) -> Result<Next> {
        self.sink.field(Field::named(name), at)
    }

    fn attribute(&mut self, _: PathId, name: &str, at: Span) -> Result<Next> {
        self.key.clear();
        self.key.push('@');
        self.key.push_str(name);
        self.sink.field(Field::named(Str::Scratch(&self.key)), at)
    }

    fn text(&mut self, at: Span) -> Result<Next> {
        self.sink.field(Field::named(Str::Scratch("#text")), at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.sink.field(field, at)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.sink.scalar(value, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.sink.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.sink.note(note, at)
    }
}
