//! Events to compact JSON text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::{Mark, OutBuf, Room};
use polywire_core::value::Tree;
use polywire_core::value::lexical::spells_float;
use polywire_core::walk::{KeyCost, Layout};
use polywire_core::{Error, Field, Hint, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};
use polywire_json::layout::lay_out;
use polywire_json::string::{self as json_string, Short};

use super::float::Buffer;
use super::{once, plain};
use crate::tag_text::TagText;

/// Writes JSON. Values that JSON has no form for are written in the nearest form, and noted as a
/// loss.
#[derive(Debug, Default)]
pub struct JsonWriter {
    out: OutBuf,
    /// A message that came as a whole tree.
    room: Room,
    next: Due,
    levels: Vec<Level>,
    keys: KeyCost,
    losses: Losses,
    scratch: String,
    /// Memory of the fast way: its open containers, true for objects, and a string with escapes.
    open: Vec<bool>,
    escaped: Vec<u8>,
    /// True if each message has to stay on one line.
    one_line: bool,
    look: Option<Box<Look>>,
    /// A tag before the next value.
    tag: TagText,
}

/// The look of messages other than compact text without colours.
#[derive(Debug)]
struct Look {
    layout: Layout,
    /// The compact text of a message.
    compact: Vec<u8>,
}

/// The place of the next value in the innermost container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Due {
    /// Outside of all containers, or behind a tag: nothing comes before the value.
    #[default]
    Alone,
    /// First in a list.
    First,
    /// In a list, behind another value.
    Element,
    /// The value of a name that is written.
    Named,
    /// The first name of an object.
    FirstName,
    /// The name of an object's entry behind another one.
    Name,
    /// A value of a sum type's case.
    OfVariant,
    /// Behind a tag that may be part of the value's text.
    Tagged,
}

#[derive(Debug)]
struct Level {
    kind: Kind,
    /// The place of the value after this container.
    after: Due,
    /// Place of its first byte.
    start: usize,
    /// True in objects with a key that was no text, and may have become the name of another entry.
    odd: bool,
}

/// A case of a sum type.
#[derive(Debug)]
struct Variant {
    name: String,
    /// Place of the `[` if a second value comes.
    bracket: Option<Mark>,
    /// Number of values so far.
    values: u64,
}

#[derive(Debug)]
enum Kind {
    List,
    Object,
    /// A case of a sum type: its name alone, or an object of its name and its values.
    Variant(Box<Variant>),
    /// A tag that is not written: its value stands for itself.
    Transparent,
    /// A key that is no scalar: everything written from here on becomes one string.
    Key(usize, Box<Kind>),
}

impl JsonWriter {
    /// Makes a writer whose messages stay on one line each.
    pub(crate) fn of_lines() -> JsonWriter {
        JsonWriter { one_line: true, ..JsonWriter::default() }
    }

    /// Appends the message as compact text.
    fn finish_compact(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.room.is_empty() {
            if !self.out.is_empty() {
                return Err(Error::internal("two messages in one"));
            }
            self.room.finish(out);
            return Ok(());
        }
        if !self.levels.is_empty() || self.out.is_empty() {
            return Err(Error::internal("a message that is not whole"));
        }
        self.out.finish(out);
        self.keys.reset();
        Ok(())
    }

    /// Writes the text before a value. Returns true if the value is the key of a map, or one behind
    /// a tag.
    #[inline(always)]
    fn before(&mut self) -> bool {
        match self.next {
            Due::Named => self.next = Due::Name,
            Due::Element => self.out.byte(b','),
            Due::First => self.next = Due::Element,
            Due::Alone => {}
            Due::Name | Due::FirstName | Due::OfVariant | Due::Tagged => return self.before_rare(),
        }
        false
    }

    /// Writes the text before a key that is no text, or before a value of a sum type's case.
    #[cold]
    fn before_rare(&mut self) -> bool {
        if self.next == Due::Tagged {
            self.next = Due::Alone;
            return true;
        }
        let Some(level) = self.levels.last_mut() else { return false };
        let kind = match &mut level.kind {
            Kind::Key(_, kind) => &mut **kind,
            kind => kind,
        };
        let Kind::Variant(variant) = kind else {
            if self.next == Due::Name {
                self.out.byte(b',');
            }
            self.next = Due::Named;
            level.odd = true;
            return true;
        };
        match (variant.values, variant.bracket) {
            (0, _) => {
                self.out.byte(b'{');
                string(self.out.bytes_mut(), &variant.name);
                self.out.byte(b':');
                variant.bracket = Some(self.out.open());
            }
            (1, Some(bracket)) => {
                self.out.close(bracket, b"[");
                self.out.byte(b',');
            }
            _ => self.out.byte(b','),
        }
        variant.values += 1;
        false
    }

    #[inline]
    fn uint(&mut self, value: u64) {
        match value {
            0..=9 => self.out.byte(b'0' + value as u8),
            _ => self.out.put_short([], itoa::Buffer::new().format(value).as_bytes()),
        }
    }

    fn text_of_bytes(&mut self, bytes: &[u8]) {
        self.scratch.clear();
        STANDARD.encode_string(bytes, &mut self.scratch);
        string(self.out.bytes_mut(), &self.scratch);
    }

    fn float(&mut self, value: f64, hint: Hint<'_>, at: Span) {
        if let Some(digits) = hint.digits().filter(|digits| spells_float(digits)) {
            self.out.put_short([], digits.as_bytes());
        } else if value.is_finite() {
            self.out.put_short([], Buffer::new().format(value).as_bytes());
        } else {
            self.losses.value("NaN or infinity became null", at);
            self.out.put(b"null");
        }
    }

    fn value(&mut self, value: Scalar<'_, '_>, at: Span) {
        match value {
            Scalar::Text(text) => string(self.out.bytes_mut(), text.get()),
            Scalar::UInt(value, _) => self.uint(value),
            Scalar::Int(value, _) => self.out.put_short([], itoa::Buffer::new().format(value).as_bytes()),
            Scalar::F64(value, hint) => self.float(value, hint, at),
            // An f64's digits, so that reading them gives the same number.
            Scalar::F32(value, hint) => self.float(f64::from(value), hint, at),
            Scalar::Bool(true) => self.out.put(b"true"),
            Scalar::Bool(false) => self.out.put(b"false"),
            Scalar::Null => self.out.put(b"null"),
            Scalar::Big(text, _) | Scalar::Decimal(text, _) => self.out.put(text.get().as_bytes()),
            Scalar::Time(moment) => {
                self.losses.value("timestamp became text", at);
                string(self.out.bytes_mut(), &moment.to_string());
            }
            Scalar::Bytes(bytes) => {
                self.losses.value("bytes became base64 text", at);
                self.text_of_bytes(bytes.get());
            }
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
                Ok(text) => {
                    self.losses.value("octets became text", at);
                    string(self.out.bytes_mut(), text);
                }
                Err(_) => {
                    self.losses.value("octets became base64 text", at);
                    self.text_of_bytes(bytes.get());
                }
            },
            _ => {
                self.losses.value("value of a kind that is newer than this writer became null", at);
                self.out.put(b"null");
            }
        }
    }

    /// Writes a key that is no text, or a value behind a tag.
    #[cold]
    fn key(&mut self, value: Scalar<'_, '_>, at: Span) {
        if self.tag.is_open() {
            match self.tag.text(&value, at, &mut self.losses) {
                Some(text) => string(self.out.bytes_mut(), &text),
                None => self.value(value, at),
            }
            return;
        }
        self.losses.value("key that is no text became text", at);
        let start = self.out.position();
        self.value(value, at);
        let bytes = self.out.bytes_mut();
        // Octets and times are strings already.
        if bytes.get(start) == Some(&b'"') {
            bytes.push(b':');
        } else {
            self.quote_since(start);
        }
    }

    /// Drops entries of the object at `start` whose name an earlier entry has.
    fn names_once(&mut self, start: usize, at: Span) {
        // The bracket stays: a gap before the object must not be cut with it.
        let mut object = vec![b'{'];
        object.extend(self.out.cut(start + 1));
        let (once, dropped) = once::once(&object);
        self.out.put(&once[1..]);
        for _ in 0..dropped {
            self.losses.value("entry dropped, because its key became the name of another", at);
        }
    }

    /// Makes one string of everything written since `start`, for keys that are no text. Returns the
    /// length of what became the string.
    fn quote_since(&mut self, start: usize) -> usize {
        let key = self.out.cut(start);
        string(self.out.bytes_mut(), &String::from_utf8_lossy(&key));
        self.out.byte(b':');
        key.len()
    }
}

#[inline]
fn string(out: &mut Vec<u8>, text: &str) {
    json_string::string(out, text, Short::Lines);
}

impl<'m> Sink<'m> for JsonWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        if self.next == Due::Tagged {
            self.next = Due::Alone;
            self.tag.drop(&mut self.losses);
        }
        let is_key = self.before();
        let start = self.out.position();
        let kind = match open {
            Open::List(_) => {
                self.out.byte(b'[');
                Kind::List
            }
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                self.out.byte(b'[');
                Kind::List
            }
            Open::Map(_) => {
                self.out.byte(b'{');
                Kind::Object
            }
            Open::Record { name, .. } => {
                if !name.is_empty() {
                    self.losses.value("name of the record's type dropped", at);
                }
                self.out.byte(b'{');
                Kind::Object
            }
            Open::Variant { name, .. } => {
                self.losses.value("case of a sum type became its name, or an object", at);
                Kind::Variant(Box::new(Variant { name: name.to_string(), bracket: None, values: 0 }))
            }
            Open::Tagged { space, code } => {
                self.tag.open(space, code, at, &mut self.losses);
                Kind::Transparent
            }
            other => return Err(Error::unknown_event(other.kind())),
        };
        let after = self.next;
        self.next = match kind {
            Kind::List => Due::First,
            Kind::Object => Due::FirstName,
            Kind::Variant(_) => Due::OfVariant,
            Kind::Transparent if self.tag.is_open() => Due::Tagged,
            Kind::Transparent | Kind::Key(..) => Due::Alone,
        };
        let kind = if is_key {
            self.losses.value("key that is no text became text", at);
            self.keys.enter(at)?;
            Kind::Key(start, Box::new(kind))
        } else {
            kind
        };
        self.levels.push(Level { kind, after, start, odd: false });
        Ok(Next::Enter)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let (name, out) = (field.name.get(), self.out.bytes_mut());
        match self.next {
            Due::Name => json_string::quoted(out, *b",\"", name, *b"\":", Short::Lines),
            Due::FirstName => json_string::quoted(out, *b"\"", name, *b"\":", Short::Lines),
            _ => return Err(Error::internal("a field outside of all records")),
        }
        self.next = Due::Named;
        Ok(Next::Enter)
    }

    // The common kinds come first, and the rest in functions of their own.
    #[inline(always)]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        if self.before() {
            self.key(value, at);
            return Ok(());
        }
        match value {
            Scalar::Text(text) => string(self.out.bytes_mut(), text.get()),
            Scalar::UInt(value, _) => self.uint(value),
            Scalar::Bool(true) => self.out.put(b"true"),
            Scalar::Bool(false) => self.out.put(b"false"),
            other => self.value(other, at),
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, at: Span) -> Result<()> {
        let Some(level) = self.levels.pop() else { return Err(Error::internal("a close without its open")) };
        self.next = level.after;
        let (kind, key) = match level.kind {
            Kind::Key(start, kind) => (*kind, Some(start)),
            kind => (kind, None),
        };
        match kind {
            Kind::List => self.out.byte(b']'),
            Kind::Object => {
                self.out.byte(b'}');
                if level.odd {
                    self.names_once(level.start, at);
                }
            }
            Kind::Variant(variant) => match variant.values {
                0 => string(self.out.bytes_mut(), &variant.name),
                1 => self.out.byte(b'}'),
                _ => self.out.put(b"]}"),
            },
            Kind::Transparent | Kind::Key(..) => {}
        }
        if let Some(start) = key {
            let length = self.quote_since(start);
            self.keys.leave(length, at)?;
        }
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for JsonWriter {
    fn tree(&mut self, tree: &Tree<'_>) -> Result<()> {
        let JsonWriter { out, room, levels, open, escaped, .. } = self;
        if levels.is_empty() && out.is_empty() && room.is_empty() && room.fill(|place| plain::write(tree, place, open, escaped)) {
            return Ok(());
        }
        tree.emit_into(self)
    }

    fn lay_out(&mut self, layout: &Layout) -> bool {
        if self.one_line && layout.indent.is_some() {
            return false;
        }
        self.look = (*layout != Layout::COMPACT).then(|| Box::new(Look { layout: layout.clone(), compact: Vec::new() }));
        true
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let Some(mut look) = self.look.take() else { return self.finish_compact(out) };
        look.compact.clear();
        let outcome = self.finish_compact(&mut look.compact);
        if outcome.is_ok() {
            lay_out(&look.compact, &look.layout, out);
        }
        self.look = Some(look);
        outcome
    }

    fn reset(&mut self) {
        self.out.clear();
        self.room.clear();
        self.next = Due::Alone;
        self.levels.clear();
        self.keys.reset();
        self.tag.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
