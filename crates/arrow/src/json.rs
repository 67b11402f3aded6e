//! Values without a type, as JSON text: written from events, and read back.

use std::io::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::value::ValueSink;
use polywire_core::{Error, ErrorKind, Fault, Field, Len, Losses, Open, Result, Scalar, Sink, Span, Str, Value};
use polywire_json::cursor::{Cursor, Text};
use polywire_json::number;
use polywire_json::string::{Short, string};

/// Deepest nesting of a text that is read back.
const MAX_DEPTH: usize = 2048;

/// The JSON text of a value under way.
#[derive(Default)]
pub(crate) struct JsonText {
    pub out: Vec<u8>,
    levels: Vec<Level>,
}

struct Level {
    kind: Kind,
    /// Entries so far.
    count: u64,
    /// Place behind the name of a variant, and before it.
    from: usize,
    start: usize,
    /// True if the key was written and its value comes.
    value_due: bool,
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    List,
    Object,
    Variant,
    Mark,
}

impl JsonText {
    /// Returns true if no value is under way.
    pub fn is_whole(&self) -> bool {
        self.levels.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.out.clear();
        self.levels.clear();
    }

    /// Writes what comes before a value. Returns true if it is a key.
    fn value(&mut self) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        match level.kind {
            Kind::Object if level.value_due => level.value_due = false,
            Kind::Object => {
                if level.count > 0 {
                    self.out.push(b',');
                }
                level.count += 1;
                level.value_due = true;
                return true;
            }
            Kind::List => {
                if level.count > 0 {
                    self.out.push(b',');
                }
                level.count += 1;
            }
            Kind::Variant => {
                // A second value makes a list of them.
                match level.count {
                    0 => {}
                    1 => {
                        self.out.insert(level.from, b'[');
                        self.out.push(b',');
                    }
                    _ => self.out.push(b','),
                }
                level.count += 1;
            }
            Kind::Mark => level.count += 1,
        }
        false
    }

    pub fn open(&mut self, open: Open<'_>, at: Span, losses: &mut Losses) {
        if self.value() {
            losses.value("key that is no text became null", at);
            self.out.extend_from_slice(b"\"null\":");
        }
        let start = self.out.len();
        let kind = match open {
            Open::Map(_) | Open::Record { .. } => {
                self.out.push(b'{');
                Kind::Object
            }
            Open::Variant { name, index } => {
                losses.value("case of a sum type became an object or text", at);
                self.out.push(b'{');
                match name {
                    "" => string(&mut self.out, &index.to_string(), Short::Lines),
                    name => string(&mut self.out, name, Short::Lines),
                }
                self.out.push(b':');
                Kind::Variant
            }
            Open::Tagged { .. } => {
                losses.value("mark dropped", at);
                Kind::Mark
            }
            _ => {
                self.out.push(b'[');
                Kind::List
            }
        };
        self.levels.push(Level { kind, count: 0, from: self.out.len(), start, value_due: false });
    }

    pub fn field(&mut self, name: &str) {
        self.value();
        string(&mut self.out, name, Short::Lines);
        self.out.push(b':');
    }

    pub fn close(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        match level.kind {
            Kind::List => self.out.push(b']'),
            Kind::Object => self.out.push(b'}'),
            Kind::Mark if level.count == 0 => self.out.extend_from_slice(b"null"),
            Kind::Mark => {}
            Kind::Variant if level.count == 0 => {
                // A case without values is its name.
                self.out.truncate(level.from - 1);
                self.out.remove(level.start);
            }
            Kind::Variant => self.out.extend_from_slice(if level.count > 1 { b"]}" } else { b"}" }),
        }
    }

    pub fn scalar(&mut self, value: &Scalar<'_, '_>, at: Span, losses: &mut Losses) {
        if !self.value() {
            return put(&mut self.out, value, at, losses);
        }
        let mut key = Vec::new();
        put(&mut key, value, at, losses);
        if key.first() == Some(&b'"') {
            self.out.extend_from_slice(&key);
        } else {
            losses.value("key became text", at);
            string(&mut self.out, &String::from_utf8_lossy(&key), Short::Lines);
        }
        self.out.push(b':');
    }
}

/// Appends a scalar.
fn put(out: &mut Vec<u8>, value: &Scalar<'_, '_>, at: Span, losses: &mut Losses) {
    if let Some(digits) = value.digits() {
        return out.extend_from_slice(digits.as_bytes());
    }
    match value {
        Scalar::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Scalar::Int(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::UInt(value, _) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Scalar::F32(value, _) if value.is_finite() => {
            losses.value("binary32 number became decimal text", at);
            let _ = write!(out, "{value:?}");
        }
        Scalar::F64(value, _) if value.is_finite() => {
            let _ = write!(out, "{value:?}");
        }
        Scalar::Text(text) => string(out, text.get(), Short::Lines),
        Scalar::Bytes(bytes) => {
            losses.value("bytes became base64 text", at);
            string(out, &STANDARD.encode(bytes.get()), Short::Lines);
        }
        Scalar::Octets(bytes) => match std::str::from_utf8(bytes.get()) {
            Ok(text) => {
                losses.value("octets became text", at);
                string(out, text, Short::Lines);
            }
            Err(_) => {
                losses.value("octets became base64 text", at);
                string(out, &STANDARD.encode(bytes.get()), Short::Lines);
            }
        },
        Scalar::Time(moment) => {
            losses.value("timestamp became text", at);
            string(out, &moment.to_string(), Short::Lines);
        }
        Scalar::F32(..) | Scalar::F64(..) => {
            losses.value("number without digits became null", at);
            out.extend_from_slice(b"null");
        }
        _ => out.extend_from_slice(b"null"),
    }
}

/// Emits the events of one JSON text, with empty spans.
///
/// # Errors
/// The text is no JSON, or is nested too deep.
pub(crate) fn parse(text: &str) -> Result<Value> {
    let at = Span::NONE;
    let mut sink = ValueSink::default();
    let mut cursor = Cursor::new(text);
    let mut scratch = String::new();
    // True for objects.
    let mut levels: Vec<bool> = Vec::new();
    loop {
        cursor.white();
        match cursor.byte().ok_or_else(wrong)? {
            open @ (b'{' | b'[') => {
                if levels.len() == MAX_DEPTH {
                    return Err(Error::new(ErrorKind::Limit, Fault::Data).seen("JSON text that is nested too deep"));
                }
                cursor.at += 1;
                let is_object = open == b'{';
                sink.open(if is_object { Open::Record { name: "", len: Len::Unknown } } else { Open::List(Len::Unknown) }, at)?;
                levels.push(is_object);
                cursor.white();
                if cursor.byte() != Some(if is_object { b'}' } else { b']' }) {
                    if is_object {
                        key(&mut cursor, &mut scratch, &mut sink)?;
                    }
                    continue;
                }
            }
            b'"' => {
                cursor.at += 1;
                let found = cursor.string(&mut scratch).map_err(|_| wrong())?;
                sink.scalar(Scalar::Text(text_of(found, &scratch)), at)?;
            }
            b't' | b'f' | b'n' => {
                let rest = &text[cursor.at..];
                let words = [("true", Scalar::Bool(true)), ("false", Scalar::Bool(false)), ("null", Scalar::Null)];
                let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word)).ok_or_else(wrong)?;
                cursor.at += word.len();
                sink.scalar(value, at)?;
            }
            _ => {
                let number = number::scan(text.as_bytes(), cursor.at).map_err(|_| wrong())?;
                sink.scalar(number.scalar(&text[cursor.at..number.end]), at)?;
                cursor.at = number.end;
            }
        }
        loop {
            cursor.white();
            let Some(is_object) = levels.last().copied() else {
                let value = sink.finish().filter(|_| cursor.at == text.len());
                return value.ok_or_else(wrong);
            };
            match cursor.byte().ok_or_else(wrong)? {
                b'}' if is_object => {}
                b']' if !is_object => {}
                b',' => {
                    cursor.at += 1;
                    if is_object {
                        key(&mut cursor, &mut scratch, &mut sink)?;
                    }
                    break;
                }
                _ => return Err(wrong()),
            }
            cursor.at += 1;
            levels.pop();
            sink.close(at)?;
        }
    }
}

fn key(cursor: &mut Cursor<'_>, scratch: &mut String, sink: &mut ValueSink) -> Result<()> {
    cursor.white();
    if cursor.byte() != Some(b'"') {
        return Err(wrong());
    }
    cursor.at += 1;
    let found = cursor.string(scratch).map_err(|_| wrong())?;
    sink.field(Field::named(text_of(found, scratch)), Span::NONE)?;
    cursor.white();
    if cursor.byte() != Some(b':') {
        return Err(wrong());
    }
    cursor.at += 1;
    Ok(())
}

fn text_of<'m, 's>(found: Text<'m>, scratch: &'s str) -> Str<'m, 's, str> {
    match found {
        Text::Plain(plain) => Str::Input(plain),
        Text::Unescaped => Str::Scratch(scratch),
    }
}

#[cold]
fn wrong() -> Error {
    Error::new(ErrorKind::Syntax, Fault::Data).seen("other text in a column of JSON text").expected("JSON, as the schema says")
}
