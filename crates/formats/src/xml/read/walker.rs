//! The state of a walk, its positions and its events.

use std::borrow::Cow;
use std::marker::PhantomData;

use polywire_core::{Budget, Error, ErrorKind, Field, Len, Next, Note, Open, Result, Scalar, Span, Str};

use super::super::chars::{Contents, may_start_name};
use super::super::dtd::{Dtd, FACTOR, Names, Preset, SLACK};
use super::super::markup;
use super::super::prolog::{self, Piece, PieceKind, Prolog};
use super::paths::{self, PathId, Paths};
use super::scope::Scope;
use super::sink::ElementSink;
use super::source::Source;

/// The reason for an early end of a walk.
pub(super) enum Halt {
    /// The sink stopped the walk.
    Stop,
    /// An error.
    Error(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Error(error)
    }
}

pub(super) type Walk<T> = std::result::Result<T, Halt>;

/// Memory that the walks of one reader share. References to a text are ranges.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) levels: Vec<Level>,
    pub(super) attributes: Vec<Attribute>,
    /// True if any of the attributes may have to do with namespaces.
    pub(super) has_names: bool,
    pub(super) order: Vec<u32>,
    /// Text that the message does not have in one piece.
    pub(super) made: String,
    /// A field's name that the message does not have in one piece.
    pub(super) key: String,
    pub(super) bytes: Vec<u8>,
    /// The paths of this document and those before it.
    pub(super) paths: Paths,
}

impl Work {
    pub(super) fn clear(&mut self) {
        self.levels.clear();
        self.attributes.clear();
        self.paths.begin();
    }
}

/// An element that has started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Range of its name in the text that it started in.
    pub(super) name: (usize, usize),
    /// Number of entities around that text.
    pub(super) nesting: usize,
    pub(super) kind: Kind,
    /// True once it has text other than layout.
    pub(super) had_text: bool,
    /// True if `xml:space="preserve"` is in force (section 2.10).
    pub(super) preserve: bool,
    /// Number of namespaces declared before its start tag.
    pub(super) scope: usize,
    /// Number of values in it so far, for the kinds that count.
    pub(super) count: u32,
    pub(super) path: PathId,
    /// The path of its last child.
    pub(super) last: PathId,
    /// The path of its next child, if it continues as another element did before.
    pub(super) likely: PathId,
}

/// The kind of content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fields.
    Record,
    /// Fields, and pairs.
    Map,
    /// Values.
    Sequence,
    /// One value.
    Tagged,
    /// A key and its value.
    Pair,
    /// Text: no events of its own.
    Leaf,
}

/// An attribute of the current start tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    pub(super) name: (usize, usize),
    /// Range of its value, without quotes.
    pub(super) value: (usize, usize),
    /// True if the name has a prefix.
    pub(super) prefixed: bool,
    /// True if the value is exactly what is written.
    pub(super) plain: bool,
    /// Its place in [`Walker::presets`], if it comes from the document type. Its ranges are then
    /// empty ones at the tag.
    pub(super) preset: Option<u32>,
    pub(super) path: PathId,
}

/// A start tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) start: usize,
    pub(super) name: (usize, usize),
    /// Offset after its `>`.
    pub(super) after: usize,
    /// True if it is the end tag too.
    pub(super) empty: bool,
    /// Number of namespaces declared before it.
    pub(super) scope: usize,
    pub(super) path: PathId,
}

/// Text up to the next markup.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) text: RunText,
    /// True if all of it is white space that is written as such.
    pub(super) blank: bool,
    /// Its range in the stream.
    pub(super) at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunText {
    /// A range of the text that is being read.
    Plain(usize, usize),
    /// In [`Work::made`].
    Made,
}

/// A text that waits while an entity's is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outer<'t> {
    pub(super) text: &'t str,
    /// Start of the reference to the entity.
    pub(super) at: usize,
    /// End of the reference.
    pub(super) pos: usize,
    pub(super) entity: u32,
    /// Number of elements open when the entity was entered.
    pub(super) levels: usize,
}

pub(super) struct Walker<'w, 'm, 't, 'd, S, K> {
    pub(super) text: &'t str,
    pub(super) pos: usize,
    pub(super) contents: Contents,
    pub(super) source: S,
    pub(super) dtd: Option<&'d Dtd>,
    /// True if the document type declares attributes.
    pub(super) declares_attributes: bool,
    /// The attributes of the current tag whose values are tokens.
    pub(super) tokens: Option<&'d Names>,
    /// The attributes that the document type gives to the current tag.
    pub(super) presets: &'d [Preset],
    pub(super) outer: Vec<Outer<'t>>,
    /// For each entity, true if its text is being read.
    pub(super) active: Vec<bool>,
    /// Bytes that entities may still add.
    pub(super) allowance: u64,
    pub(super) scope: Scope<'t>,
    /// The prefix of the marks, in the values profile.
    pub(super) marks: Option<&'t str>,
    /// True if marks count as such, and names must be those of Namespaces in XML.
    pub(super) profile: bool,
    message: PhantomData<&'m [u8]>,
    pub(super) sink: &'w mut K,
    pub(super) budget: &'w mut Budget,
    pub(super) work: &'w mut Work,
}

impl<'w, 'm, 't, 'd, S: Source<'m, 't, 'd>, K: ElementSink<'m>> Walker<'w, 'm, 't, 'd, S, K>
where
    'm: 't,
{
    pub(super) fn new(
        text: &'t str,
        contents: Contents,
        dtd: Option<&'d Dtd>,
        source: S,
        sink: &'w mut K,
        budget: &'w mut Budget,
        work: &'w mut Work,
    ) -> Self {
        Walker {
            text,
            pos: 0,
            contents,
            source,
            dtd,
            tokens: None,
            presets: &[],
            declares_attributes: dtd.is_some_and(Dtd::has_attributes),
            outer: Vec::new(),
            active: vec![false; dtd.map_or(0, |dtd| dtd.entities.len())],
            allowance: (SLACK + FACTOR * text.len() as u64).saturating_sub(dtd.map_or(0, |dtd| dtd.expanded)),
            scope: Scope::default(),
            marks: None,
            profile: true,
            message: PhantomData,
            sink,
            budget,
            work,
        }
    }

    /// Sets whether marks of the values profile count as such. Otherwise they are plain attributes,
    /// and prefixes are parts of names without a meaning.
    pub(super) fn profile(mut self, profile: bool) -> Self {
        self.profile = profile;
        self
    }

    pub(super) fn document(&mut self, prolog: &Prolog) -> Result<()> {
        match self.pieces(prolog) {
            Ok(()) | Err(Halt::Stop) => Ok(()),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    fn pieces(&mut self, prolog: &Prolog) -> Walk<()> {
        for piece in &prolog.pieces {
            self.piece(*piece)?;
        }
        self.document_type()?;
        self.pos = prolog.root;
        self.root()?;
        loop {
            match prolog::misc(self.text, self.pos).map_err(|error| self.place(error))? {
                Some(piece) => {
                    self.piece(piece)?;
                    self.pos = piece.end;
                }
                None if self.pos == self.text.len() => return Ok(()),
                None => {
                    return Err(Error::data(ErrorKind::Trailing, self.offset(self.pos))
                        .seen("more after the end of the root element")
                        .expected("the end of the document")
                        .into());
                }
            }
        }
    }

    /// Spends what the document type took, checks its names, and notes what was not read of it.
    fn document_type(&mut self) -> Walk<()> {
        let Some(dtd) = self.dtd else { return Ok(()) };
        self.budget.decode(dtd.expanded, self.offset(0))?;
        if let Some(at) = dtd.colon.filter(|_| self.profile) {
            return Err(self.namespace(at, "a colon in the name of an entity or notation"));
        }
        for &(start, end) in &dtd.skipped {
            let at = self.span(start, end);
            self.sink.note(Note::Coerced("a parameter entity outside of the document was stepped over"), at)?;
        }
        Ok(())
    }

    fn root(&mut self) -> Walk<()> {
        let bracket = self.peek(self.pos) == b'<';
        if !bracket || !may_start_name(self.peek(self.pos + 1)) {
            return Err(self.wrong(self.pos + usize::from(bracket), "the root element"));
        }
        let tag = self.tag()?;
        self.marks = if K::HAS_PROFILE && self.profile { self.values_prefix() } else { None };
        if !K::HAS_PROFILE || self.marks.is_none() {
            let name = &self.text[tag.name.0..tag.name.1];
            let path = self.work.paths.find(PathId::DOCUMENT, paths::Kind::Element, PathId::NONE, name, name.contains(':'));
            return self.in_record(Tag { path, ..tag }, Self::plain);
        }
        if self.marks_of(tag)?.root.is_none() {
            return self.in_record(tag, Self::marked);
        }
        self.marked(tag)?;
        self.content()
    }

    /// Emits the root element as the one field of the record that the message is.
    fn in_record(&mut self, tag: Tag, element: fn(&mut Self, Tag) -> Walk<()>) -> Walk<()> {
        let start = self.offset(tag.start);
        // The record itself has no bytes; the message begins at the root's start tag.
        self.budget.item(start)?;
        self.budget.enter(start)?;
        let next = self.sink.open(Open::Record { name: "", len: Len::Unknown }, Span::new(start, start))?;
        match next {
            Next::Enter => {
                element(self, tag)?;
                self.content()?;
                let end = self.offset(self.pos);
                self.sink.close(Span::new(end, end))?;
            }
            Next::Skip => self.skip(tag)?,
            Next::Stop => return Err(Halt::Stop),
        }
        self.budget.leave();
        Ok(())
    }

    #[inline(always)]
    pub(super) fn peek(&self, at: usize) -> u8 {
        // U+0000 stands in no XML text, so it can mark the end.
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    pub(super) fn offset(&self, at: usize) -> u64 {
        if !self.is_nested() { self.source.offset(at) } else { self.reference_offset() }
    }

    /// Returns true while an entity's text is read.
    #[inline(always)]
    pub(super) fn is_nested(&self) -> bool {
        S::NESTS && !self.outer.is_empty()
    }

    /// Returns the number of entities whose texts are being read.
    #[inline(always)]
    pub(super) fn nesting(&self) -> usize {
        if S::NESTS { self.outer.len() } else { 0 }
    }

    /// Returns the place of the reference: everything in an entity's text is there.
    #[cold]
    pub(super) fn reference_offset(&self) -> u64 {
        self.outer.first().map_or(0, |outer| self.source.offset(outer.at))
    }

    #[inline(always)]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset(start), self.offset(end))
    }

    /// Moves an error's offset from the start of the text to the stream.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        let at = error.offset().unwrap_or(0);
        error.at(self.offset(at as usize))
    }

    #[cold]
    pub(super) fn wrong(&self, at: usize, expected: impl Into<Cow<'static, str>>) -> Halt {
        Halt::Error(self.place(markup::syntax(self.text, at, expected)))
    }

    #[inline(always)]
    pub(super) fn item(&mut self, at: Span) -> Walk<()> {
        Ok(self.budget.item(at.start)?)
    }

    /// Emits a field whose name is the range `name` of the text. Returns false if its value is to
    /// be skipped.
    #[inline(always)]
    pub(super) fn field(&mut self, name: (usize, usize)) -> Walk<bool> {
        let at = self.span(name.0, name.1);
        self.item(at)?;
        entered(self.sink.field(Field::named(S::lend(&self.text[name.0..name.1])), at)?)
    }

    /// Emits a child element.
    #[inline(always)]
    pub(super) fn element(&mut self, tag: Tag) -> Walk<bool> {
        let at = self.span(tag.name.0, tag.name.1);
        self.item(at)?;
        let text = self.text;
        entered(self.sink.element(tag.path, || S::lend(&text[tag.name.0..tag.name.1]), at)?)
    }

    /// Emits a field whose name is in [`Work::key`].
    pub(super) fn made_field(&mut self, at: Span) -> Walk<bool> {
        self.item(at)?;
        entered(self.sink.field(Field::named(Str::Scratch(&self.work.key)), at)?)
    }

    #[inline(always)]
    pub(super) fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Walk<()> {
        self.budget.item(at.start)?;
        self.sink.scalar(value, at)?;
        Ok(())
    }

    pub(super) fn open(&mut self, open: Open<'_>, at: Span) -> Walk<bool> {
        self.item(at)?;
        entered(self.sink.open(open, at)?)
    }

    pub(super) fn piece(&mut self, piece: Piece) -> Walk<()> {
        let at = self.span(piece.start, piece.end);
        let text = &self.text[piece.start..piece.end];
        match piece.kind {
            PieceKind::Layout => self.sink.note(Note::Layout(text), at)?,
            PieceKind::Directive => {
                if self.profile && markup::target(text).contains(':') {
                    return Err(self.namespace(piece.start + 2, "a processing instruction with a colon in its name"));
                }
                self.sink.note(Note::Directive(text), at)?;
            }
            PieceKind::Comment => {
                let inner = &text["<!--".len()..text.len() - "-->".len()];
                if self.contents.returns && inner.contains('\r') {
                    self.work.made.clear();
                    markup::push_normalised(&mut self.work.made, inner);
                    self.sink.note(Note::Comment(&self.work.made), at)?;
                } else {
                    self.sink.note(Note::Comment(inner), at)?;
                }
            }
        }
        Ok(())
    }
}

#[inline(always)]
pub(super) fn entered(next: Next) -> Walk<bool> {
    match next {
        Next::Enter => Ok(true),
        Next::Skip => Ok(false),
        Next::Stop => Err(Halt::Stop),
    }
}
