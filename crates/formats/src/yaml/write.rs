//! Events to YAML: blocks for entries, double quotes for text that is not plain.
//!
//! Brackets and braces hold the rest: what depends on a number that is known only at the end, cases
//! of sum types, and keys of maps.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::{Mark, OutBuf};
use polywire_core::value::lexical::spells_float;
use polywire_core::{Error, Field, Hint, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Writer};

use super::text;
use crate::tag_text::TagText;

/// Bytes of the longest key without a `?`: readers look for the colon in the first 1024 characters
/// (YAML 1.2.2 section 7.4.2).
const MAX_SIMPLE_KEY: usize = 1000;

/// Writes YAML. Values that YAML has no form for are written in the nearest form, and noted as a
/// loss.
#[derive(Debug, Default)]
pub struct YamlWriter {
    out: OutBuf,
    levels: Vec<Level>,
    /// A tag before the next value.
    tag: TagText,
    losses: Losses,
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct Level {
    kind: Kind,
    place: Place,
    entries: u64,
    /// True in maps while the value of a written key is due.
    value_due: bool,
}

#[derive(Debug)]
enum Kind {
    List,
    Map,
    /// A case of a sum type: its name alone, or a map of its name and its values.
    Variant {
        name: String,
        /// Place of the `[` if a second value comes.
        bracket: Option<Mark>,
    },
    /// A tag that is not written: its value stands for itself.
    Transparent,
}

/// The surroundings of a value.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// True if it is the key of a map.
    key: bool,
    /// True if the map or list around it is written in brackets.
    flow: bool,
    /// Columns before the entries of a block here.
    indent: usize,
    /// True if the first entry of a block here follows on the line.
    inline: bool,
}

impl Place {
    /// Reports whether a container here is written in brackets.
    fn makes_flow(self) -> bool {
        self.flow || self.key
    }
}

impl YamlWriter {
    fn spaces(&mut self, count: usize) {
        let bytes = self.out.bytes_mut();
        bytes.resize(bytes.len() + count, b' ');
    }

    /// Writes the text before an entry of the innermost container, which is a list or a map.
    fn entry(&mut self) {
        let Some(level) = self.levels.last_mut() else { return };
        let (first, place) = (level.entries == 0, level.place);
        level.entries += 1;
        match (place.makes_flow(), first) {
            (true, true) => {}
            (true, false) => self.out.put(b", "),
            (false, true) if place.inline => self.out.byte(b' '),
            (false, first) => {
                if first {
                    self.out.byte(b'\n');
                }
                self.spaces(place.indent);
            }
        }
    }

    /// Writes the text before a value; returns the value's surroundings.
    fn before(&mut self) -> Place {
        let Some(level) = self.levels.last_mut() else {
            self.out.put(b"---");
            return Place::default();
        };
        let flow = level.place.makes_flow();
        let indent = level.place.indent + 2;
        match &mut level.kind {
            Kind::Transparent => level.place,
            Kind::List => {
                self.entry();
                if !flow {
                    self.out.byte(b'-');
                }
                Place { key: false, flow, indent, inline: true }
            }
            Kind::Map if level.value_due => {
                level.value_due = false;
                if flow {
                    self.out.byte(b' ');
                }
                Place { key: false, flow, indent, inline: false }
            }
            Kind::Map => {
                level.value_due = true;
                let indent = level.place.indent;
                self.entry();
                Place { key: true, flow, indent, inline: false }
            }
            Kind::Variant { name, bracket } => {
                match (level.entries, bracket) {
                    (0, bracket) => {
                        self.out.byte(b'{');
                        key_start(self.out.bytes_mut(), name);
                        self.out.byte(b' ');
                        *bracket = Some(self.out.open());
                    }
                    (1, Some(bracket)) => {
                        self.out.close(*bracket, b"[");
                        self.out.put(b", ");
                    }
                    _ => self.out.put(b", "),
                }
                level.entries += 1;
                Place { key: false, flow: true, indent, inline: false }
            }
        }
    }

    /// Writes the text before a value that takes one line.
    fn line(&mut self, place: Place) {
        match (place.key, place.flow) {
            (true, _) => self.out.put(b"? "),
            (false, true) => {}
            (false, false) => self.out.byte(b' '),
        }
    }

    /// Writes the text after a value that takes one line.
    fn line_end(&mut self, place: Place) {
        match (place.key, place.flow) {
            (true, true) => self.out.put(b" :"),
            (true, false) => {
                self.out.byte(b'\n');
                self.spaces(place.indent);
                self.out.byte(b':');
            }
            (false, true) => {}
            (false, false) => self.out.byte(b'\n'),
        }
    }

    /// Writes the scalar in the scratch buffer.
    fn put_scratch(&mut self, place: Place) {
        let scratch = std::mem::take(&mut self.scratch);
        if place.key && scratch.len() <= MAX_SIMPLE_KEY {
            self.out.put(&scratch);
            self.out.byte(b':');
        } else {
            self.line(place);
            self.out.put(&scratch);
            self.line_end(place);
        }
        self.scratch = scratch;
    }

    fn base64(&mut self, bytes: &[u8]) {
        let encoded = STANDARD.encode(bytes);
        self.scratch.push(b'"');
        self.scratch.extend_from_slice(encoded.as_bytes());
        self.scratch.push(b'"');
    }

    fn float(&mut self, value: f64, hint: Hint<'_>) {
        if let Some(digits) = hint.digits().filter(|digits| spells_float(digits)) {
            if digits == "-0" {
                // YAML takes it for an integer.
                self.scratch.extend_from_slice(b"!!float ");
            }
            self.scratch.extend_from_slice(digits.as_bytes());
            return;
        }
        let text = if value.is_nan() {
            ".nan"
        } else if value.is_infinite() {
            if value > 0.0 { ".inf" } else { "-.inf" }
        } else {
            self.scratch.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
            return;
        };
        self.scratch.extend_from_slice(text.as_bytes());
    }
}

/// Writes the name of a map's entry, and the colon.
fn key_start(out: &mut Vec<u8>, name: &str) {
    let start = out.len();
    text::push(out, name);
    if out.len() - start > MAX_SIMPLE_KEY {
        out.splice(start..start, *b"? ");
        out.push(b' ');
    }
    out.push(b':');
}

impl<'m> Sink<'m> for YamlWriter {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        let place = self.before();
        self.tag.drop(&mut self.losses);
        let kind = match open {
            Open::List(_) => Kind::List,
            Open::Tuple(_) => {
                self.losses.value("tuple became list", at);
                Kind::List
            }
            Open::Map(_) => Kind::Map,
            Open::Record { name, .. } => {
                if !name.is_empty() {
                    self.losses.value("name of the record's type dropped", at);
                }
                Kind::Map
            }
            Open::Variant { name, .. } => {
                self.losses.value("case of a sum type became its name, or a map", at);
                Kind::Variant { name: name.to_string(), bracket: None }
            }
            Open::Tagged { space, code } => {
                self.tag.open(space, code, at, &mut self.losses);
                Kind::Transparent
            }
            other => return Err(Error::unknown_event(other.kind())),
        };
        match kind {
            Kind::List if place.makes_flow() => {
                self.line(place);
                self.out.byte(b'[');
            }
            Kind::Map if place.makes_flow() => {
                self.line(place);
                self.out.byte(b'{');
            }
            Kind::Variant { .. } => self.line(place),
            _ => {}
        }
        self.levels.push(Level { kind, place, entries: 0, value_due: false });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        if self.levels.is_empty() {
            return Err(Error::internal("a field outside of all records"));
        }
        let place = self.before();
        self.scratch.clear();
        text::push(&mut self.scratch, field.name.get());
        self.put_scratch(place);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let place = self.before();
        self.scratch.clear();
        let known = if self.tag.is_open() { self.tag.text(&value, at, &mut self.losses) } else { None };
        let value = known.as_deref().map_or(value, |text| Scalar::Text(Str::Scratch(text)));
        match value {
            Scalar::Text(text) => text::push(&mut self.scratch, text.get()),
            Scalar::UInt(value, _) => self.scratch.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Scalar::Int(value, _) => self.scratch.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
            Scalar::F64(value, hint) => self.float(value, hint),
            // An f64's digits, so that reading them gives the same number.
            Scalar::F32(value, hint) => self.float(f64::from(value), hint),
            Scalar::Bool(true) => self.scratch.extend_from_slice(b"true"),
            Scalar::Bool(false) => self.scratch.extend_from_slice(b"false"),
            Scalar::Null => self.scratch.extend_from_slice(b"null"),
            Scalar::Big(text, _) | Scalar::Decimal(text, _) => self.scratch.extend_from_slice(text.get().as_bytes()),
            Scalar::Time(moment) => {
                self.losses.value("timestamp became text", at);
                text::push(&mut self.scratch, &moment.to_string());
            }
            Scalar::Bytes(bytes) => {
                self.scratch.extend_from_slice(b"!!binary ");
                self.base64(bytes.get());
            }
            Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
                Ok(text) => {
                    self.losses.value("octets became text", at);
                    text::push(&mut self.scratch, text);
                }
                Err(_) => {
                    self.losses.value("octets became base64 text", at);
                    self.base64(bytes.get());
                }
            },
            other => return Err(Error::unknown_event(other.kind())),
        }
        self.put_scratch(place);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Err(Error::internal("a value in parts for a writer that needs whole ones"))
    }

    fn close(&mut self, _: Span) -> Result<()> {
        let Some(Level { kind, place, entries, .. }) = self.levels.pop() else {
            return Err(Error::internal("a close without its open"));
        };
        match kind {
            Kind::Transparent => return Ok(()),
            Kind::List | Kind::Map => {
                let (empty, end) = if matches!(kind, Kind::List) { (b" []\n", b']') } else { (b" {}\n", b'}') };
                if !place.makes_flow() {
                    if entries == 0 {
                        self.out.put(empty);
                    }
                    return Ok(());
                }
                self.out.byte(end);
            }
            Kind::Variant { name, .. } => match entries {
                0 => text::push(self.out.bytes_mut(), &name),
                1 => self.out.byte(b'}'),
                _ => self.out.put(b"]}"),
            },
        }
        self.line_end(place);
        Ok(())
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.losses.note(note, at);
        Ok(())
    }
}

impl Writer for YamlWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.levels.is_empty() || self.out.is_empty() {
            return Err(Error::internal("a message that is not whole"));
        }
        self.out.finish(out);
        Ok(())
    }

    fn reset(&mut self) {
        self.out.clear();
        self.levels.clear();
        self.tag.clear();
        self.losses.clear();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}
