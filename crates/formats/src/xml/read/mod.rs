//! Reads documents.
//!
//! The document is checked once as a whole for UTF-8 and for characters that XML has no place for; what follows slices it
//! without looking again. Its markup is scanned by hand: see the [format's page](super) for why.

mod marked;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;

use foldhash::fast::RandomState;
use memchr::{memchr, memchr2, memmem};
use polywire_core::error::{Error, ErrorKind, Result};
use polywire_core::event::{Field, Len, Next, Note, Open, Scalar, Span, Str};
use polywire_core::limits::Budget;
use polywire_core::read::{Frame, Reader};
use polywire_core::sink::Sink;

use super::chars::{self, Contents, is_space, may_start_name, scan_name, skip_space};
use super::dtd::{self, Dtd, Piece, PieceKind, Prolog, Replacement};
use super::encoding::{self, Charset, Offsets};
use super::frame::Framer;
use super::markup::{self, Reference, XML_SPACE, XMLNS_SPACE};
use super::values;

/// What entities may add to any document beyond [`ENTITY_FACTOR`] times its length. Genuine documents stay far below.
const ENTITY_SLACK: u64 = 8 << 20;
/// How many times its own length entities may add to a document.
const ENTITY_FACTOR: u64 = 2;
/// Attributes of one tag are compared each with each up to this number, and sorted beyond.
const FEW: usize = 8;

/// Reads XML.
#[derive(Debug, Default)]
pub struct XmlReader {
    framer: Framer,
    work: Work,
}

impl Reader for XmlReader {
    fn frame(&mut self, buf: &[u8], _base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.next(buf, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.work.clear();
        walk(msg, base, sink, budget, &mut self.work).map_err(|error| error.format_is("xml"))
    }
}

fn walk<'m>(msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget, work: &mut Work) -> Result<()> {
    let (charset, mark) = encoding::detect(msg, base)?;
    let (body, start) = (&msg[mark..], base + mark as u64);
    let end = base + msg.len() as u64;
    let as_it_stands = match charset {
        Charset::Utf8 => true,
        Charset::Latin1 | Charset::Ascii => body.is_ascii(),
        Charset::Other(encoding) => encoding.is_ascii_compatible() && body.is_ascii(),
    };
    if mark > 0 {
        sink.note(Note::Layout("\u{feff}"), Span::new(base, start))?;
    }
    if as_it_stands {
        let text = match simdutf8::basic::from_utf8(body) {
            Ok(text) => text,
            Err(_) => return Err(encoding::not_utf8(body, start)),
        };
        let place = |error: Error| move_by(error, start);
        let contents = chars::survey(text).map_err(|at| place(illegal(text, at)))?;
        let prolog = dtd::prolog(text).map_err(place)?;
        return if prolog.dtd.has_markup() {
            let source = Derived { decoded: None, base: start };
            Walker::new(text, contents, &prolog.dtd, source, sink, budget, work).document(&prolog)
        } else {
            Walker::new(text, contents, &prolog.dtd, Direct { base: start, dtd: PhantomData }, sink, budget, work).document(&prolog)
        };
    }
    let text = encoding::decode(body, charset, start)?;
    budget.decode(text.len() as u64, base)?;
    sink.note(Note::Coerced("decoded to UTF-8"), Span::new(base, end))?;
    let offsets = RefCell::new(Offsets::new(&text, charset, start, end));
    let place = |error: Error| {
        let at = error.offset().unwrap_or(0);
        error.at(offsets.borrow_mut().find(at as usize))
    };
    let contents = chars::survey(&text).map_err(|at| place(illegal(&text, at)))?;
    let prolog = dtd::prolog(&text).map_err(place)?;
    let source = Derived { decoded: Some(&offsets), base: start };
    Walker::new(&text, contents, &prolog.dtd, source, sink, budget, work).document(&prolog)
}

/// The error with its offset, which counted from the start of the text, counted from the start of the stream.
fn move_by(error: Error, base: u64) -> Error {
    let at = error.offset().unwrap_or(0);
    error.at(base + at)
}

fn illegal(text: &str, at: usize) -> Error {
    let code = text[at..].chars().next().map_or(0, u32::from);
    Error::data(ErrorKind::Syntax, at as u64)
        .seen(format!("the character U+{code:04X}"))
        .expected("characters that XML 1.0 allows")
        .hint("XML has no way to write this character; send such text as base64")
}

/// Where the text of a walk comes from: what text events may borrow from, and what offsets mean.
trait Source<'m, 't, 'd> {
    /// Text for the sink.
    fn lend(text: &'t str) -> Str<'m, 't, str>;
    /// Offset in the stream of `text[at..]`.
    fn offset(&self, at: usize) -> u64;
    /// An entity's text as text to read on in, where the source can do that.
    fn nest(text: &'d str) -> Option<&'t str>;
}

/// The message itself. Its entities, if it has any, have no markup in them.
struct Direct<'d> {
    base: u64,
    dtd: PhantomData<&'d str>,
}

impl<'m, 'd> Source<'m, 'm, 'd> for Direct<'d> {
    #[inline(always)]
    fn lend(text: &'m str) -> Str<'m, 'm, str> {
        Str::Input(text)
    }

    #[inline(always)]
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    fn nest(_: &'d str) -> Option<&'m str> {
        None
    }
}

/// Text that lives no longer than the walk: decoded, or with the texts of entities in between.
struct Derived<'t> {
    decoded: Option<&'t RefCell<Offsets<'t>>>,
    base: u64,
}

impl<'m, 't> Source<'m, 't, 't> for Derived<'t> {
    fn lend(text: &'t str) -> Str<'m, 't, str> {
        Str::Scratch(text)
    }

    fn offset(&self, at: usize) -> u64 {
        match self.decoded {
            Some(offsets) => offsets.borrow_mut().find(at),
            None => self.base + at as u64,
        }
    }

    fn nest(text: &'t str) -> Option<&'t str> {
        Some(text)
    }
}

/// Why a walk ended early.
enum Halt {
    /// The sink wants no more.
    Stop,
    /// Something is wrong.
    Error(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Error(error)
    }
}

type Walk<T> = std::result::Result<T, Halt>;

/// Memory that the walks of one reader share. What refers to a text does so by ranges.
#[derive(Debug, Default)]
struct Work {
    levels: Vec<Level>,
    attributes: Vec<Attribute>,
    order: Vec<u32>,
    /// Text that the message doesn't have in one piece.
    made: String,
    /// A field's name, likewise.
    key: String,
    bytes: Vec<u8>,
}

impl Work {
    fn clear(&mut self) {
        self.levels.clear();
        self.attributes.clear();
    }
}

/// An element that has started.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Range of its name in the text that it started in.
    name: (usize, usize),
    /// Number of entities around that text.
    nesting: usize,
    kind: Kind,
    /// Whether it has shown text other than layout.
    had_text: bool,
    /// Whether `xml:space="preserve"` is in force (section 2.10).
    preserve: bool,
    /// Namespaces declared before its start tag.
    scope: usize,
    /// Values in it so far, of those kinds that count.
    count: u32,
}

/// What the content of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
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

/// An attribute of the start tag at hand.
#[derive(Debug, Clone, Copy)]
struct Attribute {
    name: (usize, usize),
    /// Quotes left out.
    value: (usize, usize),
    /// Whether the name has a prefix.
    prefixed: bool,
    /// Whether the value is just what is written.
    plain: bool,
    /// Whether it comes from the document type.
    preset: bool,
}

/// A start tag.
#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    name: (usize, usize),
    /// Offset after its `>`.
    after: usize,
    /// Whether it is the end tag too.
    empty: bool,
    /// Namespaces declared before it.
    scope: usize,
}

/// Text up to the next markup.
#[derive(Debug, Clone, Copy)]
struct Run {
    text: RunText,
    /// Whether all of it is white space that is written as such.
    blank: bool,
    /// Where it lies in the stream.
    at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunText {
    /// A range of the text that is being read.
    Plain(usize, usize),
    /// In [`Work::made`].
    Made,
}

/// A text that is left while an entity's is read.
#[derive(Debug, Clone, Copy)]
struct Outer<'t> {
    text: &'t str,
    /// Where the reference to the entity stands.
    at: usize,
    /// Where it ends.
    pos: usize,
    entity: u32,
    /// Number of elements open when the entity was entered.
    levels: usize,
}

/// Namespaces declared in the elements around.
#[derive(Debug, Default)]
struct Scope<'t> {
    declared: Vec<Declared<'t>>,
    latest: HashMap<&'t str, usize, RandomState>,
}

#[derive(Debug)]
struct Declared<'t> {
    prefix: &'t str,
    uri: Cow<'t, str>,
    /// Index of the declaration that this one hides.
    hidden: Option<usize>,
}

impl<'t> Scope<'t> {
    fn declare(&mut self, prefix: &'t str, uri: Cow<'t, str>) {
        let hidden = self.latest.insert(prefix, self.declared.len());
        self.declared.push(Declared { prefix, uri, hidden });
    }

    fn uri(&self, prefix: &str) -> Option<&str> {
        match self.latest.get(prefix) {
            Some(&at) => Some(&self.declared[at].uri),
            None if prefix == "xml" => Some(XML_SPACE),
            None => None,
        }
    }

    fn leave(&mut self, scope: usize) {
        while self.declared.len() > scope {
            if let Some(Declared { prefix, hidden, .. }) = self.declared.pop() {
                match hidden {
                    Some(at) => self.latest.insert(prefix, at),
                    None => self.latest.remove(prefix),
                };
            }
        }
    }
}

struct Walker<'w, 'm, 't, 'd, S> {
    text: &'t str,
    pos: usize,
    contents: Contents,
    source: S,
    dtd: &'d Dtd<'t>,
    outer: Vec<Outer<'t>>,
    /// Of each entity, whether its text is being read.
    active: Vec<bool>,
    /// What entities may still add.
    allowance: u64,
    scope: Scope<'t>,
    /// The prefix of the marks, in the values profile.
    marks: Option<&'t str>,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    work: &'w mut Work,
}

impl<'w, 'm, 't, 'd, S: Source<'m, 't, 'd>> Walker<'w, 'm, 't, 'd, S>
where
    'm: 't,
{
    fn new(
        text: &'t str,
        contents: Contents,
        dtd: &'d Dtd<'t>,
        source: S,
        sink: &'w mut dyn Sink<'m>,
        budget: &'w mut Budget,
        work: &'w mut Work,
    ) -> Self {
        Walker {
            text,
            pos: 0,
            contents,
            source,
            dtd,
            outer: Vec::new(),
            active: vec![false; dtd.entities.len()],
            allowance: ENTITY_SLACK + ENTITY_FACTOR * text.len() as u64,
            scope: Scope::default(),
            marks: None,
            sink,
            budget,
            work,
        }
    }

    fn document(mut self, prolog: &Prolog<'t>) -> Result<()> {
        match self.pieces(prolog) {
            Ok(()) | Err(Halt::Stop) => Ok(()),
            Err(Halt::Error(error)) => Err(error),
        }
    }

    fn pieces(&mut self, prolog: &Prolog<'t>) -> Walk<()> {
        for piece in &prolog.pieces {
            self.piece(*piece)?;
        }
        self.pos = prolog.root;
        self.root()?;
        loop {
            match dtd::misc(self.text, self.pos).map_err(|error| self.place(error))? {
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

    fn root(&mut self) -> Walk<()> {
        let bracket = self.peek(self.pos) == b'<';
        if !bracket || !may_start_name(self.peek(self.pos + 1)) {
            return Err(self.wrong(self.pos + usize::from(bracket), "the root element"));
        }
        let tag = self.tag()?;
        self.marks = self.values_prefix();
        if self.marks.is_none() {
            return self.in_record(tag, Self::plain);
        }
        if self.marks_of(tag)?.root.is_none() {
            return self.in_record(tag, Self::marked);
        }
        self.marked(tag)?;
        self.content()
    }

    /// The root element as the one field of the record that the message is.
    fn in_record(&mut self, tag: Tag, element: fn(&mut Self, Tag) -> Walk<()>) -> Walk<()> {
        let start = self.offset(tag.start);
        // The record itself has no bytes; the root's start tag is what says that the message begins.
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

    // Places and errors.

    #[inline(always)]
    fn peek(&self, at: usize) -> u8 {
        // U+0000 stands in no XML text, so it can stand for the end.
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn offset(&self, at: usize) -> u64 {
        if self.outer.is_empty() { self.source.offset(at) } else { self.reference_offset() }
    }

    /// While an entity's text is read, all is where the reference stands.
    #[cold]
    fn reference_offset(&self) -> u64 {
        self.outer.first().map_or(0, |outer| self.source.offset(outer.at))
    }

    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset(start), self.offset(end))
    }

    /// The error with its offset, which counts from the start of the text, counted in the stream.
    #[cold]
    fn place(&self, error: Error) -> Error {
        let at = error.offset().unwrap_or(0);
        error.at(self.offset(at as usize))
    }

    #[cold]
    fn wrong(&self, at: usize, expected: impl Into<Cow<'static, str>>) -> Halt {
        Halt::Error(self.place(markup::syntax(self.text, at, expected)))
    }

    // Events.

    #[inline(always)]
    fn item(&mut self, at: Span) -> Walk<()> {
        Ok(self.budget.item(at.start)?)
    }

    /// A field of the text's range `name`. False if its value is to be skipped.
    #[inline(always)]
    fn field(&mut self, name: (usize, usize)) -> Walk<bool> {
        let at = self.span(name.0, name.1);
        self.item(at)?;
        entered(self.sink.field(Field::named(S::lend(&self.text[name.0..name.1])), at)?)
    }

    /// A field whose name is in [`Work::key`].
    fn made_field(&mut self, at: Span) -> Walk<bool> {
        self.item(at)?;
        entered(self.sink.field(Field::named(Str::Scratch(&self.work.key)), at)?)
    }

    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Walk<()> {
        self.budget.item(at.start)?;
        self.sink.scalar(value, at)?;
        Ok(())
    }

    fn text_of(&mut self, run: &Run, at: Span) -> Walk<()> {
        self.item(at)?;
        let text = match run.text {
            RunText::Plain(start, end) => S::lend(&self.text[start..end]),
            RunText::Made => Str::Scratch(&*self.work.made),
        };
        self.sink.scalar(Scalar::Text(text), at)?;
        Ok(())
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Walk<bool> {
        self.item(at)?;
        entered(self.sink.open(open, at)?)
    }

    fn piece(&mut self, piece: Piece) -> Walk<()> {
        let at = self.span(piece.start, piece.end);
        let text = &self.text[piece.start..piece.end];
        match piece.kind {
            PieceKind::Layout => self.sink.note(Note::Layout(text), at)?,
            PieceKind::Directive => self.sink.note(Note::Directive(text), at)?,
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

    // Tags.

    /// Reads the start tag at `pos`, its attributes into [`Work::attributes`].
    #[inline(always)]
    fn tag(&mut self) -> Walk<Tag> {
        let start = self.pos;
        let name = match scan_name(self.text, start + 1) {
            Ok(name) => name,
            Err(at) => return Err(self.wrong(at, "the name of an element after `<`; a plain `<` is written `&lt;`")),
        };
        let scope = self.scope.declared.len();
        self.work.attributes.clear();
        let (after, empty) = match (self.peek(name.end), self.peek(name.end + 1)) {
            (b'>', _) => (name.end + 1, false),
            (b'/', b'>') => (name.end + 2, true),
            _ => self.attributes(name.end)?,
        };
        let tag = Tag { start, name: (start + 1, name.end), after, empty, scope };
        if self.dtd.has_attributes() {
            self.presets(tag)?;
        }
        if !self.work.attributes.is_empty() {
            self.check_attributes()?;
        }
        if name.colon {
            self.check_prefix(tag.name)?;
        }
        Ok(tag)
    }

    /// Reads attributes from `at`, the end of the element's name; the end of the tag, and whether it is an empty element's.
    fn attributes(&mut self, mut at: usize) -> Walk<(usize, bool)> {
        let text = self.text;
        let bytes = text.as_bytes();
        loop {
            let space = at;
            at = skip_space(bytes, at);
            match self.peek(at) {
                b'>' => return Ok((at + 1, false)),
                b'/' if self.peek(at + 1) == b'>' => return Ok((at + 2, true)),
                b'/' => return Err(self.wrong(at + 1, "`>` after `/`")),
                _ if at == space => return Err(self.wrong(at, "white space, `/>` or `>`")),
                _ => {}
            }
            let name = match scan_name(text, at) {
                Ok(name) => name,
                Err(wrong) => return Err(self.wrong(wrong, "the name of an attribute, `/>` or `>`")),
            };
            let mut open = name.end;
            if self.peek(open) != b'=' {
                open = skip_space(bytes, open);
                if self.peek(open) != b'=' {
                    return Err(self.wrong(open, "`=` after the name of an attribute"));
                }
            }
            open += 1;
            let mut quote = self.peek(open);
            if is_space(quote) {
                open = skip_space(bytes, open);
                quote = self.peek(open);
            }
            if quote != b'"' && quote != b'\'' {
                return Err(self.wrong(open, "the value of an attribute, in quotes"));
            }
            let start = open + 1;
            let mut end = start;
            let mut plain = true;
            loop {
                match self.peek(end) {
                    byte if byte == quote => break,
                    b'&' | b'\t' | b'\n' | b'\r' => plain = false,
                    b'<' => return Err(self.wrong(end, "no `<` in the value of an attribute; write `&lt;`")),
                    0 => return Err(self.wrong(end, "the closing quote of an attribute's value")),
                    _ => {}
                }
                end += 1;
            }
            self.work.attributes.push(Attribute { name: (at, name.end), value: (start, end), prefixed: name.colon, plain, preset: false });
            at = end + 1;
        }
    }

    /// Adds the attributes that the document type gives to an element without their being written.
    fn presets(&mut self, tag: Tag) -> Walk<()> {
        let element = &self.text[tag.name.0..tag.name.1];
        let dtd = self.dtd;
        let presets = dtd.defaults(element);
        if presets.is_empty() {
            return Ok(());
        }
        let text = self.text;
        let written: std::collections::HashSet<&str, RandomState> =
            self.work.attributes.iter().map(|attribute| &text[attribute.name.0..attribute.name.1]).collect();
        for preset in presets {
            if written.contains(preset.name) {
                continue;
            }
            self.spend(1 + preset.name.len() + preset.value.1 - preset.value.0, tag.start)?;
            // Within an entity the declaration's text isn't the one that is being read, and ranges mean nothing.
            let Some(name) = polywire_core::bytes::offset_in(self.text.as_bytes(), preset.name.as_bytes()) else {
                return Err(Error::data(ErrorKind::Unsupported, self.offset(tag.start))
                    .seen("an element with default attributes within an entity")
                    .expected("default attributes only on elements outside of entities")
                    .hint("write the attributes out, or the entity's text in its place")
                    .into());
            };
            self.work.attributes.push(Attribute {
                name: (name, name + preset.name.len()),
                value: preset.value,
                prefixed: preset.name.contains(':'),
                plain: false,
                preset: true,
            });
        }
        Ok(())
    }

    /// Checks the attributes of a tag against each other, and declares and checks their namespaces.
    fn check_attributes(&mut self) -> Walk<()> {
        let text = self.text;
        let count = self.work.attributes.len();
        if count > 1 {
            self.check_doubles()?;
        }
        let mut prefixed = 0;
        for n in 0..count {
            let attribute = self.work.attributes[n];
            let name = &text[attribute.name.0..attribute.name.1];
            if !name.starts_with("xmlns") {
                prefixed += usize::from(attribute.prefixed);
                continue;
            }
            if name == "xmlns" {
                let uri = self.attribute_text(attribute)?;
                if matches!(&*uri, XML_SPACE | XMLNS_SPACE) {
                    return Err(self.namespace(attribute.name.0, "a default namespace that is reserved"));
                }
            } else if let Some(prefix) = name.strip_prefix("xmlns:") {
                let uri = self.attribute_text(attribute)?;
                let local = chars::split(name).is_some();
                if !local || prefix == "xmlns" || uri.is_empty() || *uri == *XMLNS_SPACE || (prefix == "xml") != (*uri == *XML_SPACE) {
                    return Err(self.namespace(attribute.name.0, "a namespace declaration that isn't allowed"));
                }
                self.scope.declare(prefix, uri);
            } else {
                prefixed += usize::from(attribute.prefixed);
            }
        }
        if prefixed > 0 {
            for n in 0..count {
                let Attribute { name, prefixed, .. } = self.work.attributes[n];
                if prefixed && !text[name.0..name.1].starts_with("xmlns:") {
                    self.check_prefix(name)?;
                }
            }
            if prefixed > 1 {
                self.check_expanded_doubles()?;
            }
        }
        Ok(())
    }

    /// An attribute's value, to keep.
    fn attribute_text(&mut self, attribute: Attribute) -> Walk<Cow<'t, str>> {
        Ok(match self.value(attribute)? {
            RunText::Plain(start, end) => Cow::Borrowed(&self.text[start..end]),
            RunText::Made => Cow::Owned(self.work.made.clone()),
        })
    }

    /// No two attributes of one name (section 3.1).
    fn check_doubles(&mut self) -> Walk<()> {
        let text = self.text;
        let attributes = &self.work.attributes;
        let name = |n: usize| &text.as_bytes()[attributes[n].name.0..attributes[n].name.1];
        let count = attributes.len();
        let double = if count <= FEW {
            (1..count).find(|&n| (0..n).any(|other| name(n) == name(other)))
        } else {
            let order = &mut self.work.order;
            order.clear();
            order.extend(0..count as u32);
            order.sort_unstable_by(|&a, &b| name(a as usize).cmp(name(b as usize)).then(a.cmp(&b)));
            order.windows(2).find(|pair| name(pair[0] as usize) == name(pair[1] as usize)).map(|pair| pair[1] as usize)
        };
        match double {
            None => Ok(()),
            Some(n) => {
                let at = attributes[n].name;
                Err(Error::data(ErrorKind::DoubledKey, self.offset(at.0))
                    .seen(format!("a second attribute `{}`", &text[at.0..at.1]))
                    .expected("each attribute once in a tag")
                    .into())
            }
        }
    }

    /// No two attributes of one local name in one namespace (Namespaces in XML 1.0, section 6.3).
    fn check_expanded_doubles(&self) -> Walk<()> {
        let mut expanded: Vec<(&str, &str, usize)> = Vec::new();
        for attribute in &self.work.attributes {
            let name = &self.text[attribute.name.0..attribute.name.1];
            if let Some((prefix, local)) = chars::split(name).filter(|(prefix, _)| attribute.prefixed && *prefix != "xmlns") {
                expanded.push((local, self.scope.uri(prefix).unwrap_or(""), attribute.name.0));
            }
        }
        expanded.sort_unstable();
        match expanded.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            None => Ok(()),
            Some(pair) => Err(Error::data(ErrorKind::DoubledKey, self.offset(pair[1].2))
                .seen(format!("a second attribute `{}` of the namespace `{}`", pair[1].0, pair[1].1))
                .expected("each attribute once in a tag")
                .into()),
        }
    }

    /// Holds that a name is a QName and its prefix is declared.
    fn check_prefix(&self, name: (usize, usize)) -> Walk<()> {
        match chars::split(&self.text[name.0..name.1]) {
            None => Err(self.namespace(name.0, "a name with a misplaced colon")),
            Some((prefix, _)) if self.scope.uri(prefix).is_some() => Ok(()),
            Some((prefix, _)) => {
                let seen = format!("the prefix `{prefix}`, which is not declared");
                Err(Error::data(ErrorKind::Syntax, self.offset(name.0))
                    .seen(seen)
                    .expected(format!("`xmlns:{prefix}` in this tag or around it"))
                    .into())
            }
        }
    }

    #[cold]
    fn namespace(&self, at: usize, seen: &'static str) -> Halt {
        Error::data(ErrorKind::Syntax, self.offset(at)).seen(seen).expected("names by Namespaces in XML 1.0").into()
    }

    /// An attribute's value, normalised (section 3.3.3).
    fn value(&mut self, attribute: Attribute) -> Walk<RunText> {
        let (start, end) = attribute.value;
        let tokens = self.dtd.has_attributes() && self.has_tokens(attribute);
        if attribute.plain && !tokens {
            return Ok(RunText::Plain(start, end));
        }
        self.work.made.clear();
        let mut at = start;
        while at < end {
            let rest = &self.text.as_bytes()[at..end];
            let next = rest.iter().position(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r'));
            let stop = next.map_or(end, |n| at + n);
            self.work.made.push_str(&self.text[at..stop]);
            at = stop;
            match next.map(|n| rest[n]) {
                None => {}
                Some(b'&') => {
                    let (reference, after) = markup::reference(&self.text[..end], at).map_err(|error| self.place(error))?;
                    match reference {
                        Reference::Char(c) => self.work.made.push(c),
                        Reference::Entity(name) => self.expand(name, at, true)?,
                    }
                    at = after;
                }
                Some(byte) => {
                    self.work.made.push(' ');
                    at += if byte == b'\r' && self.peek(at + 1) == b'\n' { 2 } else { 1 };
                }
            }
        }
        if tokens {
            let made = &mut self.work.made;
            let tokens = made.split(' ').filter(|token| !token.is_empty()).collect::<Vec<_>>().join(" ");
            *made = tokens;
        }
        Ok(RunText::Made)
    }

    fn has_tokens(&self, attribute: Attribute) -> bool {
        // The attributes at hand belong to the start tag at `pos`.
        let element = scan_name(self.text, self.pos + 1).map_or("", |name| &self.text[self.pos + 1..name.end]);
        self.dtd.is_tokens(element, &self.text[attribute.name.0..attribute.name.1])
    }

    // Entities.

    /// Counts what entities add, so that a short document can't become a huge one.
    fn spend(&mut self, bytes: usize, at: usize) -> Walk<()> {
        let at = self.offset(at);
        match self.allowance.checked_sub(bytes as u64) {
            Some(left) => self.allowance = left,
            None => {
                return Err(Error::data(ErrorKind::Limit, at)
                    .seen("entities that expand to many times the document")
                    .expected(format!("at most {ENTITY_FACTOR} times its length and {} MiB", ENTITY_SLACK >> 20))
                    .hint("documents that expand so far are made to exhaust memory; expand the entities before, if this one is genuine")
                    .into());
            }
        }
        Ok(self.budget.decode(bytes as u64, at)?)
    }

    /// The number of the entity that is referred to at `at`, if its text is at hand.
    fn entity(&self, name: &str, at: usize) -> Walk<(u32, &'d str)> {
        let dtd = self.dtd;
        let error = |seen: String| Error::data(ErrorKind::Syntax, self.offset(at)).seen(seen);
        let Some(id) = dtd.entity(name) else {
            let error = error(format!("a reference to the entity `{name}`"));
            return Err(if dtd.is_partial {
                error
                    .expected("entities that the document itself declares")
                    .hint("nothing outside of the document is fetched, its document type neither")
                    .into()
            } else {
                error.expected("an entity that is declared").hint("a plain `&` is written `&amp;`").into()
            });
        };
        match &dtd.entities[id as usize] {
            Replacement::External => Err(Error::data(ErrorKind::Unsupported, self.offset(at))
                .seen(format!("a reference to the external entity `{name}`"))
                .expected("entities that the document itself declares")
                .hint("external entities are never fetched")
                .into()),
            Replacement::Text(_) if self.active[id as usize] => {
                Err(error(format!("a reference to the entity `{name}` within itself")).expected("no such circle").into())
            }
            Replacement::Text(text) => Ok((id, text)),
        }
    }

    /// Appends the text of an entity, and of those it refers to, to [`Work::made`]; in the value of an `attribute`, or in text.
    fn expand(&mut self, name: &str, at: usize, attribute: bool) -> Walk<()> {
        let (id, text) = self.entity(name, at)?;
        let mut stack = vec![(id, text, 0)];
        self.active[id as usize] = true;
        self.spend(1 + text.len(), at)?;
        while let Some((id, text, pos)) = stack.pop() {
            let rest = &text[pos..];
            let special = |byte: u8| byte == b'&' || byte == b'<' || attribute && is_space(byte);
            let next = rest.bytes().position(special);
            self.work.made.push_str(&rest[..next.unwrap_or(rest.len())]);
            let Some(next) = next else {
                self.active[id as usize] = false;
                continue;
            };
            let pos = pos + next;
            let mut after = pos + 1;
            let mut inner = None;
            match text.as_bytes()[pos] {
                b'&' => {
                    let (reference, end) = markup::reference(text, pos).map_err(|error| error.at(self.offset(at)))?;
                    after = end;
                    match reference {
                        Reference::Char(c) => self.work.made.push(c),
                        Reference::Entity(name) => inner = Some(self.entity(name, at)?),
                    }
                }
                b'<' => {
                    return Err(Error::data(ErrorKind::Syntax, self.offset(at))
                        .seen("an entity with `<` in its text")
                        .expected("no `<` in the value of an attribute")
                        .into());
                }
                _ => self.work.made.push(' '),
            }
            stack.push((id, text, after));
            if let Some((id, text)) = inner {
                self.spend(1 + text.len(), at)?;
                self.active[id as usize] = true;
                stack.push((id, text, 0));
            }
        }
        Ok(())
    }

    /// Goes on reading in the text of an entity, which may have markup.
    fn enter_entity(&mut self, name: &str, at: usize, after: usize) -> Walk<()> {
        let (entity, text) = self.entity(name, at)?;
        let Some(text) = S::nest(text) else {
            self.expand(name, at, false)?;
            self.pos = after;
            return Ok(());
        };
        self.spend(1 + text.len(), at)?;
        self.active[entity as usize] = true;
        self.outer.push(Outer { text: self.text, at, pos: after, entity, levels: self.work.levels.len() });
        self.text = text;
        self.pos = 0;
        Ok(())
    }

    /// At the end of an entity's text goes back to the text around it; false at the end of the document.
    fn leave_entity(&mut self) -> Walk<bool> {
        let at = self.offset(self.pos);
        let Some(outer) = self.outer.pop() else { return Ok(false) };
        if outer.levels != self.work.levels.len() {
            return Err(Error::data(ErrorKind::Syntax, at)
                .seen("the end of an entity's text")
                .expected("the end tag of an element that starts in it")
                .into());
        }
        self.active[outer.entity as usize] = false;
        (self.text, self.pos) = (outer.text, outer.pos);
        Ok(true)
    }

    // Content.

    /// Text up to the next tag, comment or instruction: character data, references and CDATA sections are one.
    #[inline]
    fn run(&mut self) -> Walk<Run> {
        let start = self.pos;
        let bytes = self.text.as_bytes();
        let end = match memchr2(b'<', b'&', &bytes[start..]) {
            Some(n) if bytes[start + n] == b'<' && self.peek(start + n + 1) != b'!' => start + n,
            _ => return self.slow_run(),
        };
        if self.contents != Contents::default() || !self.outer.is_empty() {
            return self.slow_run();
        }
        self.pos = end;
        let text = &self.text[start..end];
        let blank = chars::is_blank(text);
        Ok(Run { text: RunText::Plain(start, end), blank, at: self.span(start, end) })
    }

    fn slow_run(&mut self) -> Walk<Run> {
        let first = self.pos;
        let from = self.offset(first);
        let mut blank = true;
        self.work.made.clear();
        loop {
            let bytes = self.text.as_bytes();
            let start = self.pos;
            let end = memchr2(b'<', b'&', &bytes[start..]).map_or(bytes.len(), |n| start + n);
            if end > start {
                let text = &self.text[start..end];
                if self.contents.section_end && self.outer.is_empty() {
                    if let Some(n) = memmem::find(text.as_bytes(), b"]]>") {
                        return Err(Error::data(ErrorKind::Syntax, self.offset(start + n))
                            .seen("`]]>` in text")
                            .expected("`]]&gt;`")
                            .into());
                    }
                }
                blank = blank && chars::is_blank(text);
                self.pos = end;
                let more =
                    self.peek(end) == b'&' || bytes[end..].starts_with(b"<![CDATA[") || (end == bytes.len() && !self.outer.is_empty());
                if !more
                    && start == first
                    && self.outer.is_empty()
                    && !(self.contents.returns && text.contains('\r'))
                    && self.work.made.is_empty()
                {
                    return Ok(Run { text: RunText::Plain(start, end), blank, at: self.span(start, end) });
                }
                if self.outer.is_empty() {
                    markup::push_normalised(&mut self.work.made, text);
                } else {
                    // What an entity's text has of carriage returns was written as references.
                    self.work.made.push_str(text);
                }
            }
            if end == bytes.len() {
                if self.leave_entity()? {
                    continue;
                }
                break;
            }
            if bytes[end] == b'&' {
                let (reference, after) = markup::reference(self.text, end).map_err(|error| self.place(error))?;
                match reference {
                    Reference::Char(c) => {
                        self.work.made.push(c);
                        self.pos = after;
                        blank = false;
                    }
                    Reference::Entity(name) => self.enter_entity(name, end, after)?,
                }
            } else if bytes[end..].starts_with(b"<![CDATA[") {
                let inner = end + "<![CDATA[".len();
                let Some(n) = memmem::find(&bytes[inner..], b"]]>") else {
                    return Err(self.wrong(self.text.len(), "`]]>`, the end of a CDATA section"));
                };
                markup::push_normalised(&mut self.work.made, &self.text[inner..inner + n]);
                self.pos = inner + n + 3;
                blank = false;
            } else {
                break;
            }
        }
        let to = self.offset(self.pos);
        let text = if self.work.made.is_empty() { RunText::Plain(self.pos, self.pos) } else { RunText::Made };
        Ok(Run { text, blank, at: Span::new(from, to.max(from)) })
    }

    /// A record's text: layout, or a `#text` field.
    fn text_field(&mut self, run: &Run) -> Walk<()> {
        if matches!(run.text, RunText::Plain(start, end) if start == end) {
            return Ok(());
        }
        let Some(level) = self.work.levels.last_mut() else { return Ok(()) };
        if run.blank {
            let text = match run.text {
                RunText::Plain(start, end) => &self.text[start..end],
                RunText::Made => &self.work.made,
            };
            if matches!(level.kind, Kind::Sequence | Kind::Tagged | Kind::Pair)
                || (!level.had_text && !level.preserve && text.contains('\n'))
            {
                self.sink.note(Note::Layout(text), run.at)?;
                return Ok(());
            }
        }
        if !matches!(level.kind, Kind::Record | Kind::Map) {
            return Err(Error::data(ErrorKind::Syntax, run.at.start)
                .seen("text")
                .expected("an element for each value of a list, tuple, pair, variant or tagged value")
                .into());
        }
        level.had_text = true;
        self.item(run.at)?;
        if entered(self.sink.field(Field::named(Str::Scratch("#text")), run.at)?)? {
            self.text_of(run, run.at)?;
        }
        Ok(())
    }

    /// Reads the content of the elements that are open, down to the end of all.
    fn content(&mut self) -> Walk<()> {
        while !self.work.levels.is_empty() {
            if self.peek(self.pos) == b'<' {
                match self.peek(self.pos + 1) {
                    b'/' => {
                        self.end_tag()?;
                        continue;
                    }
                    b'!' if self.text.as_bytes()[self.pos..].starts_with(b"<![CDATA[") => {}
                    b'!' | b'?' => {
                        match dtd::misc(self.text, self.pos).map_err(|error| self.place(error))? {
                            Some(piece) => {
                                self.piece(piece)?;
                                self.pos = piece.end;
                            }
                            None => return Err(self.wrong(self.pos + 1, "a comment, a CDATA section or an element")),
                        }
                        continue;
                    }
                    _ => {
                        let tag = self.tag()?;
                        if self.marks.is_some() {
                            self.marked(tag)?
                        } else {
                            self.plain(tag)?
                        }
                        continue;
                    }
                }
            }
            if self.pos == self.text.len() && self.outer.is_empty() {
                return Err(self.unfinished());
            }
            let run = self.run()?;
            self.text_field(&run)?;
        }
        Ok(())
    }

    #[cold]
    fn unfinished(&self) -> Halt {
        let name = self.work.levels.last().map_or("", |level| &self.text[level.name.0..level.name.1]);
        self.wrong(self.text.len(), format!("`</{name}>`"))
    }

    fn push(&mut self, tag: Tag, kind: Kind) -> Walk<()> {
        let preserve = self.work.levels.last().is_some_and(|level| level.preserve);
        self.work.levels.push(Level {
            name: tag.name,
            nesting: self.outer.len(),
            kind,
            had_text: false,
            preserve,
            scope: tag.scope,
            count: 0,
        });
        self.pos = tag.after;
        Ok(())
    }

    /// Reads the end tag at `pos` and leaves the element it ends; its kind, and where the tag starts.
    #[inline(always)]
    fn finish(&mut self) -> Walk<(Level, usize)> {
        let start = self.pos;
        let Some(level) = self.work.levels.pop() else { return Err(self.wrong(start, "no end tag")) };
        if level.nesting != self.outer.len() {
            return Err(self.mismatched(start, level));
        }
        let bytes = self.text.as_bytes();
        // Ranges of names count in the text that the element started in.
        let name = &bytes[level.name.0..level.name.1];
        let mut at = start + 2 + name.len();
        if bytes.get(start + 2..at) != Some(name) {
            return Err(self.mismatched(start, level));
        }
        if self.peek(at) != b'>' {
            at = skip_space(bytes, at);
            if self.peek(at) != b'>' {
                return Err(self.mismatched(start, level));
            }
        }
        self.pos = at + 1;
        if level.scope != self.scope.declared.len() {
            self.scope.leave(level.scope);
        }
        Ok((level, start))
    }

    #[cold]
    fn mismatched(&self, start: usize, level: Level) -> Halt {
        if level.nesting != self.outer.len() {
            return Error::data(ErrorKind::Syntax, self.offset(start))
                .seen("an end tag in the text of an entity")
                .expected("the end tags of the elements that start in it, and no others")
                .into();
        }
        let name = &self.text[level.name.0..level.name.1];
        match scan_name(self.text, start + 2) {
            Ok(seen) if &self.text[start + 2..seen.end] != name && seen.end < self.text.len() => {
                Error::data(ErrorKind::Syntax, self.offset(start))
                    .seen(format!("`</{}>`", &self.text[start + 2..seen.end]))
                    .expected(format!("`</{name}>`"))
                    .into()
            }
            Ok(seen) => self.wrong(skip_space(self.text.as_bytes(), seen.end), "`>`, the end of an end tag"),
            Err(at) => self.wrong(at, format!("`</{name}>`")),
        }
    }

    fn end_tag(&mut self) -> Walk<()> {
        let (level, start) = self.finish()?;
        match level.kind {
            Kind::Pair if level.count == 2 => return Ok(()),
            Kind::Tagged if level.count != 1 => return Err(self.count(start, "one value in a tagged value", level.count)),
            Kind::Pair => return Err(self.count(start, "a key and a value in a pair", level.count)),
            _ => {}
        }
        let at = self.span(start, self.pos);
        self.sink.close(at)?;
        self.budget.leave();
        Ok(())
    }

    #[cold]
    fn count(&self, at: usize, expected: &'static str, count: u32) -> Halt {
        Error::data(ErrorKind::Syntax, self.offset(at)).seen(format!("{count} values")).expected(expected).into()
    }

    /// An element in a document.
    #[inline(always)]
    fn plain(&mut self, tag: Tag) -> Walk<()> {
        if !self.field(tag.name)? {
            return self.skip(tag);
        }
        if self.work.attributes.is_empty() {
            if tag.empty {
                self.pos = tag.after;
                return self.scalar(Scalar::Text(S::lend("")), self.span(tag.start, tag.after));
            }
            if !self.short_leaf(tag)? {
                self.push(tag, Kind::Leaf)?;
                let at = self.span(tag.start, tag.after);
                let run = self.run()?;
                if self.peek(self.pos) == b'<' && self.peek(self.pos + 1) == b'/' {
                    self.finish()?;
                    let at = Span::new(at.start, self.offset(self.pos));
                    return self.text_of(&run, at);
                }
                return self.record_after(at, &run);
            }
            return Ok(());
        }
        let at = self.span(tag.start, tag.after);
        self.record(tag, Open::Record { name: "", len: Len::Unknown }, at, None)
    }

    /// The common case: an element of nothing but text that needs no second look. False if it isn't one.
    #[inline(always)]
    fn short_leaf(&mut self, tag: Tag) -> Walk<bool> {
        let bytes = self.text.as_bytes();
        let Some(n) = memchr2(b'<', b'&', &bytes[tag.after..]) else { return Ok(false) };
        let end = tag.after + n;
        let name = &bytes[tag.name.0..tag.name.1];
        let close = end + 2 + name.len();
        if bytes.get(end..end + 2) != Some(b"</") || bytes.get(end + 2..close) != Some(name) || self.peek(close) != b'>' {
            return Ok(false);
        }
        if self.contents != Contents::default() {
            let text = &bytes[tag.after..end];
            if (self.contents.returns && memchr(b'\r', text).is_some())
                || (self.contents.section_end && memmem::find(text, b"]]>").is_some())
            {
                return Ok(false);
            }
        }
        self.pos = close + 1;
        let at = self.span(tag.start, close + 1);
        self.scalar(Scalar::Text(S::lend(&self.text[tag.after..end])), at)?;
        Ok(true)
    }

    /// The element that was pushed last, now found to be more than text, as a record; `run` is the text that it starts with.
    fn record_after(&mut self, at: Span, run: &Run) -> Walk<()> {
        self.budget.enter(at.start)?;
        if !self.open(Open::Record { name: "", len: Len::Unknown }, at)? {
            self.skip_rest()?;
            self.budget.leave();
            return Ok(());
        }
        if let Some(level) = self.work.levels.last_mut() {
            level.kind = Kind::Record;
        }
        self.text_field(run)
    }

    /// An element as a record or map, its attributes as its first fields; marks of the `prefix` are none of them.
    fn record(&mut self, tag: Tag, open: Open<'_>, at: Span, prefix: Option<&'t str>) -> Walk<()> {
        self.budget.enter(at.start)?;
        if !self.open(open, at)? {
            self.skip(tag)?;
            self.budget.leave();
            return Ok(());
        }
        let mut preserve = None;
        for n in 0..self.work.attributes.len() {
            let attribute = self.work.attributes[n];
            let name = &self.text[attribute.name.0..attribute.name.1];
            if attribute.prefixed {
                if prefix.is_some_and(|prefix| values::is_mark(name, prefix)) {
                    continue;
                }
                if name == "xml:space" {
                    preserve = Some(&self.text[attribute.value.0..attribute.value.1] == "preserve");
                }
            }
            self.work.key.clear();
            self.work.key.push('@');
            self.work.key.push_str(name);
            let (name_at, value_at) = if attribute.preset {
                (Span::new(at.start, at.start), Span::new(at.start, at.start))
            } else {
                (self.span(attribute.name.0, attribute.name.1), self.span(attribute.value.0 - 1, attribute.value.1 + 1))
            };
            if self.made_field(name_at)? {
                let text = self.value(attribute)?;
                self.text_of(&Run { text, blank: false, at: value_at }, value_at)?;
            }
        }
        let kind = if matches!(open, Open::Map(_)) { Kind::Map } else { Kind::Record };
        self.push(tag, kind)?;
        if let (Some(level), Some(preserve)) = (self.work.levels.last_mut(), preserve) {
            level.preserve = preserve;
        }
        if tag.empty { self.close_empty(tag) } else { Ok(()) }
    }

    /// The end of an element that has no end tag.
    fn close_empty(&mut self, tag: Tag) -> Walk<()> {
        let Some(level) = self.work.levels.pop() else { return Ok(()) };
        self.scope.leave(tag.scope);
        match level.kind {
            Kind::Tagged => return Err(self.count(tag.start, "one value in a tagged value", 0)),
            Kind::Pair => return Err(self.count(tag.start, "a key and a value in a pair", 0)),
            _ => {}
        }
        let at = self.span(tag.after - 2, tag.after);
        self.sink.close(at)?;
        self.budget.leave();
        Ok(())
    }

    // Skipping.

    /// Steps over an element whose start tag was read and not pushed.
    fn skip(&mut self, tag: Tag) -> Walk<()> {
        self.pos = tag.after;
        if tag.empty {
            self.scope.leave(tag.scope);
            return Ok(());
        }
        self.push(tag, Kind::Leaf)?;
        self.skip_rest()
    }

    /// Steps over the rest of the element that was pushed last, and leaves it.
    fn skip_rest(&mut self) -> Walk<()> {
        let mut depth = 0u32;
        loop {
            let bytes = self.text.as_bytes();
            let Some(n) = memchr(b'<', &bytes[self.pos..]) else {
                self.pos = bytes.len();
                if self.leave_entity()? {
                    continue;
                }
                return Err(self.unfinished());
            };
            self.pos += n;
            let at = self.pos;
            match self.peek(at + 1) {
                b'/' if depth == 0 => {
                    self.finish()?;
                    return Ok(());
                }
                b'/' => match memchr(b'>', &bytes[at..]) {
                    Some(n) => {
                        depth -= 1;
                        self.budget.leave();
                        self.pos = at + n + 1;
                    }
                    None => return Err(self.wrong(bytes.len(), "`>`, the end of an end tag")),
                },
                b'!' if bytes[at..].starts_with(b"<![CDATA[") => match memmem::find(&bytes[at..], b"]]>") {
                    Some(n) => self.pos = at + n + 3,
                    None => return Err(self.wrong(bytes.len(), "`]]>`, the end of a CDATA section")),
                },
                b'!' | b'?' => match dtd::misc(self.text, at).map_err(|error| self.place(error))? {
                    Some(piece) => self.pos = piece.end,
                    None => return Err(self.wrong(at + 1, "a comment, a CDATA section or an element")),
                },
                _ => {
                    let mut end = at + 1;
                    loop {
                        match memchr::memchr3(b'>', b'"', b'\'', &bytes[end..]).map(|n| end + n) {
                            None => return Err(self.wrong(bytes.len(), "`>`, the end of a tag")),
                            Some(gt) if bytes[gt] == b'>' => {
                                end = gt;
                                break;
                            }
                            Some(quote) => match memchr(bytes[quote], &bytes[quote + 1..]) {
                                Some(n) => end = quote + n + 2,
                                None => return Err(self.wrong(bytes.len(), "the closing quote of an attribute's value")),
                            },
                        }
                    }
                    if bytes[end - 1] != b'/' {
                        depth += 1;
                        let offset = self.offset(at);
                        self.budget.enter(offset)?;
                    }
                    self.pos = end + 1;
                }
            }
        }
    }
}

#[inline(always)]
fn entered(next: Next) -> Walk<bool> {
    match next {
        Next::Enter => Ok(true),
        Next::Skip => Ok(false),
        Next::Stop => Err(Halt::Stop),
    }
}
