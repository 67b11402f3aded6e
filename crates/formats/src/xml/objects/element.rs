//! Conventions in which an element is an object of its attributes, children and text.

use bytes::Bytes;
use polywire_core::{Error, Field, Next, Note, Open, Result, Scalar, Span, Str};
use polywire_doc::{Builder, Declared, Member, NameId, Place, Read, Reading, Reads, Repeated, Shape, Skipped, Wanted};

use super::super::read::{ElementSink, PathId};
use crate::coerce::{self, Glance};

/// The way in which an element becomes an object.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// True if numbers and truth values are read as such.
    coerces: bool,
    /// True if the names of attributes start with an `@`, and namespaces have an object of their
    /// own.
    marks: bool,
    /// Name of the member that holds an element's text.
    text: &'static str,
    /// True if an element of nothing but text is that text.
    bare: bool,
}

impl Style {
    /// The mapping of ql.io, with text trimmed once per element, exact numbers, and empty
    /// attributes kept as text.
    pub const QL: Style = Style { coerces: true, marks: false, text: "$t", bare: true };
    /// [`Style::QL`] without numbers and truth values.
    pub const TEXT: Style = Style { coerces: false, ..Style::QL };
    /// BadgerFish.
    pub const BADGERFISH: Style = Style { coerces: false, marks: true, text: "$", bare: false };

    /// Returns the number or truth value that a text is read as, if it is one.
    #[inline]
    fn coerced<'t>(self, reads: Option<Reads>, text: &'t str, scratch: &'t mut String, digits: u32) -> Option<Scalar<'t, 't>> {
        match reads {
            Some(Reads::Text) => None,
            Some(Reads::Number) => coerce::number(text, scratch, digits),
            None if self.coerces => match coerce::truth(text) {
                Some(value) => Some(Scalar::Bool(value)),
                None => coerce::number(text, scratch, digits),
            },
            None => None,
        }
    }
}

/// Makes a document of the reader's events.
pub struct Elements<'r, 'm> {
    builder: Builder,
    style: Style,
    wanted: &'r Wanted,
    shape: &'r Shape,
    /// Most digits of a number.
    digits: u32,
    levels: Vec<Level<'m>>,
    /// Known paths, by their numbers.
    known: Vec<Known>,
    text_name: Option<NameId>,
    due: Due,
    /// Texts of the open elements that are not in one piece.
    texts: String,
    scratch: String,
    skipped: Skipped,
}

/// An open element.
#[derive(Debug, Clone, Copy)]
struct Level<'m> {
    place: Place,
    declared: Declared,
    text: Text<'m>,
    /// True if it has attributes or children, wanted or not.
    has_members: bool,
    /// True if the object of its namespaces is open.
    in_namespaces: bool,
}

#[derive(Debug, Clone, Copy)]
enum Text<'m> {
    None,
    One(&'m str),
    /// In `texts`, from this offset on.
    Made(usize),
}

/// Knowledge about a path.
#[derive(Debug, Clone, Copy)]
enum Known {
    Nothing,
    Unwanted,
    Wanted(Slot),
}

/// The place of a path's values.
#[derive(Debug, Clone, Copy)]
struct Slot {
    member: Member,
    place: Place,
    declared: Declared,
}

/// The meaning of the next value.
#[derive(Debug, Clone, Copy)]
enum Due {
    /// The whole document.
    Document,
    Element(Slot),
    Attribute(Slot),
    /// A declaration in the object of namespaces.
    Namespace(NameId),
    Text,
}

impl<'r, 'm> Elements<'r, 'm> {
    /// Creates a sink for a walk of `body`; numbers of more than `digits` digits are text.
    pub fn new(body: Bytes, style: Style, reading: &Reading<'r>, digits: u32) -> Self {
        Elements {
            builder: Builder::new(body, Repeated::Group),
            style,
            wanted: reading.wanted,
            shape: reading.shape,
            digits,
            levels: Vec::with_capacity(16),
            known: Vec::with_capacity(64),
            text_name: None,
            due: Due::Document,
            texts: String::new(),
            scratch: String::new(),
            skipped: Skipped::default(),
        }
    }

    /// Returns the document, which ended at byte `end`.
    ///
    /// # Errors
    /// The walk emitted no complete document.
    pub fn finish(mut self, end: u64) -> Result<Read> {
        self.skipped.until(Span::new(end, end));
        Ok(Read { doc: self.builder.finish()?, skipped: self.skipped.bytes() })
    }

    fn skip(&mut self, at: Span) -> Next {
        self.skipped.from(at);
        Next::Skip
    }

    /// Adds a text, which has no white space at its ends, as text, number or truth value.
    #[inline(always)]
    fn text(&mut self, member: Member, text: &str, declared: Declared) -> Result<()> {
        if self.style.coerces && declared == Declared::NOTHING {
            match coerce::glance(text, self.digits) {
                Glance::Text => return self.builder.scalar(member, Scalar::Text(Str::Scratch(text))),
                Glance::Whole(value) => return self.builder.scalar(member, Scalar::uint(value)),
                Glance::Unsure => match text {
                    "true" => return self.builder.scalar(member, Scalar::Bool(true)),
                    "false" => return self.builder.scalar(member, Scalar::Bool(false)),
                    _ => {}
                },
            }
        }
        self.other_text(member, text, declared)
    }

    #[inline(never)]
    fn other_text(&mut self, member: Member, text: &str, declared: Declared) -> Result<()> {
        let reads = self.shape.reading(declared);
        let value = self.style.coerced(reads, text, &mut self.scratch, self.digits);
        self.builder.scalar(member, value.unwrap_or(Scalar::Text(Str::Scratch(text))))
    }

    /// Adds the text of an element without anything else.
    #[inline(always)]
    fn put_leaf(&mut self, slot: Slot, text: &str) -> Result<()> {
        let text = trimmed(text);
        if self.style.bare && !text.is_empty() {
            return self.text(slot.member, text, slot.declared);
        }
        self.object_of_text(slot, text)
    }

    /// Adds an attribute's value.
    #[inline(always)]
    fn put_attribute(&mut self, Slot { member, declared, .. }: Slot, text: &str) -> Result<()> {
        if self.style.coerces && declared == Declared::NOTHING && coerce::glance(trimmed(text), self.digits) == Glance::Text {
            return self.builder.scalar(member, Scalar::Text(Str::Scratch(text)));
        }
        self.other_attribute(member, text, declared)
    }

    #[inline(never)]
    fn other_attribute(&mut self, member: Member, text: &str, declared: Declared) -> Result<()> {
        let reads = self.shape.reading(declared);
        let value = self.style.coerced(reads, trimmed(text), &mut self.scratch, self.digits);
        // Only a number loses the white space around it.
        self.builder.scalar(member, value.unwrap_or(Scalar::Text(Str::Scratch(text))))
    }

    /// Returns the name of the member that holds an element's text.
    #[inline]
    fn text_name(&mut self) -> NameId {
        match self.text_name {
            Some(name) => name,
            None => {
                let name = self.builder.name(self.style.text);
                self.text_name = Some(name);
                name
            }
        }
    }

    #[cold]
    fn odd_leaf(&mut self, path: PathId, text: &str) -> Result<()> {
        match self.known.get(path.index()).copied() {
            Some(Known::Wanted(slot)) => self.put_leaf(slot, text),
            _ => Err(outside()),
        }
    }

    #[inline(never)]
    fn object_of_text(&mut self, Slot { member, place, declared }: Slot, text: &str) -> Result<()> {
        if text.is_empty() {
            self.builder.open_object(member)?;
            return self.builder.close();
        }
        self.builder.open_object(member)?;
        if self.wanted.member(place, self.style.text).is_some() {
            let name = Member::named(self.text_name());
            self.text(name, text, declared)?;
        }
        self.builder.close()
    }

    /// Determines how to treat a path: `name` leads to it in the open element.
    #[inline(always)]
    fn known<'n>(&mut self, path: PathId, place: Place, declared: Declared, name: impl FnOnce() -> &'n str) -> Known {
        match self.known.get(path.index()) {
            Some(Known::Nothing) | None => self.find_out(path, place, declared, name()),
            Some(known) => *known,
        }
    }

    #[inline(never)]
    fn find_out(&mut self, path: PathId, place: Place, declared: Declared, name: &str) -> Known {
        let known = match self.wanted.member(place, name) {
            None => Known::Unwanted,
            Some(place) => {
                let declared = self.shape.member(declared, name);
                let member = Member { name: self.builder.name(name), listed: self.shape.is_list(declared) };
                Known::Wanted(Slot { member, place, declared })
            }
        };
        if path != PathId::NONE {
            if self.known.len() <= path.index() {
                self.known.resize(path.index() + 1, Known::Nothing);
            }
            self.known[path.index()] = known;
        }
        known
    }

    /// Handles an attribute if names of attributes are marked, or a declaration of a namespace.
    /// Returns false if it is not wanted.
    fn marked(&mut self, name: &str, level: Level<'m>) -> Result<bool> {
        let prefix = match name.strip_prefix("xmlns") {
            Some("") => Some("$"),
            Some(rest) => rest.strip_prefix(':'),
            None => None,
        };
        if let Some(prefix) = prefix {
            if self.wanted.member(level.place, "@xmlns").is_none() {
                return Ok(false);
            }
            if !level.in_namespaces {
                let namespaces = Member::named(self.builder.name("@xmlns"));
                self.builder.open_object(namespaces)?;
                self.set_namespaces(true);
            }
            self.due = Due::Namespace(self.builder.name(prefix));
            return Ok(true);
        }
        self.end_namespaces()?;
        match self.find_out(PathId::NONE, level.place, level.declared, &format!("@{name}")) {
            Known::Wanted(slot) => self.due = Due::Attribute(slot),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Prepares the open element for a child; returns the place of its children.
    #[inline(always)]
    fn member(&mut self, at: Span) -> Result<(Place, Declared)> {
        self.skipped.until(at);
        let Some(level) = self.levels.last_mut() else { return Err(outside()) };
        level.has_members = true;
        let known = (level.place, level.declared);
        if level.in_namespaces {
            self.end_namespaces()?;
        }
        Ok(known)
    }

    fn set_namespaces(&mut self, open: bool) {
        if let Some(level) = self.levels.last_mut() {
            level.in_namespaces = open;
        }
    }

    #[inline]
    fn end_namespaces(&mut self) -> Result<()> {
        if self.levels.last().is_some_and(|level| level.in_namespaces) {
            self.set_namespaces(false);
            self.builder.close()?;
        }
        Ok(())
    }

    /// Ends an element that has text beside other content.
    fn end(&mut self, level: Level<'m>, text: &str) -> Result<()> {
        let text = trimmed(text);
        if text.is_empty() {
            return self.builder.close();
        }
        if self.style.bare && !level.has_members {
            let member = self.builder.cancel();
            return self.text(member, text, level.declared);
        }
        if self.wanted.member(level.place, self.style.text).is_some() {
            let declared = match self.shape.member(level.declared, self.style.text) {
                Declared::NOTHING => level.declared,
                declared => declared,
            };
            let name = Member::named(self.text_name());
            self.text(name, text, declared)?;
        }
        self.builder.close()
    }

    /// Adds a run to the text of the open element.
    fn run(&mut self, run: Str<'m, '_, str>) {
        let Some(level) = self.levels.last_mut() else { return };
        level.text = match (level.text, run) {
            (Text::None, Str::Input(run)) => Text::One(run),
            (before, run) => {
                let start = match before {
                    Text::Made(start) => start,
                    Text::None => self.texts.len(),
                    Text::One(first) => {
                        self.texts.push_str(first);
                        self.texts.len() - first.len()
                    }
                };
                self.texts.push_str(run.get());
                Text::Made(start)
            }
        };
    }
}

#[cold]
fn outside() -> Error {
    Error::internal("a field outside of all records")
}

/// Returns `text` without white space at its ends.
#[inline]
fn trimmed(text: &str) -> &str {
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| (0x21..0x80).contains(byte));
    if plain(text.as_bytes().first()) && plain(text.as_bytes().last()) { text } else { text.trim() }
}

impl<'m> ElementSink<'m> for Elements<'_, 'm> {
    const TAKES_LEAVES: bool = true;
    const HAS_PROFILE: bool = false;

    #[inline(always)]
    fn wants(&self, path: PathId) -> Option<bool> {
        match self.known.get(path.index()) {
            Some(Known::Wanted(_)) => Some(true),
            Some(Known::Unwanted) => Some(false),
            _ => None,
        }
    }

    #[inline(always)]
    fn leaf(&mut self, path: PathId, text: &str, at: Span) -> Result<()> {
        self.member(at)?;
        let Some(Known::Wanted(Slot { member, declared, .. })) = self.known.get(path.index()) else { return Err(outside()) };
        let (member, declared, trimmed) = (*member, *declared, trimmed(text));
        if self.style.bare && !trimmed.is_empty() {
            return self.text(member, trimmed, declared);
        }
        self.odd_leaf(path, text)
    }

    #[inline(always)]
    fn wants_all(&self, path: PathId, attribute: PathId) -> bool {
        let free = |slot: &Slot| slot.place.is_whole() && slot.declared == Declared::NOTHING;
        let known = (self.known.get(path.index()), self.known.get(attribute.index()));
        self.style.bare && matches!(known, (Some(Known::Wanted(slot)), Some(Known::Wanted(_))) if free(slot))
    }

    #[inline(always)]
    fn leaf_with(&mut self, path: PathId, attribute: PathId, value: &str, text: &str, at: Span) -> Result<()> {
        self.member(at)?;
        let known = (self.known.get(path.index()).copied(), self.known.get(attribute.index()).copied());
        let (Some(Known::Wanted(slot)), Some(Known::Wanted(attribute))) = known else { return Err(outside()) };
        self.builder.open_object(slot.member)?;
        self.put_attribute(attribute, value)?;
        let text = trimmed(text);
        if !text.is_empty() {
            let name = Member::named(self.text_name());
            self.text(name, text, Declared::NOTHING)?;
        }
        // No attribute has the name of the text's member.
        self.builder.close_distinct()
    }

    #[inline(always)]
    fn unwanted(&mut self, at: Span) -> Result<()> {
        self.member(at)?;
        self.skip(at);
        Ok(())
    }

    #[inline]
    fn open(&mut self, _: Open<'_>, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let slot = match self.due {
            Due::Document => Slot { member: Member::ELEMENT, place: self.wanted.root(), declared: self.shape.root() },
            Due::Element(slot) => slot,
            Due::Attribute(_) | Due::Namespace(_) | Due::Text => return Err(Error::internal("a container where text stands")),
        };
        let Slot { member, place, declared } = slot;
        if place == Place::WRITTEN {
            self.builder.write_object(member)?;
        } else {
            self.builder.open_object(member)?;
        }
        self.levels.push(Level { place, declared, text: Text::None, has_members: false, in_namespaces: false });
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn element<'n>(&mut self, path: PathId, name: impl FnOnce() -> Str<'m, 'n, str>, at: Span) -> Result<Next>
    where
        'm: 'n,
    {
        let (place, declared) = self.member(at)?;
        match self.known(path, place, declared, || name().get()) {
            Known::Wanted(slot) => {
                self.due = Due::Element(slot);
                Ok(Next::Enter)
            }
            _ => Ok(self.skip(at)),
        }
    }

    #[inline(always)]
    fn attribute(&mut self, path: PathId, name: &str, at: Span) -> Result<Next> {
        self.skipped.until(at);
        let Some(level) = self.levels.last_mut() else { return Err(outside()) };
        level.has_members = true;
        let (place, declared) = (level.place, level.declared);
        let wanted = if self.style.marks {
            let level = *level;
            self.marked(name, level)?
        } else if let Known::Wanted(slot) = self.known(path, place, declared, || name) {
            self.due = Due::Attribute(slot);
            true
        } else {
            false
        };
        Ok(if wanted { Next::Enter } else { self.skip(at) })
    }

    #[inline(always)]
    fn text(&mut self, at: Span) -> Result<Next> {
        self.skipped.until(at);
        self.due = Due::Text;
        Ok(Next::Enter)
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Err(Error::internal("a field of the values profile in a document without it"))
    }

    fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.skipped.until(at);
        let Scalar::Text(text) = value else { return Err(Error::internal("an element that is no text")) };
        match self.due {
            Due::Element(slot) => self.put_leaf(slot, text.get()),
            Due::Attribute(slot) => self.put_attribute(slot, text.get()),
            Due::Namespace(name) => self.builder.scalar(Member::named(name), Scalar::Text(text)),
            Due::Text => {
                self.run(text);
                Ok(())
            }
            Due::Document => Err(Error::internal("a document that is no element")),
        }
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        self.skipped.until(at);
        self.end_namespaces()?;
        let Some(level) = self.levels.pop() else { return Err(Error::internal("a close without its open")) };
        match level.text {
            Text::None => self.builder.close(),
            Text::One(text) => self.end(level, text),
            Text::Made(start) => {
                let mut texts = std::mem::take(&mut self.texts);
                let outcome = self.end(level, &texts[start..]);
                texts.truncate(start);
                self.texts = texts;
                outcome
            }
        }
    }
}
