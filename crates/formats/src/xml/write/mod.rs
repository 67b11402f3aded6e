//! Writes documents.

pub(super) mod escape;
mod patch;
pub(super) mod tag;

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::fast::RandomState;
use polywire_core::{Error, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::chars::{first_illegal, is_blank, is_qname, split};
use super::dtd::Dtd;
use super::markup::{self, Reference};
use super::values::{ENTRY, ITEM, MESSAGE, PAIR};
use patch::{Body, Patch};
use polywire_core::value::lexical::{Lexical, classify, is_number, spells, spells_float};
use tag::{Attributes, Prefixes};

/// Writes XML.
#[derive(Debug, Default)]
pub struct XmlWriter {
    body: Body,
    levels: Vec<Level>,
    /// Names of the open elements, one after the other.
    names: String,
    /// The owner of the next value.
    due: Due,
    /// The name that was announced for it.
    name: String,
    /// The name of the element whose tag waits for its attributes.
    waiting: String,
    /// The type name of the record that it is.
    type_name: String,
    attributes: Attributes,
    scope: Prefixes,
    /// Layout to write if no text follows.
    layout: String,
    /// Numbers of the prefixes in use that the marks could have.
    taken: HashSet<u32, RandomState>,
    /// True if the document needs the values profile.
    values: bool,
    /// True if an element must stand around everything.
    wrapped: bool,
    /// True if that element is a map.
    wrapped_map: bool,
    dtd: Option<Box<Dtd>>,
    place: Place,
    losses: Losses,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    After,
}

/// The owner of a value.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// The value's place in a sequence, a pair or the message.
    #[default]
    Nothing,
    /// An element of its name.
    Element,
    /// An attribute, if it is text.
    Attribute,
    /// The text of the element around, if it is text.
    Text,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    tag: TagState,
    name: Name,
    /// True if a mark or an attribute makes clear that it is a record.
    evident: bool,
    has_child: bool,
    has_note: bool,
    had_text: bool,
    /// True if text was the last thing in it.
    ends_in_text: bool,
    /// True if `xml:space="preserve"` is in force.
    preserve: bool,
    /// Place where its mark can be inserted.
    slot: Option<usize>,
    /// Number of values of the current pair of a map.
    pair: u8,
    /// Number of declared prefixes around it.
    scope: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Record,
    Map,
    Sequence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagState {
    /// The message itself: a record that has no element, if it has one field.
    Bare,
    /// Nothing of it is written: attributes may come.
    Waiting,
    /// Its `>` is missing.
    Open,
    /// All is written.
    Done,
}

/// The name of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Its own name, from this offset on in [`XmlWriter::names`] once its tag is written.
    Own(usize),
    Entry,
    Item,
    Message,
}

/// The words of the values profile, and the marks in tags.
impl XmlWriter {
    /// Writes a name of the values profile.
    fn own(&mut self, local: &str) {
        self.values = true;
        self.body.patch(Patch::Prefix);
        self.body.put(b":");
        self.body.put(local.as_bytes());
    }

    fn mark(&mut self, name: &str, value: &str) {
        self.body.put(b" ");
        self.own(name);
        self.body.put(b"=");
        escape::attribute(&mut self.body.bytes, value);
    }

    /// Writes a mark whose value is a name, which may have any characters.
    fn name_mark(&mut self, name: &str, name64: &str, value: &str) {
        if first_illegal(value).is_some() {
            self.mark(name64, &STANDARD.encode(value));
        } else {
            self.mark(name, value);
        }
    }

    /// Remembers a prefix that the message uses itself.
    fn take_prefix(&mut self, name: &str) {
        if name.starts_with("pw") || name.starts_with("xmlns:pw") {
            let (prefix, local) = split(name).unwrap_or(("", ""));
            let prefix = if prefix == "xmlns" { local } else { prefix };
            self.taken.extend(patch::prefix_number(prefix));
        }
    }
}

/// Tags.
impl XmlWriter {
    /// Starts a tag, without its `>`. An element that can't be called `own` becomes an entry. The
    /// first `attributes` of those that wait will stand in the tag.
    fn start(&mut self, name: Name, own: &str, attributes: usize) -> Name {
        let name = match name {
            Name::Own(_) if !self.can_be_name(own, attributes) => Name::Entry,
            name => name,
        };
        let first = self.place == Place::Before;
        self.place = Place::Inside;
        if first {
            self.body.patch(Patch::Message);
            // An entry can't be the root: the root declares the prefix of its name.
            self.wrapped = name == Name::Entry;
        }
        self.body.put(b"<");
        let mut started = name;
        match name {
            Name::Own(_) => {
                self.body.put(own.as_bytes());
                self.take_prefix(own);
                started = Name::Own(self.names.len());
                self.names.push_str(own);
            }
            Name::Entry => self.own(ENTRY),
            Name::Item => self.body.put(ITEM.as_bytes()),
            Name::Message => self.body.put(MESSAGE.as_bytes()),
        }
        if first {
            self.body.patch(Patch::Declaration);
        }
        match name {
            Name::Entry => self.name_mark("k", "k64", own),
            Name::Message => self.mark("root", "value"),
            Name::Own(_) | Name::Item => {}
        }
        started
    }

    /// Reports whether an element can have this name, if its first `attributes` attributes stand in
    /// its tag.
    fn can_be_name(&self, name: &str, attributes: usize) -> bool {
        is_qname(name)
            && match split(name) {
                None => true,
                Some((prefix, _)) => {
                    prefix != "xmlns" && (self.scope.uri(prefix).is_some() || self.attributes.declares(prefix, attributes))
                }
            }
    }

    fn end(&mut self, name: Name) {
        self.body.put(b"</");
        match name {
            Name::Own(start) => {
                self.body.bytes.extend_from_slice(&self.names.as_bytes()[start..]);
                self.names.truncate(start);
            }
            Name::Entry => self.own(ENTRY),
            Name::Item => self.body.put(ITEM.as_bytes()),
            Name::Message => self.body.put(MESSAGE.as_bytes()),
        }
        self.body.put(b">");
    }

    /// Ends the tag of an element without content.
    fn end_empty(&mut self, name: Name) {
        if let Name::Own(start) = name {
            self.names.truncate(start);
        }
        self.body.put(b"/>");
    }

    /// Writes the innermost tag if it waits for attributes, up to its `>`. Attributes that can't
    /// stand in a tag become elements.
    fn complete(&mut self) {
        let is_root = self.levels.len() <= 2;
        let Some(mut level) = self.levels.last().copied().filter(|level| level.tag == TagState::Waiting) else { return };
        let waiting = std::mem::take(&mut self.waiting);
        let mut fit = self.attributes.fit(&self.scope, is_root, false);
        let own = matches!(level.name, Name::Own(_)) && self.can_be_name(&waiting, fit);
        if fit > 0 && (!own || level.kind == Kind::Map || !self.type_name.is_empty()) {
            fit = self.attributes.fit(&self.scope, is_root, true);
        }
        level.name = self.start(level.name, &waiting, fit);
        self.waiting = waiting;
        let type_name = std::mem::take(&mut self.type_name);
        if !type_name.is_empty() {
            self.name_mark("name", "name64", &type_name);
        }
        level.evident = fit > 0 || !type_name.is_empty();
        self.type_name = type_name;
        let attributes = std::mem::take(&mut self.attributes);
        for n in 0..fit {
            let (name, value) = attributes.get(n);
            self.body.put(b" ");
            self.body.put(name.as_bytes());
            self.body.put(b"=");
            escape::attribute(&mut self.body.bytes, value);
            self.take_prefix(name);
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.scope.declare(prefix, value);
            } else if name == "xml:space" {
                level.preserve = value == "preserve";
            }
        }
        level.slot = Some(self.body.patch(Patch::Nothing));
        level.tag = TagState::Open;
        if fit < attributes.len() {
            self.body.put(b">");
            level.tag = TagState::Done;
            level.has_child = true;
        }
        for n in fit..attributes.len() {
            let (name, value) = attributes.get(n);
            self.waiting.clear();
            self.waiting.push('@');
            self.waiting.push_str(name);
            let key = std::mem::take(&mut self.waiting);
            let started = self.start(Name::Entry, &key, 0);
            self.waiting = key;
            self.text_content(started, value);
        }
        self.attributes = attributes;
        self.attributes.clear();
        if let Some(last) = self.levels.last_mut() {
            *last = level;
        }
    }

    /// Makes sure that content can follow in the innermost element.
    fn content(&mut self, layout: bool) {
        self.complete();
        let Some(level) = self.levels.last_mut() else { return };
        if level.tag == TagState::Open {
            self.body.put(b">");
            level.tag = TagState::Done;
        }
        if layout && (level.kind == Kind::Sequence || !level.had_text && !level.preserve) {
            self.body.put(self.layout.as_bytes());
        }
        self.layout.clear();
    }

    /// Wraps the message in an element if it is not one element.
    fn make_message(&mut self) {
        if let Some(level) = self.levels.last_mut().filter(|level| level.tag == TagState::Bare) {
            (level.tag, level.name) = (TagState::Waiting, Name::Message);
        }
    }

    /// Prepares for an element, and returns its name; a name of its own is in `name`.
    fn begin(&mut self) -> Result<Name> {
        let due = std::mem::take(&mut self.due);
        let Some(level) = self.levels.last_mut() else {
            return if self.place == Place::Before { Ok(Name::Message) } else { Err(misuse("a second value in one message")) };
        };
        let pair = level.kind == Kind::Map && due == Due::Nothing;
        if level.kind == Kind::Record && due == Due::Nothing {
            return Err(misuse("a value without a field in a record"));
        }
        if level.tag == TagState::Bare {
            if level.has_child {
                (self.wrapped, self.values) = (true, true);
                self.wrapped_map |= pair;
            } else if pair {
                self.make_message();
            }
        }
        self.content(true);
        let mut name = match due {
            Due::Nothing => Name::Item,
            Due::Element => Name::Own(0),
            Due::Attribute | Due::Text => Name::Entry,
        };
        if let Some(level) = self.levels.last_mut() {
            level.has_child = true;
            level.ends_in_text = false;
            if pair {
                name = Name::Item;
                level.pair += 1;
                if level.pair == 1 {
                    if let Some(slot) = level.slot {
                        self.body.change(slot, Patch::MapMark);
                    }
                    self.body.put(b"<");
                    self.own(PAIR);
                    self.body.put(b">");
                }
            }
        }
        Ok(name)
    }

    /// Follows a value that is an element.
    fn ended(&mut self) {
        match self.levels.last_mut() {
            None => self.place = Place::After,
            Some(level) if level.pair == 2 => {
                level.pair = 0;
                self.body.put(b"</");
                self.own(PAIR);
                self.body.put(b">");
            }
            Some(_) => {}
        }
    }
}

/// Values.
impl XmlWriter {
    /// Writes the rest of an element that is text.
    fn text_content(&mut self, name: Name, text: &str) {
        if text.is_empty() {
            return self.end_empty(name);
        }
        if first_illegal(text).is_some() {
            return self.marked_content(name, "text64", &STANDARD.encode(text));
        }
        if classify(text) != Lexical::Text {
            self.body.patch(Patch::TextMark);
        }
        self.body.put(b">");
        escape::text(&mut self.body.bytes, text, false);
        self.end(name);
    }

    /// Writes the rest of an element whose kind is marked.
    fn marked_content(&mut self, name: Name, kind: &str, content: &str) {
        self.mark("t", kind);
        if content.is_empty() {
            return self.end_empty(name);
        }
        self.body.put(b">");
        self.body.put(content.as_bytes());
        self.end(name);
    }

    /// Writes the rest of an element whose spelling shows its kind.
    fn spelled_content(&mut self, name: Name, content: &str) {
        self.values = true;
        self.body.put(b">");
        escape::text(&mut self.body.bytes, content, false);
        self.end(name);
    }

    fn scalar_content(&mut self, name: Name, value: Scalar<'_, '_>) {
        let mut integer = itoa::Buffer::new();
        let mut float = ryu::Buffer::new();
        match value {
            Scalar::Null => self.marked_content(name, "null", ""),
            Scalar::Bool(value) => self.spelled_content(name, if value { "true" } else { "false" }),
            Scalar::UInt(_, hint) | Scalar::Int(_, hint) | Scalar::F64(_, hint) | Scalar::Big(_, hint) | Scalar::Decimal(_, hint)
                if hint.exponent().is_some()
                    && let Some(digits) = hint.digits().filter(|digits| is_number(digits)) =>
            {
                self.marked_content(name, "decimal", digits);
            }
            Scalar::Int(value, _) => self.spelled_content(name, integer.format(value)),
            Scalar::UInt(value, _) => self.spelled_content(name, integer.format(value)),
            Scalar::F64(value, hint) if value.is_finite() => match hint.digits() {
                Some(digits) if spells(digits, value) => self.spelled_content(name, digits),
                Some(digits) if spells_float(digits) => self.marked_content(name, "f64", digits),
                _ => self.spelled_content(name, float.format_finite(value)),
            },
            Scalar::F64(value, _) => {
                let nan = (value.to_bits() != f64::NAN.to_bits()).then(|| format!("nan:{:016x}", value.to_bits()));
                self.marked_content(name, "f64", special(value, nan.as_deref()));
            }
            Scalar::F32(value, _) if value.is_finite() => self.marked_content(name, "f32", float.format_finite(value)),
            Scalar::F32(value, _) => {
                let nan = (value.to_bits() != f32::NAN.to_bits()).then(|| format!("nan:{:08x}", value.to_bits()));
                self.marked_content(name, "f32", special(f64::from(value), nan.as_deref()));
            }
            Scalar::Big(digits, _) => self.spelled_content(name, digits.get()),
            Scalar::Decimal(number, _) if classify(number.get()) == Lexical::Decimal => self.spelled_content(name, number.get()),
            Scalar::Decimal(number, _) => self.marked_content(name, "decimal", number.get()),
            Scalar::Text(text) => self.text_content(name, text.get()),
            Scalar::Bytes(bytes) => self.marked_content(name, "bytes", &STANDARD.encode(bytes.get())),
            Scalar::Octets(bytes) => self.marked_content(name, "octets", &STANDARD.encode(bytes.get())),
            Scalar::Time(moment) => self.marked_content(name, "time", &moment.to_string()),
            _ => self.marked_content(name, "null", ""),
        }
    }

    /// Writes text within an element, if it can stand there as such; returns true if it can.
    fn mixed(&mut self, text: &str) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        if level.ends_in_text || text.is_empty() || first_illegal(text).is_some() {
            return false;
        }
        if level.tag == TagState::Bare {
            (self.wrapped, self.values) = (true, true);
        }
        self.content(false);
        if let Some(level) = self.levels.last_mut() {
            escape::text(&mut self.body.bytes, text, !level.had_text && !level.preserve);
            (level.had_text, level.ends_in_text) = (true, true);
        }
        self.due = Due::Nothing;
        true
    }

    fn push(&mut self, kind: Kind, tag: TagState, name: Name) {
        let preserve = self.levels.last().is_some_and(|level| level.preserve);
        self.levels.push(Level {
            kind,
            tag,
            name,
            evident: false,
            has_child: false,
            has_note: false,
            had_text: false,
            ends_in_text: false,
            preserve,
            slot: None,
            pair: 0,
            scope: self.scope.len(),
        });
    }

    /// Opens a record or map: its tag waits for attributes.
    fn open_named(&mut self, kind: Kind, type_name: &str) -> Result<()> {
        if self.levels.is_empty() && self.place == Place::Before && type_name.is_empty() {
            self.push(kind, TagState::Bare, Name::Message);
            return Ok(());
        }
        let name = self.begin()?;
        std::mem::swap(&mut self.waiting, &mut self.name);
        self.type_name.clear();
        self.type_name.push_str(type_name);
        self.push(kind, TagState::Waiting, name);
        Ok(())
    }

    /// Opens a sequence: a list, a tuple, a case or a tagged value.
    fn open_sequence(&mut self, kind: &str) -> Result<()> {
        let name = self.begin()?;
        let own = std::mem::take(&mut self.name);
        let name = self.start(name, &own, 0);
        self.name = own;
        self.mark("t", kind);
        self.push(Kind::Sequence, TagState::Open, name);
        Ok(())
    }

    /// Writes a comment or an instruction.
    fn markup(&mut self, parts: [&str; 3]) {
        match self.levels.last_mut() {
            Some(level) if level.tag != TagState::Bare => {
                self.content(true);
                if let Some(level) = self.levels.last_mut() {
                    level.has_note = true;
                    level.ends_in_text = false;
                }
            }
            level => {
                if let Some(level) = level {
                    level.ends_in_text = false;
                }
                self.body.put(self.layout.as_bytes());
                self.layout.clear();
            }
        }
        for part in parts {
            self.body.put(part.as_bytes());
        }
    }

    /// Reports whether the root element has yet to come.
    fn in_prolog(&self) -> bool {
        self.place == Place::Before && self.levels.last().is_none_or(|level| level.tag == TagState::Bare)
    }

    fn directive(&mut self, text: &str) -> bool {
        if first_illegal(text).is_some() {
            return false;
        }
        if text.starts_with("<!DOCTYPE") {
            let mut dtd = Dtd::default();
            if !self.in_prolog() || self.dtd.is_some() || dtd.read(text, 0).ok() != Some(text.len()) || dtd.colon.is_some() {
                return false;
            }
            self.dtd = Some(Box::new(dtd));
        } else if text.starts_with('&') {
            // A reference that a reader steps over once more.
            let is_content = self.levels.last().is_some_and(|level| level.tag != TagState::Bare);
            let Ok((Reference::Entity(name), end)) = markup::reference(text, 0) else { return false };
            if !is_content || end != text.len() || !self.dtd.as_ref().is_some_and(|dtd| dtd.steps_over(name)) {
                return false;
            }
        } else if !text.starts_with("<?") || markup::instruction(text, 0).ok() != Some(text.len()) || markup::target(text).contains(':') {
            return false;
        }
        self.markup([text, "", ""]);
        true
    }

    fn set_layout(&mut self, text: &str) {
        if !is_blank(text) || self.due != Due::Nothing {
            return;
        }
        if self.in_prolog() {
            if !self.body.bytes.is_empty() {
                self.body.put(text.as_bytes());
            }
        } else if self.levels.is_empty() || text.contains('\n') {
            self.layout.clear();
            self.layout.push_str(text);
        }
    }
}

fn special(value: f64, nan: Option<&str>) -> &str {
    match nan {
        _ if value == f64::INFINITY => "inf",
        _ if value == f64::NEG_INFINITY => "-inf",
        Some(nan) => nan,
        None => "nan",
    }
}

/// Returns the error of events in an order that no walk has.
#[cold]
pub(super) fn misuse(seen: &'static str) -> Error {
    Error::internal(seen).format_is("xml")
}

impl<'m> Sink<'m> for XmlWriter {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        match open {
            Open::Record { name, .. } => self.open_named(Kind::Record, name)?,
            Open::Map(_) => self.open_named(Kind::Map, "")?,
            Open::List(_) => self.open_sequence("list")?,
            Open::Tuple(_) => self.open_sequence("tuple")?,
            Open::Variant { name, index } => {
                self.open_sequence("variant")?;
                if !name.is_empty() {
                    self.name_mark("name", "name64", name);
                }
                self.mark("index", itoa::Buffer::new().format(index));
            }
            Open::Tagged { space, code } => {
                if space.is_empty() || first_illegal(space).is_some() {
                    self.losses.value("the numbering of a tagged value has no name that can be read back", at);
                }
                self.open_sequence("tagged")?;
                self.mark("space", space);
                self.mark("code", itoa::Buffer::new().format(code));
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let name = field.name.get();
        let Some(level) = self.levels.last() else { return Err(misuse("a field outside of all records")) };
        if level.kind == Kind::Sequence || self.due != Due::Nothing {
            return Err(misuse("a field where a value belongs"));
        }
        self.due = match name.as_bytes().first() {
            Some(b'@') => Due::Attribute,
            Some(b'#') if name == "#text" => Due::Text,
            _ => Due::Element,
        };
        if self.due != Due::Element && !level.has_child {
            self.make_message();
        }
        self.name.clear();
        self.name.push_str(name);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        if let Scalar::Text(text) = value {
            let text = text.get();
            let waiting = self.levels.last().is_some_and(|level| level.tag == TagState::Waiting);
            if self.due == Due::Attribute && waiting && first_illegal(text).is_none() {
                self.attributes.push(&self.name[1..], text);
                self.layout.clear();
                self.due = Due::Nothing;
                return Ok(());
            }
            if self.due == Due::Text && self.mixed(text) {
                return Ok(());
            }
        }
        let name = self.begin()?;
        let own = std::mem::take(&mut self.name);
        let name = self.start(name, &own, 0);
        self.name = own;
        self.scalar_content(name, value);
        self.ended();
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(misuse("text in parts"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some(mut level) = self.levels.last().copied() else { return Err(misuse("a close without its open")) };
        if self.due != Due::Nothing || level.pair != 0 {
            return Err(misuse("the end of a container before the value of a field"));
        }
        if level.tag == TagState::Bare {
            if level.has_child {
                if self.wrapped {
                    self.content(true);
                    self.end(Name::Message);
                }
                self.layout.clear();
                self.levels.pop();
                self.ended();
                return Ok(());
            }
            self.make_message();
        }
        if self.layout.is_empty() {
            self.complete();
        } else {
            self.content(true);
        }
        level = self.levels.pop().unwrap_or(level);
        if level.kind != Kind::Sequence && !level.evident && !level.has_child && !level.has_note {
            // A reader would take it for text.
            self.values = true;
            if let Some(slot) = level.slot {
                self.body.change(slot, Patch::MapMark);
            }
        }
        if level.tag == TagState::Open {
            self.end_empty(level.name);
        } else {
            self.end(level.name);
        }
        self.scope.leave(level.scope);
        self.ended();
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let written = match note {
            Note::Comment(text) => {
                let good = !text.contains("--") && !text.ends_with('-') && !text.contains('\r') && first_illegal(text).is_none();
                if good {
                    self.markup(["<!--", text, "-->"]);
                }
                good
            }
            Note::Directive(text) => self.directive(text),
            Note::Layout(text) => {
                self.set_layout(text);
                true
            }
            _ => false,
        };
        if !written {
            self.losses.note(note, at);
        }
        Ok(())
    }
}

impl XmlWriter {
    /// Forgets the message.
    fn clear(&mut self) {
        self.body.clear();
        self.levels.clear();
        self.names.clear();
        self.due = Due::Nothing;
        self.name.clear();
        self.waiting.clear();
        self.type_name.clear();
        self.attributes.clear();
        self.scope.leave(0);
        self.layout.clear();
        self.taken.clear();
        (self.values, self.wrapped, self.wrapped_map, self.dtd) = (false, false, false, None);
        self.place = Place::Before;
    }
}

impl Writer for XmlWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.place != Place::After {
            return Err(misuse("the end of a message before the end of its value"));
        }
        self.body.finish(out, self.values, self.wrapped, self.wrapped_map, &self.taken);
        self.clear();
        Ok(())
    }

    fn reset(&mut self) {
        self.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
