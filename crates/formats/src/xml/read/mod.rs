//! Reads documents.
//!
//! The document is checked once as a whole for UTF-8 and for characters that XML has no place for; what follows slices it
//! without looking again. Its markup is scanned by hand: see the [format's page](super) for why.
//!
//! Most documents are lists of like records. `paths` remembers what followed what, `leaves` reads what comes as expected in one loop, and all else goes the
//! general way, through `tag` and `content`. A sink that knows elements is told of the paths' numbers (`sink`), so that it finds out once what it does with each.

mod content;
mod entities;
mod leaves;
mod marked;
mod paths;
mod scope;
mod sink;
mod skip;
mod tag;
mod text;
mod walker;

use std::cell::RefCell;
use std::marker::PhantomData;

use polywire_core::{Budget, Error, ErrorKind, Frame, Note, Reader, Result, Sink, Span, Str};

use super::chars;
use super::encoding::{self, Charset, Offsets};
use super::frame::Framer;
use super::prolog;
use walker::{Walker, Work};

pub use paths::PathId;
pub use sink::{ElementSink, Fields};

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
        walk(msg, base, &mut Fields::of(sink), budget, &mut self.work, As::Found).map_err(|error| error.format_is("xml"))
    }
}

impl XmlReader {
    /// [`Reader::walk`] of a document that is well-formed by XML 1.0 alone, without namespaces and the values profile, for a sink whose type is known, which saves an indirect call per event; `utf8` says that
    /// it is UTF-8 whatever it says itself.
    pub(super) fn document<'m, K: ElementSink<'m>>(&mut self, msg: &'m [u8], utf8: bool, sink: &mut K, budget: &mut Budget) -> Result<()> {
        self.work.clear();
        walk(msg, 0, sink, budget, &mut self.work, As::Document { utf8 }).map_err(|error| error.format_is("xml"))
    }
}

/// What a message is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    /// What it says itself.
    Found,
    /// A document without namespaces and the values profile, and perhaps in UTF-8.
    Document { utf8: bool },
}

fn walk<'m, K: ElementSink<'m>>(msg: &'m [u8], base: u64, sink: &mut K, budget: &mut Budget, work: &mut Work, read_as: As) -> Result<()> {
    let (charset, mark) = match read_as {
        As::Document { utf8: true } => (Charset::Utf8, if msg.starts_with(encoding::UTF8_MARK) { encoding::UTF8_MARK.len() } else { 0 }),
        _ => encoding::detect(msg, base)?,
    };
    let profile = read_as == As::Found;
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
        let prolog = prolog::prolog(text).map_err(place)?;
        return if prolog.dtd.as_ref().is_some_and(|dtd| dtd.has_markup()) {
            let source = Derived { decoded: None, base: start };
            Walker::new(text, contents, prolog.dtd.as_deref(), source, sink, budget, work).profile(profile).document(&prolog)
        } else {
            Walker::new(text, contents, prolog.dtd.as_deref(), Direct { base: start, dtd: PhantomData }, sink, budget, work)
                .profile(profile)
                .document(&prolog)
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
    let prolog = prolog::prolog(&text).map_err(place)?;
    let source = Derived { decoded: Some(&offsets), base: start };
    Walker::new(&text, contents, prolog.dtd.as_deref(), source, sink, budget, work).profile(profile).document(&prolog)
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
    /// The range in the stream of `text[start..end]`.
    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset(start), self.offset(end))
    }
    /// Whether entities can be read on in: whether [`nest`](Source::nest) ever gives a text.
    const NESTS: bool;
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

    const NESTS: bool = false;

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

    const NESTS: bool = true;

    fn nest(text: &'t str) -> Option<&'t str> {
        Some(text)
    }
}
