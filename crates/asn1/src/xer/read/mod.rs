//! Messages to events (X.693 8).

mod canonical;
mod keys;
mod lists;
mod structures;
mod values;

use std::sync::Arc;

use polywire_core::{Budget, Error, ErrorKind, Frame as Found, Needs, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Str};

use super::markup::{Markup, Tag, TagKind, is_element, shortened};
use super::write::Canonical;
use super::{Framer, XerWriter, name_of, type_name};
use crate::model::TypeId;
use crate::walk::checks::{self, Checks, Outside};
use crate::walk::keys::Keys;
use crate::walk::{Op, Plan, meaning};

/// Reader of messages of one type, in XER.
#[derive(Debug)]
pub struct XerReader {
    plan: Arc<Plan>,
    checks: Checks,
    framer: Framer,
    scratch: Scratch,
    /// Writes a message again by the canonical rules, where these hold.
    canonical: Option<Box<XerWriter>>,
}

/// Memory of one walk.
#[derive(Debug, Default)]
struct Scratch {
    /// Components of the open structures that were seen.
    seen: Vec<bool>,
    keys: Keys,
    octets: Vec<u8>,
    characters: String,
    text: String,
}

impl XerReader {
    /// Returns a reader of a plan's root type.
    pub(crate) fn new(plan: Arc<Plan>, checks: Checks, rules: Option<Arc<Canonical>>) -> XerReader {
        let canonical = rules.map(|rules| Box::new(XerWriter::marking(Arc::clone(&plan), rules)));
        XerReader { plan, checks, framer: Framer::default(), scratch: Scratch::default(), canonical }
    }
}

impl Reader for XerReader {
    fn frame(&mut self, buf: &[u8], base: u64, eof: bool) -> Result<Found> {
        Ok(self.framer.frame(buf, base == 0, eof))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget) -> Result<()> {
        let Some(mut writer) = self.canonical.take() else { return self.read(msg, base, sink, budget, false) };
        let checked = self.check_canonical(msg, base, budget, &mut writer);
        self.canonical = Some(writer);
        checked?;
        self.read(msg, base, sink, budget, true)
    }

    fn has_unique_keys(&self) -> bool {
        true
    }

    fn groups_fields(&self) -> bool {
        true
    }
}

impl XerReader {
    fn read<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, budget: &mut Budget, canonical: bool) -> Result<()> {
        let name = name_of(canonical);
        let text = polywire_core::bytes::utf8(msg).ok_or_else(|| {
            let bad = std::str::from_utf8(msg).map_or_else(|error| error.valid_up_to(), |_| 0);
            let error = Error::data(ErrorKind::Encoding, base + bad as u64).seen(format!("byte 0x{:02x}", msg[bad]));
            error.expected("UTF-8 text (X.693 8.2)").format_is(name)
        })?;
        let scratch = &mut self.scratch;
        scratch.seen.clear();
        scratch.keys.clear();
        let guesses = sink.needs().has(Needs::GUESSES);
        let mut walk = Walk {
            plan: &self.plan,
            markup: Markup { verbatim: canonical, ..Markup::new(text, base) },
            sink,
            budget,
            frames: Vec::new(),
            seen: &mut scratch.seen,
            keys: &mut scratch.keys,
            octets: &mut scratch.octets,
            characters: &mut scratch.characters,
            text: &mut scratch.text,
            guesses,
            refuses: self.checks == Checks::Refuse,
            checked: guesses || self.checks == Checks::Refuse,
            stopped: false,
        };
        walk.run().map_err(|error| error.format_is(name))
    }
}

/// Element whose value is read. A value that is an element itself, in a list, has none around it.
#[derive(Debug, Clone, Copy)]
struct Around<'m> {
    /// Name, and empty without an element.
    name: &'m str,
    /// Offset of the start tag.
    start: usize,
    /// True if the start tag is the end too.
    empty: bool,
}

/// Place in a value that is under way.
#[derive(Debug, Clone, Copy)]
enum Frame<'m> {
    /// Elements of components.
    Structure {
        structure: u32,
        /// Index of its first component in `seen`.
        seen: usize,
        /// Component that comes next most likely.
        next: u32,
        around: Around<'m>,
    },
    /// Elements of a list.
    List { ty: TypeId, element: TypeId, count: u64, around: Around<'m> },
    /// Behind the element of an alternative.
    Variant(Around<'m>),
    /// Behind the element of a value in a string or open type.
    Typed(Around<'m>),
}

struct Walk<'w, 'm> {
    plan: &'w Plan,
    markup: Markup<'m>,
    sink: &'w mut dyn Sink<'m>,
    budget: &'w mut Budget,
    frames: Vec<Frame<'m>>,
    seen: &'w mut Vec<bool>,
    keys: &'w mut Keys,
    octets: &'w mut Vec<u8>,
    /// Characters of a value that are not in the message as they are.
    characters: &'w mut String,
    text: &'w mut String,
    /// The sink shows the meaning of values.
    guesses: bool,
    /// Values outside of constraints are errors.
    refuses: bool,
    /// Constraints are looked at.
    checked: bool,
    stopped: bool,
}

impl<'m> Walk<'_, 'm> {
    fn run(&mut self) -> Result<()> {
        let tag = self.markup.tag()?;
        let wanted = type_name(self.plan, self.plan.root());
        if tag.kind == TagKind::End || tag.name != wanted {
            return Err(self.markup.mismatch(tag, "").expected(format!("<{wanted}>, the element of the message's type")));
        }
        self.value(self.plan.root(), Around::of(tag))?;
        while !self.stopped
            && let Some(frame) = self.frames.pop()
        {
            match frame {
                Frame::Structure { structure, seen, next, around } => self.members(structure, seen, next, around)?,
                Frame::List { ty, element, count, around } => self.elements(ty, element, count, around)?,
                Frame::Variant(around) => {
                    let at = self.end(around)?;
                    self.budget.leave();
                    self.sink.close(at)?;
                }
                Frame::Typed(around) => {
                    self.end(around)?;
                    self.budget.leave();
                }
            }
        }
        if self.stopped || self.markup.ends()? {
            return Ok(());
        }
        Err(self.markup.wrong(self.markup.at, "the end of the message"))
    }

    fn offset(&self, at: usize) -> u64 {
        self.markup.base + at as u64
    }

    /// Returns the span from `start` up to the next byte.
    fn span(&self, start: usize) -> Span {
        Span::new(self.offset(start), self.offset(self.markup.at))
    }

    /// Reads the end tag of an element, if it has one, and returns its span.
    fn end(&mut self, around: Around<'m>) -> Result<Span> {
        if around.name.is_empty() || around.empty {
            return Ok(self.span(self.markup.at));
        }
        let tag = self.markup.tag()?;
        if tag.kind != TagKind::End || tag.name != around.name {
            return Err(self.markup.mismatch(tag, around.name));
        }
        Ok(self.span(tag.start))
    }

    /// Returns the start tag of the next element in an element, and leaves it to be read.
    fn next_in(&mut self, around: Around<'m>) -> Result<Option<Tag<'m>>> {
        if around.empty {
            return Ok(None);
        }
        Ok(Some(self.markup.peek()?).filter(|tag| tag.kind != TagKind::End))
    }

    /// Steps over an element whose start tag was read.
    fn skip(&mut self, around: Around<'m>) -> Result<()> {
        let kind = if around.empty { TagKind::Empty } else { TagKind::Start };
        let tag = Tag { kind, name: around.name, start: around.start };
        self.markup.skip(tag, self.budget.limits().depth)
    }

    /// Refuses a value outside of a constraint, or notes that it is.
    fn check(&mut self, outside: Option<Outside>, at: usize) -> Result<()> {
        let Some(Outside { seen, expected }) = outside else { return Ok(()) };
        if self.refuses {
            let error = Error::data(ErrorKind::Range, self.offset(at)).seen(seen).expected(expected);
            return Err(error.hint("the schema's constraint forbids it: the sender may have another version of the schema"));
        }
        self.sink.note(Note::Meaning(&format!("{seen} is outside of the module's {expected}")), Span::NONE)
    }

    /// Checks the octets at hand, those of X.690, and notes what they mean. `bits` is the number of
    /// bits of a bit string.
    fn judge(&mut self, ty: TypeId, bits: u64, span: Span, start: usize) -> Result<()> {
        if self.checked && self.plan.node(ty).constrained {
            let outside = checks::scalar(self.plan, ty, self.octets, bits);
            self.check(outside, start)?;
        }
        if self.guesses {
            meaning::note(self.plan, ty, self.octets, span, self.sink, self.text)?;
        }
        Ok(())
    }

    /// Reads the value in an element: emits it, or pushes a frame that does.
    fn value(&mut self, ty: TypeId, around: Around<'m>) -> Result<()> {
        let plan = self.plan;
        self.budget.item(self.offset(around.start))?;
        let node = plan.node(ty);
        if node.contents.is_some()
            && let Some(contents) = self.keys.contents(plan, node)
        {
            return self.typed(contents, around);
        }
        match node.op {
            Op::Structure(index) => self.structure(index, around),
            Op::List(element) => self.list(ty, element, around),
            Op::Choice(index) => self.choice(index, around),
            Op::Open => match self.keys.resolve(plan, node) {
                Some(found) => self.typed(found, around),
                None => self.unknown(around),
            },
            Op::Boolean => {
                let (name, span) = self.word(around, "<true/> or <false/>")?;
                let is = match name {
                    "true" => true,
                    "false" => false,
                    _ => return Err(self.misnamed(name, span).expected("<true/> or <false/>")),
                };
                self.sink.scalar(Scalar::Bool(is), span)?;
                self.end(around).map(drop)
            }
            Op::Null => {
                let span = self.span(self.markup.at);
                self.sink.scalar(Scalar::Null, span)?;
                self.end(around).map(drop)
            }
            Op::Enumerated(index) => self.enumerated(index, around),
            Op::Integer => self.integer(ty, around),
            Op::Real => self.real(around),
            Op::Bits(index) => self.bits(ty, index, around),
            Op::Octets => self.octet_string(ty, around),
            Op::Oid | Op::RelativeOid => self.oid(ty, around),
            Op::Iri | Op::Text(_) | Op::Time(_) => self.string(ty, around),
        }
    }

    /// Makes the error of an element's name.
    #[cold]
    fn misnamed(&self, name: &str, span: Span) -> Error {
        Error::data(ErrorKind::Syntax, span.start).seen(format!("<{}>", shortened(name)))
    }

    /// Reads an element without contents, which is a value.
    fn word(&mut self, around: Around<'m>, expected: &'static str) -> Result<(&'m str, Span)> {
        if around.empty {
            return Err(self.markup.error(around.start, format!("<{}/>", shortened(around.name))).expected(expected));
        }
        if !self.markup.is_tag()? {
            let mut at = self.markup;
            at.ends()?;
            return Err(self.markup.wrong(at.at, expected));
        }
        let tag = self.markup.tag()?;
        match tag.kind {
            TagKind::End => return Err(self.markup.mismatch(tag, "").expected(expected)),
            TagKind::Start => {
                self.end(Around::of(tag))?;
            }
            TagKind::Empty => {}
        }
        Ok((tag.name, self.span(tag.start)))
    }

    /// Reads the value in a string or open type: an element of its type's name.
    fn typed(&mut self, contents: TypeId, around: Around<'m>) -> Result<()> {
        if around.empty || !self.markup.is_tag()? {
            let error = self.markup.error(around.start, format!("<{}> without an element", shortened(around.name)));
            return Err(error.expected(format!("<{}>, the element of its value", type_name(self.plan, contents))));
        }
        let tag = self.markup.tag()?;
        let wanted = type_name(self.plan, contents);
        if tag.kind == TagKind::End || tag.name != wanted {
            return Err(self.markup.mismatch(tag, "").expected(format!("<{wanted}>, the element of the value's type")));
        }
        self.budget.enter(self.offset(tag.start))?;
        self.frames.push(Frame::Typed(around));
        self.value(contents, Around::of(tag))
    }

    /// Reads a value of an open type that no table knows: an element stays as it is, hexadecimal
    /// digits are the bytes of another encoding.
    fn unknown(&mut self, around: Around<'m>) -> Result<()> {
        if around.empty || !self.markup.is_tag()? || self.markup.peek()?.kind == TagKind::End {
            self.hexadecimal(around)?;
            let span = self.span(around.start);
            self.sink.scalar(Scalar::Bytes(Str::Scratch(self.octets)), span)?;
            return self.end(around).map(drop);
        }
        let tag = self.markup.tag()?;
        self.skip(Around::of(tag))?;
        let bytes = &self.markup.text.as_bytes()[tag.start..self.markup.at];
        debug_assert!(is_element(bytes), "an element was stepped over");
        let span = self.span(tag.start);
        self.sink.scalar(Scalar::Bytes(Str::Input(bytes)), span)?;
        self.end(around).map(drop)
    }

    /// Opens a container. Returns false if the sink does not want it: then the element around it
    /// was stepped over, or the walk is stopped.
    fn open(&mut self, open: Open<'_>, around: Around<'m>, span: Span) -> Result<bool> {
        match self.sink.open(open, span)? {
            Next::Enter => return Ok(true),
            Next::Skip => self.skip(around)?,
            Next::Stop => self.stopped = true,
        }
        Ok(false)
    }
}

impl<'m> Around<'m> {
    fn of(tag: Tag<'m>) -> Around<'m> {
        Around { name: tag.name, start: tag.start, empty: tag.kind == TagKind::Empty }
    }
}
