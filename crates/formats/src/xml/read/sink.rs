//! The sink of a document's walk.

use polywire_core::{Error, Field, Next, Note, Open, Result, Scalar, Sink, Span, Str};

use super::paths::PathId;

/// A sink that distinguishes child elements, attributes and text, and may remember facts about a
/// path: the walk numbers the paths.
pub trait ElementSink<'m> {
    /// True if it takes [leaves](ElementSink::leaf), and has no use for notes.
    const TAKES_LEAVES: bool = false;

    /// False if it only reads documents without the values profile.
    const HAS_PROFILE: bool = true;

    /// Returns whether the values of a path are wanted, if that is known already.
    fn wants(&self, path: PathId) -> Option<bool> {
        let _ = path;
        None
    }

    /// Takes a child element of nothing but text, of a path whose values are wanted. `at` spans its
    /// name.
    fn leaf(&mut self, path: PathId, text: &str, at: Span) -> Result<()> {
        let _ = (path, text, at);
        Err(Error::internal("a leaf for a sink that takes none"))
    }

    /// Returns true if an attribute of a path is known to be wanted, and all else there; it takes
    /// [such leaves](ElementSink::leaf_with) then.
    fn wants_all(&self, path: PathId, attribute: PathId) -> bool {
        let _ = (path, attribute);
        false
    }

    /// Takes a child element of nothing but one attribute and text. `at` spans its name.
    fn leaf_with(&mut self, path: PathId, attribute: PathId, value: &str, text: &str, at: Span) -> Result<()> {
        let _ = (path, attribute, value, text, at);
        Err(Error::internal("a leaf for a sink that takes none"))
    }

    /// Takes a child element of a path whose values are not wanted, and which is stepped over. `at`
    /// spans its name.
    fn unwanted(&mut self, at: Span) -> Result<()> {
        let _ = at;
        Err(Error::internal("a leaf for a sink that takes none"))
    }

    /// Opens a container.
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next>;

    /// Takes a child element, whose value follows. `at` spans its name.
    fn element<'n>(&mut self, path: PathId, name: impl FnOnce() -> Str<'m, 'n, str>, at: Span) -> Result<Next>
    where
        'm: 'n;

    /// Takes an attribute of the element that was opened last; its value follows. `at` spans its
    /// name.
    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next>;

    /// Takes text beside other content; the text follows.
    fn text(&mut self, at: Span) -> Result<Next>;

    /// Takes a field of a record of the values profile; its value follows.
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next>;

    /// Takes a whole scalar.
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()>;

    /// Closes the innermost open container.
    fn close(&mut self, at: Span) -> Result<()>;

    /// Takes a note: a part of the message that is no value.
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()>;
}

/// Any sink, with elements, attributes and text as fields: `name`, `@name` and `#text`.
pub struct Fields<'k, K: ?Sized> {
    sink: &'k mut K,
    key: String,
}

impl<'k, K: ?Sized> Fields<'k, K> {
    /// Creates the adapter for `sink`.
    pub fn of(sink: &'k mut K) -> Fields<'k, K> {
        Fields { sink, key: String::new() }
    }
}

impl<'m, K: Sink<'m> + ?Sized> ElementSink<'m> for Fields<'_, K> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.sink.open(open, at)
    }

    #[inline]
    fn element<'n>(&mut self, _: PathId, name: impl FnOnce() -> Str<'m, 'n, str>, at: Span) -> Result<Next>
    where
        'm: 'n,
    {
        self.sink.field(Field::named(name()), at)
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

/// A sink behind a pointer, which takes no leaves. Documents that are decoded, or declare
/// entities, are read into it: their walk is compiled once instead of for each sink.
pub(super) struct Unknown<'k, 'm>(&'k mut dyn Events<'m>);

impl<'k, 'm> Unknown<'k, 'm> {
    pub(super) fn of<K: ElementSink<'m>>(sink: &'k mut K) -> Unknown<'k, 'm> {
        Unknown(sink)
    }
}

/// The events of an [`ElementSink`], a name given at once.
trait Events<'m> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next>;
    fn element(&mut self, path: PathId, name: Str<'m, '_, str>, at: Span) -> Result<Next>;
    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next>;
    fn text(&mut self, at: Span) -> Result<Next>;
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next>;
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()>;
    fn close(&mut self, at: Span) -> Result<()>;
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()>;
}

impl<'m, K: ElementSink<'m>> Events<'m> for K {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        ElementSink::open(self, open, at)
    }

    fn element(&mut self, path: PathId, name: Str<'m, '_, str>, at: Span) -> Result<Next> {
        ElementSink::element(self, path, || name, at)
    }

    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next> {
        ElementSink::attribute(self, path, name, at)
    }

    fn text(&mut self, at: Span) -> Result<Next> {
        ElementSink::text(self, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        ElementSink::field(self, field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        ElementSink::scalar(self, value, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        ElementSink::close(self, at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        ElementSink::note(self, note, at)
    }
}

impl<'m> ElementSink<'m> for Unknown<'_, 'm> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.0.open(open, at)
    }

    fn element<'n>(&mut self, path: PathId, name: impl FnOnce() -> Str<'m, 'n, str>, at: Span) -> Result<Next>
    where
        'm: 'n,
    {
        self.0.element(path, name(), at)
    }

    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next> {
        self.0.attribute(path, name, at)
    }

    fn text(&mut self, at: Span) -> Result<Next> {
        self.0.text(at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.0.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.0.scalar(value, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.0.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.0.note(note, at)
    }
}
