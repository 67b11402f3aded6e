//! Writes plain XML: elements, attributes and text, without marks for the types of values.
//!
//! It is the inverse of how documents are read: a field is an element of its name, `@name` an
//! attribute, `#text` the text, and a list its values as elements of one name. Types, and all else
//! that such a document cannot say, are losses. `docs/formats/xml.md` describes it.

mod attributes;
mod names;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::walk::Layout;
use polywire_core::{Error, Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Writer};

use super::chars::{first_illegal, is_qname, split};
use super::dtd::Dtd;
use super::layout;
use super::markup;
use super::write::tag::{self, Prefixes};
use super::write::{escape, misuse};
use crate::key_text::KeyText;
use crate::tag_text::TagText;
use attributes::Attributes;

/// The element of a value that has no name: an element of a list within a list.
const ITEM: &str = "item";

/// The element around a message that is no document by itself.
pub const ROOT: &str = "root";

/// Writes plain XML.
#[derive(Debug, Default)]
pub struct PlainWriter {
    /// The element around every message, if the user names one.
    root: Option<Box<str>>,
    body: Vec<u8>,
    /// Attributes that came after their tag was written: offset in the body, and bytes.
    late: Vec<(usize, Vec<u8>)>,
    /// Attributes of the element around the message.
    root_attributes: Vec<u8>,
    /// Offset of the message's first element or text.
    root_at: Option<usize>,
    /// True if an element stands around the message.
    wrapped: bool,
    levels: Vec<Level>,
    /// Names of the open containers, one after the other.
    names: String,
    due: Due,
    /// The name that was announced for the next value.
    name: String,
    /// Attributes of the innermost element, whose tag waits for them, with their places.
    waiting: tag::Attributes,
    places: Vec<Span>,
    attributes: Attributes,
    scope: Prefixes,
    key: KeyText,
    tag: TagText,
    scratch: String,
    is_whole: bool,
    losses: Losses,
    layout: Layout,
    compact: Vec<u8>,
}

/// The place of the next value.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Due {
    /// The message.
    #[default]
    Message,
    /// No value: the innermost container expects a field, a key or its end.
    Nothing,
    /// An element of the announced name.
    Element,
    /// An element without a name of its own.
    Item,
    /// An attribute, if it is a scalar.
    Attribute,
    /// The text of the element around, if it is a scalar.
    Text,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    tag: Tag,
    /// Start of its element's name in [`PlainWriter::names`]; of a list, of the name of its values.
    name: usize,
    /// Start of the name of a case, which stands behind that of its element.
    case: usize,
    /// Index of the innermost level with an element, which may be this one.
    owner: usize,
    /// True if a list among its values has no name of its own.
    is_list: bool,
    /// The place of its values; of an element, the place that it has itself.
    due: Due,
    /// Number of values.
    values: u64,
    /// Offset in the body at which attributes can be inserted.
    tag_end: usize,
    /// True if an attribute, or a comment, makes clear that it is a record.
    evident: bool,
    has_text: bool,
    ends_in_text: bool,
    /// Number of declared prefixes around it.
    scope: usize,
    at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The message, as a record or map that has no element so far.
    Message,
    /// A record or map.
    Element,
    /// A list within a list, or a message that is one: an element of elements.
    Items,
    /// A list: its values are elements of one name.
    List,
    /// A tag that is not written: its value stands for itself.
    Transparent,
    /// A case of a sum type: its name alone, or an element of its values, which have its name.
    Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// Attributes may come before it is written.
    Waiting,
    /// Its `>` is missing.
    Open,
    /// All is written.
    Done,
}

impl PlainWriter {
    /// Makes a writer that puts each message into an element `root`, or, without a name, only
    /// those that are no document by themselves, into [`ROOT`].
    pub fn new(root: Option<&str>) -> PlainWriter {
        PlainWriter { root: root.map(Box::from), ..PlainWriter::default() }
    }

    fn put(&mut self, text: &str) {
        self.body.extend_from_slice(text.as_bytes());
    }

    /// Returns the place of the value that comes now, whose name is in `name`.
    #[inline]
    fn place(&mut self) -> Result<Due> {
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        let Some(level) = self.levels.last_mut() else {
            return if due == Due::Message && !self.is_whole { Ok(due) } else { Err(misuse("a second value in one message")) };
        };
        level.values += 1;
        match level.kind {
            Kind::Message | Kind::Element => {
                return if due == Due::Nothing { Err(misuse("a value without a field in a record")) } else { Ok(due) };
            }
            Kind::Items => return Ok(Due::Item),
            Kind::List | Kind::Transparent => {}
            Kind::Case => return self.place_in_case(),
        }
        let (name, due) = (level.name, level.due);
        self.name.clear();
        self.name.push_str(&self.names[name..]);
        Ok(due)
    }

    /// Opens the element of a case before its first value.
    #[cold]
    fn place_in_case(&mut self) -> Result<Due> {
        let Some(level) = self.levels.last().copied() else { return Err(misuse("a case that is not open")) };
        let case = self.names[level.case..].to_string();
        if level.values == 1 {
            self.levels.pop();
            self.before_element();
            self.names.truncate(level.case);
            let own = self.names[level.name..].to_string();
            let own = self.odd_name(&own, level.due, level.at).unwrap_or(own);
            self.put("<");
            self.put(&own);
            self.put(">");
            self.names.truncate(level.name);
            self.names.push_str(&own);
            let start = self.names.len();
            self.names.push_str(&case);
            self.levels.push(Level { tag: Tag::Done, case: start, ..level });
        }
        self.name = case;
        Ok(Due::Element)
    }

    /// Makes sure that an element can follow.
    #[inline]
    fn before_element(&mut self) {
        self.content();
        let Some(index) = self.owner() else { return };
        let level = &mut self.levels[index];
        level.ends_in_text = false;
        if level.kind == Kind::Message {
            self.wrapped |= self.root_at.is_some();
            self.root_at.get_or_insert(self.body.len());
        }
    }

    /// Makes sure that content can follow in the innermost element.
    #[inline]
    fn content(&mut self) {
        let Some(index) = self.owner() else { return };
        if self.levels[index].tag == Tag::Waiting {
            self.complete(index);
        }
        let level = &mut self.levels[index];
        if level.tag == Tag::Open {
            level.tag = Tag::Done;
            if level.kind != Kind::Message {
                self.body.push(b'>');
            }
        }
    }

    /// Returns the index of the innermost level that has an element, or may get one. Lists and tags
    /// have none.
    #[inline]
    fn owner(&self) -> Option<usize> {
        self.levels.last().map(|level| level.owner).filter(|owner| *owner < self.levels.len())
    }

    /// Returns the name of the element of a value at `due` that is called `name`, if it is another
    /// one.
    fn odd_name(&mut self, name: &str, due: Due, at: Span) -> Option<String> {
        match due {
            Due::Message => Some(self.root.as_deref().unwrap_or(ROOT).to_string()),
            Due::Item => Some(ITEM.to_string()),
            Due::Element if self.can_be_name(name) => None,
            Due::Element => {
                self.losses.value("name that no element can have was escaped", at);
                Some(names::escaped(name))
            }
            Due::Attribute | Due::Text | Due::Nothing => {
                self.losses.value("attribute or text that no element can have became an element", at);
                Some(names::escaped(name))
            }
        }
    }

    fn can_be_name(&self, name: &str) -> bool {
        is_qname(name)
            && match split(name) {
                None => true,
                Some((prefix, _)) => prefix != "xmlns" && self.scope.uri(prefix).is_some(),
            }
    }

    /// Writes the tag of a level that waits for attributes, up to its `>`.
    fn complete(&mut self, index: usize) {
        let depth = index + 1;
        let waiting = std::mem::take(&mut self.waiting);
        let places = std::mem::take(&mut self.places);
        // Declarations hold for the names and attributes before them, too.
        let mut fits: Vec<bool> = (0..waiting.len())
            .map(|n| {
                let (name, value) = waiting.get(n);
                let Some(prefix) = name.strip_prefix("xmlns:") else { return false };
                let fits = self.attributes.add(depth, name, value, &self.scope);
                if fits {
                    self.scope.declare(prefix, value);
                }
                fits
            })
            .collect();
        for (n, fits) in fits.iter_mut().enumerate() {
            let (name, value) = waiting.get(n);
            *fits |= !name.starts_with("xmlns:") && self.attributes.add(depth, name, value, &self.scope);
        }
        let level = self.levels[index];
        if level.kind != Kind::Message {
            if level.due != Due::Element || !self.can_be_name(&self.names[level.name..]) {
                let own = self.names[level.name..].to_string();
                let own = self.odd_name(&own, level.due, level.at).unwrap_or(own);
                self.names.truncate(level.name);
                self.names.push_str(&own);
            }
            self.body.push(b'<');
            self.body.extend_from_slice(&self.names.as_bytes()[level.name..]);
        }
        for n in (0..waiting.len()).filter(|&n| fits[n]) {
            let (name, value) = waiting.get(n);
            let target = if level.kind == Kind::Message { &mut self.root_attributes } else { &mut self.body };
            put_attribute(target, name, value);
        }
        let level = &mut self.levels[index];
        level.tag = Tag::Open;
        level.tag_end = self.body.len();
        level.evident = fits.contains(&true);
        for n in (0..waiting.len()).filter(|&n| !fits[n]) {
            let (name, value) = waiting.get(n);
            self.odd_attribute(name, value, places[n]);
        }
        (self.waiting, self.places) = (waiting, places);
        self.waiting.clear();
        self.places.clear();
    }

    /// Writes an attribute that its tag cannot have as an element.
    fn odd_attribute(&mut self, name: &str, value: &str, at: Span) {
        self.before_element();
        let field = format!("@{name}");
        let name = self.odd_name(&field, Due::Attribute, at).unwrap_or(field);
        self.leaf(&name, value);
    }

    /// Writes an attribute whose text is in `scratch`.
    fn attribute(&mut self, at: Span) {
        let Some(index) = self.owner() else { return };
        let value = std::mem::take(&mut self.scratch);
        let name = self.name.get(1..).unwrap_or_default().to_string();
        let level = self.levels[index];
        if level.tag == Tag::Waiting && level.kind != Kind::Items {
            self.waiting.push(&name, &value);
            self.places.push(at);
        } else if self.attributes.add(index + 1, &name, &value, &self.scope) {
            if let Some(prefix) = name.strip_prefix("xmlns:") {
                self.scope.declare(prefix, &value);
            }
            self.levels[index].evident = true;
            if level.kind == Kind::Message {
                put_attribute(&mut self.root_attributes, &name, &value);
            } else if level.tag == Tag::Open {
                put_attribute(&mut self.body, &name, &value);
                self.levels[index].tag_end = self.body.len();
            } else {
                let mut bytes = Vec::new();
                put_attribute(&mut bytes, &name, &value);
                self.late.push((level.tag_end, bytes));
            }
        } else {
            self.odd_attribute(&name, &value, at);
        }
        self.scratch = value;
    }

    /// Writes text within the innermost element.
    fn mixed(&mut self, text: &str, at: Span) {
        if text.is_empty() {
            return self.losses.value("empty text dropped", at);
        }
        self.content();
        let Some(index) = self.owner() else { return };
        let level = &mut self.levels[index];
        if level.kind == Kind::Message {
            self.wrapped = true;
            self.root_at.get_or_insert(self.body.len());
        }
        if std::mem::replace(&mut level.ends_in_text, true) {
            self.losses.value("texts beside each other became one", at);
        }
        let guarded = !std::mem::replace(&mut level.has_text, true);
        escape::text(&mut self.body, text, guarded);
    }

    /// Writes an element of nothing but text.
    #[inline]
    fn leaf(&mut self, name: &str, text: &str) {
        self.put("<");
        self.put(name);
        if text.is_empty() {
            return self.put("/>");
        }
        self.put(">");
        escape::text(&mut self.body, text, false);
        self.put("</");
        self.put(name);
        self.put(">");
    }

    /// Writes `scratch` in the place `due`.
    fn put_scratch(&mut self, due: Due, at: Span) {
        match due {
            Due::Attribute => self.attribute(at),
            Due::Text => {
                let text = std::mem::take(&mut self.scratch);
                self.mixed(&text, at);
                self.scratch = text;
            }
            _ => {
                let text = std::mem::take(&mut self.scratch);
                self.element(due, &text, at);
                self.scratch = text;
            }
        }
    }

    /// Writes an element of nothing but text in the place `due`.
    #[inline]
    fn element(&mut self, due: Due, text: &str, at: Span) {
        self.before_element();
        let name = std::mem::take(&mut self.name);
        match self.odd_name(&name, due, at) {
            None => self.leaf(&name, text),
            Some(odd) => self.leaf(&odd, text),
        }
        self.name = name;
    }

    /// Puts the text of a value into `scratch`, and notes the loss of its type.
    fn spell(&mut self, value: Scalar<'_, '_>, at: Span) {
        self.scratch.clear();
        let lost = match value {
            Scalar::Text(text) => return self.spell_text(text.get(), at),
            Scalar::Null => "null became empty text",
            Scalar::Bool(value) => {
                self.scratch.push_str(if value { "true" } else { "false" });
                "truth value became text"
            }
            Scalar::UInt(value, _) => {
                self.scratch.push_str(itoa::Buffer::new().format(value));
                NUMBER
            }
            Scalar::Int(value, _) => {
                self.scratch.push_str(itoa::Buffer::new().format(value));
                NUMBER
            }
            Scalar::F64(value, hint) => {
                match hint.digits() {
                    Some(digits) => self.scratch.push_str(digits),
                    None if value.is_finite() => self.scratch.push_str(ryu::Buffer::new().format_finite(value)),
                    None => self.scratch.push_str(special(value)),
                }
                NUMBER
            }
            Scalar::F32(value, _) => {
                let mut buffer = ryu::Buffer::new();
                self.scratch.push_str(if value.is_finite() { buffer.format_finite(value) } else { special(f64::from(value)) });
                NUMBER
            }
            Scalar::Big(digits, _) | Scalar::Decimal(digits, _) => {
                self.scratch.push_str(digits.get());
                NUMBER
            }
            Scalar::Time(moment) => {
                self.scratch.push_str(&moment.to_string());
                "timestamp became text"
            }
            Scalar::Bytes(bytes) => {
                STANDARD.encode_string(bytes.get(), &mut self.scratch);
                "bytes became base64 text"
            }
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
                Ok(text) => {
                    self.spell_text(text, at);
                    "octets became text"
                }
                Err(_) => {
                    STANDARD.encode_string(bytes.get(), &mut self.scratch);
                    "octets became base64 text"
                }
            },
            _ => "value of a kind that is newer than this writer became empty text",
        };
        self.losses.value(lost, at);
    }

    fn spell_text(&mut self, text: &str, at: Span) {
        match names::replaced(text) {
            Some(replaced) => {
                self.losses.value("character that XML does not have became U+FFFD", at);
                self.scratch.push_str(&replaced);
            }
            None => self.scratch.push_str(text),
        }
    }

    /// Opens a level in the place `due`, of the name in `name`.
    fn push(&mut self, kind: Kind, due: Due, at: Span) {
        let index = self.levels.len();
        if matches!(kind, Kind::List | Kind::Transparent | Kind::Case)
            && let Some(owner) = self.owner().filter(|&owner| self.levels[owner].tag == Tag::Waiting)
        {
            self.complete(owner);
        }
        let name = self.names.len();
        let around = self.levels.last();
        let (owner, is_list) = match kind {
            Kind::List => (around.map_or(usize::MAX, |level| level.owner), true),
            Kind::Transparent => (around.map_or(usize::MAX, |level| level.owner), around.is_none_or(|level| level.is_list)),
            Kind::Items | Kind::Case => (index, true),
            Kind::Message | Kind::Element => (index, false),
        };
        if matches!(due, Due::Element | Due::Attribute | Due::Text) {
            self.names.push_str(&self.name);
        }
        self.levels.push(Level {
            kind,
            tag: Tag::Waiting,
            name,
            case: self.names.len(),
            owner,
            is_list,
            due,
            values: 0,
            tag_end: 0,
            evident: false,
            has_text: false,
            ends_in_text: false,
            scope: self.scope.len(),
            at,
        });
    }

    fn open_list(&mut self, at: Span) -> Result<()> {
        let has_name = self.levels.last().is_some_and(|level| !level.is_list);
        let due = self.place()?;
        if has_name {
            self.push(Kind::List, due, at);
            return Ok(());
        }
        self.losses.value("list without a name of its own became elements named item", at);
        self.before_element();
        self.push(Kind::Items, due, at);
        Ok(())
    }

    /// Reports whether the next value is the key of a map.
    fn is_key(&self) -> bool {
        self.due == Due::Nothing && self.levels.last().is_some_and(|level| matches!(level.kind, Kind::Message | Kind::Element))
    }

    fn take_key(&mut self, at: Span) {
        self.losses.value("key that is no text became text", at);
        self.due = Due::Element;
    }

    /// Closes an element.
    fn end_element(&mut self, level: Level) {
        let lost = match (level.evident, level.values, level.has_text) {
            (false, 0, _) if level.kind != Kind::Items => Some(EMPTY),
            (false, 1, true) if level.ends_in_text => Some("record of nothing but text became text"),
            _ => None,
        };
        if let Some(lost) = lost {
            self.losses.value(lost, level.at);
        }
        if level.tag == Tag::Open {
            return self.put("/>");
        }
        self.put("</");
        self.body.extend_from_slice(&self.names.as_bytes()[level.name..]);
        self.put(">");
    }

    fn markup(&mut self, parts: [&str; 3]) {
        self.content();
        if let Some(index) = self.owner() {
            let level = &mut self.levels[index];
            level.ends_in_text = false;
            level.evident |= level.kind == Kind::Element;
        }
        for part in parts {
            self.put(part);
        }
    }

    /// Writes an instruction, or a document type before everything else.
    fn directive(&mut self, text: &str) -> bool {
        if first_illegal(text).is_some() {
            return false;
        }
        let is_good = if text.starts_with("<!DOCTYPE") {
            let mut dtd = Dtd::default();
            let is_first = self.root_at.is_none() && self.levels.len() <= 1;
            is_first && dtd.read(text, 0).ok() == Some(text.len()) && dtd.colon.is_none()
        } else {
            text.starts_with("<?") && markup::instruction(text, 0).ok() == Some(text.len()) && !markup::target(text).contains(':')
        };
        if is_good {
            self.markup([text, "", ""]);
        }
        is_good
    }

    fn clear(&mut self) {
        self.body.clear();
        self.late.clear();
        self.root_attributes.clear();
        (self.root_at, self.wrapped, self.is_whole) = (None, false, false);
        self.levels.clear();
        self.names.clear();
        self.due = Due::Message;
        self.waiting.clear();
        self.places.clear();
        self.attributes.leave(0);
        self.scope.leave(0);
        self.key.reset();
        self.tag.clear();
    }

    /// Appends the document as compact text.
    fn finish_compact(&mut self, out: &mut Vec<u8>) {
        // Several attributes of one tag keep their order.
        self.late.sort_by_key(|(at, _)| *at);
        let root = self.root.as_deref().unwrap_or(ROOT);
        let root_at = if self.wrapped { self.root_at.unwrap_or(self.body.len()) } else { 0 };
        out.extend_from_slice(&self.body[..root_at]);
        if self.wrapped {
            out.push(b'<');
            out.extend_from_slice(root.as_bytes());
            out.extend_from_slice(&self.root_attributes);
            out.extend_from_slice(if root_at == self.body.len() { b"/>" } else { b">" });
        }
        let mut copied = root_at;
        for (at, bytes) in &self.late {
            out.extend_from_slice(&self.body[copied..*at]);
            out.extend_from_slice(bytes);
            copied = *at;
        }
        out.extend_from_slice(&self.body[copied..]);
        if self.wrapped && root_at < self.body.len() {
            out.extend_from_slice(b"</");
            out.extend_from_slice(root.as_bytes());
            out.push(b'>');
        }
    }
}

const EMPTY: &str = "empty record became empty text";
const NUMBER: &str = "number became text";

fn put_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.push(b'=');
    escape::attribute(out, value);
}

/// Returns the text of a float that has no digits (XML Schema Part 2, 3.3.5).
fn special(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "INF",
        f64::NEG_INFINITY => "-INF",
        _ => "NaN",
    }
}

impl<'m> Sink<'m> for PlainWriter {
    fn needs(&self) -> Needs {
        Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.key.is_open() || self.is_key() {
            self.key.open(open, at)?;
            return Ok(Next::Enter);
        }
        self.tag.drop(&mut self.losses);
        match open {
            Open::Record { .. } | Open::Map(_) => {
                if let Open::Record { name, .. } = open
                    && !name.is_empty()
                {
                    self.losses.value("name of the record's type dropped", at);
                }
                if self.levels.is_empty() && self.due == Due::Message {
                    self.due = Due::Nothing;
                    self.push(Kind::Message, Due::Message, at);
                } else {
                    let due = self.place()?;
                    self.before_element();
                    self.push(Kind::Element, due, at);
                }
            }
            Open::List(_) => self.open_list(at)?,
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                self.open_list(at)?;
            }
            Open::Variant { name, index } => {
                self.losses.value("case of a sum type became its name, or an element", at);
                let due = self.place()?;
                self.push(Kind::Case, due, at);
                if name.is_empty() {
                    self.names.push_str(itoa::Buffer::new().format(index));
                } else {
                    self.names.push_str(name);
                }
            }
            Open::Tagged { space, code } => {
                self.tag.open(space, code, at, &mut self.losses);
                let due = self.place()?;
                self.push(Kind::Transparent, due, at);
            }
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        if self.key.is_open() {
            self.key.field(field)?;
            return Ok(Next::Enter);
        }
        if !self.is_key() {
            return Err(misuse("a field where a value belongs"));
        }
        let name = field.name.get();
        self.due = match name.as_bytes().first() {
            Some(b'@') => Due::Attribute,
            Some(b'#') if name == "#text" => Due::Text,
            _ => Due::Element,
        };
        self.name.clear();
        self.name.push_str(name);
        Ok(Next::Enter)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.key.is_open() {
            return self.key.inner(value);
        }
        if self.is_key() {
            let text = self.key.scalar(value)?;
            self.name.clear();
            self.name.push_str(text);
            self.take_key(at);
            return Ok(());
        }
        let is_message = self.levels.is_empty();
        let due = self.place()?;
        let known = if self.tag.is_open() { self.tag.text(&value, at, &mut self.losses) } else { None };
        let value = known.as_deref().map_or(value, |text| Scalar::Text(Str::Scratch(text)));
        match value {
            Scalar::Text(text) if due == Due::Element && first_illegal(text.get()).is_none() => self.element(due, text.get(), at),
            _ => {
                self.spell(value, at);
                self.put_scratch(due, at);
            }
        }
        if is_message {
            self.whole(at);
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(misuse("text in parts"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        if self.key.is_open() {
            if let Some(text) = self.key.close(at)? {
                self.name.clear();
                self.name.push_str(text);
                self.take_key(at);
            }
            return Ok(());
        }
        if self.due != Due::Nothing {
            return Err(misuse("the end of a container before the value of a field"));
        }
        let Some(kind) = self.levels.last().map(|level| level.kind) else { return Err(misuse("a close without its open")) };
        if matches!(kind, Kind::Message | Kind::Element | Kind::Items)
            && let Some(index) = self.levels.len().checked_sub(1).filter(|&index| self.levels[index].tag == Tag::Waiting)
        {
            self.complete(index);
        }
        let Some(level) = self.levels.pop() else { return Err(misuse("a close without its open")) };
        match kind {
            Kind::Message => {
                self.wrapped |= self.root.is_some() || self.root_at.is_none() || level.evident;
                if self.wrapped && self.root.is_none() {
                    self.losses.value("element added around the message", level.at);
                }
                if level.values == 0 {
                    self.losses.value(EMPTY, level.at);
                }
            }
            Kind::Element | Kind::Items => self.end_element(level),
            Kind::List => match level.values {
                0 => self.losses.value("empty list dropped", level.at),
                1 => self.losses.value("list of one value became the value", level.at),
                _ => {}
            },
            Kind::Transparent => {}
            Kind::Case if level.values > 0 => {
                self.put("</");
                self.body.extend_from_slice(&self.names.as_bytes()[level.name..level.case]);
                self.put(">");
            }
            Kind::Case => {
                self.name = self.names[level.name..level.case].to_string();
                self.scratch.clear();
                let case = self.names[level.case..].to_string();
                self.spell_text(&case, level.at);
                self.put_scratch(level.due, level.at);
            }
        }
        self.names.truncate(level.name);
        self.scope.leave(level.scope);
        self.attributes.leave(self.levels.len() + 1);
        if self.levels.is_empty() {
            if kind != Kind::Message {
                self.whole(level.at);
            }
            self.is_whole = true;
        }
        self.due = Due::Nothing;
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let written = match note {
            _ if self.key.is_open() || self.levels.last().is_some_and(|level| level.kind == Kind::Case && level.values == 0) => false,
            Note::Comment(text) => {
                let good = !text.contains("--") && !text.ends_with('-') && !text.contains('\r') && first_illegal(text).is_none();
                if good {
                    self.markup(["<!--", text, "-->"]);
                }
                good
            }
            Note::Directive(text) => self.directive(text),
            _ => false,
        };
        if !written {
            self.losses.note(note, at);
        }
        Ok(())
    }
}

impl PlainWriter {
    /// Follows a message that is no record.
    fn whole(&mut self, at: Span) {
        self.is_whole = true;
        if self.root.is_none() {
            self.losses.value("element added around the message", at);
        }
    }
}

impl Writer for PlainWriter {
    fn lay_out(&mut self, layout: &Layout) -> bool {
        self.layout = layout.clone();
        true
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.is_whole || !self.levels.is_empty() {
            return Err(misuse("the end of a message before the end of its value"));
        }
        match self.layout.indent {
            None => self.finish_compact(out),
            Some(indent) => {
                let mut compact = std::mem::take(&mut self.compact);
                compact.clear();
                self.finish_compact(&mut compact);
                layout::lay_out(&compact, indent, out);
                self.compact = compact;
            }
        }
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
