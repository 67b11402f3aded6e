//! Reads documents.
//!
//! The document is checked once as a whole for UTF-8 and for characters that XML excludes; later
//! steps slice it without another check. The [format's page](super) explains why its markup is
//! scanned by hand.
//!
//! Most documents are lists of similar records, and most streams have similar documents. `paths`
//! remembers which path followed which, also from document to document; `leaves` reads the expected
//! elements in one loop, and the general path through `tag` and `content` reads the rest. A sink
//! that knows elements gets the paths' numbers (`sink`), so that it looks each path up once.

mod content;
mod entities;
mod leaves;
mod marked;
mod paths;
mod scope;
mod sink;
mod skip;
mod source;
mod tag;
mod text;
mod walker;

use std::cell::RefCell;

use polywire_core::{Budget, Error, ErrorKind, Frame, Note, Reader, Result, Sink, Span};

use super::chars;
use super::encoding::{self, Charset, Offsets};
use super::frame::Framer;
use super::prolog;
use source::{Derived, Direct};
use walker::{Walker, Work};

pub use paths::PathId;
use sink::Unknown;
pub use sink::{ElementSink, Fields};
#[cfg(feature = "exi")]
pub use source::Places;

/// Reads XML.
#[derive(Debug, Default)]
pub struct XmlReader {
    framer: Framer,
    work: Work,
}

impl Reader for XmlReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Frame> {
        Ok(self.framer.next(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.work.clear();
        walk(msg, base, &mut Fields::of(sink), budget, &mut self.work, As::Found).map_err(|error| error.format_is("xml"))
    }
}

impl XmlReader {
    /// Walks like [`Reader::walk`], for a document that is well-formed by XML 1.0 alone, without
    /// namespaces and the values profile. The sink's type is known, which saves an indirect call
    /// per event. If `utf8` is true, the document is UTF-8 whatever its declaration says.
    pub(super) fn document<'m, K: ElementSink<'m>>(&mut self, msg: &'m [u8], utf8: bool, sink: &mut K, budget: &mut Budget) -> Result<()> {
        self.work.clear();
        walk(msg, 0, sink, budget, &mut self.work, As::Document { utf8 }).map_err(|error| error.format_is("xml"))
    }
}

#[cfg(feature = "exi")]
impl XmlReader {
    /// Walks a document in UTF-8 that was made from a stream in another format. Spans and errors
    /// have the places of that stream.
    pub(crate) fn made<'m>(&mut self, xml: &[u8], places: &Places, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        self.work.clear();
        let text = std::str::from_utf8(xml).map_err(|_| Error::internal("a made document that is no UTF-8"))?;
        let place = |error: Error| {
            let at = error.offset().unwrap_or(0);
            error.at(places.find(at as usize))
        };
        let contents = chars::survey(text).map_err(|at| place(illegal(text, at)))?;
        let prolog = prolog::prolog(text).map_err(place)?;
        let mut fields = Fields::of(sink);
        let mut unknown = Unknown::of(&mut fields);
        let source = source::Placed(places);
        Walker::new(text, contents, prolog.dtd.as_deref(), source, &mut unknown, budget, &mut self.work).document(&prolog)
    }
}

/// The way in which a message is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    /// By its own declarations.
    Found,
    /// As a document without namespaces and the values profile; as UTF-8 if the flag is set.
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
    let detected = matches!(read_as, As::Found | As::Document { utf8: false });
    if as_it_stands {
        if detected && mark > 0 {
            encoding::check_declaration(body, charset).map_err(|(at, error)| error.at(start + at as u64))?;
        }
        let text = match simdutf8::basic::from_utf8(body) {
            Ok(text) => text,
            Err(_) => return Err(encoding::not_utf8(body, start)),
        };
        let place = |error: Error| move_by(error, start);
        let contents = chars::survey(text).map_err(|at| place(illegal(text, at)))?;
        let prolog = prolog::prolog(text).map_err(place)?;
        return if prolog.dtd.as_ref().is_some_and(|dtd| dtd.has_markup()) {
            let (source, mut sink) = (Derived::new(None, start), Unknown::of(sink));
            Walker::new(text, contents, prolog.dtd.as_deref(), source, &mut sink, budget, work).profile(profile).document(&prolog)
        } else {
            Walker::new(text, contents, prolog.dtd.as_deref(), Direct::new(start), sink, budget, work).profile(profile).document(&prolog)
        };
    }
    let text = encoding::decode(body, charset, start)?;
    if detected && !charset.shows_markup() && (mark > 0 || body.get(..2).is_some_and(|two| two.contains(&0))) {
        // Each character of a declaration has two bytes.
        encoding::check_declaration(text.as_bytes(), charset).map_err(|(at, error)| error.at(start + 2 * at as u64))?;
    }
    budget.decode(text.len() as u64, base)?;
    sink.note(Note::Coerced("decoded to UTF-8"), Span::new(base, end))?;
    let offsets = RefCell::new(Offsets::new(&text, charset, start, end));
    let place = |error: Error| {
        let at = error.offset().unwrap_or(0);
        error.at(offsets.borrow_mut().find(at as usize))
    };
    let contents = chars::survey(&text).map_err(|at| place(illegal(&text, at)))?;
    let prolog = prolog::prolog(&text).map_err(place)?;
    let (source, mut sink) = (Derived::new(Some(&offsets), start), Unknown::of(sink));
    Walker::new(&text, contents, prolog.dtd.as_deref(), source, &mut sink, budget, work).profile(profile).document(&prolog)
}

/// Moves an error's offset from the start of the text to the start of the stream.
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
