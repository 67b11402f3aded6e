//! JSON text to Rust's types, without events. Its twin is the walk into a tree.

use polywire_core::serde::{Kind, Name, Number, Special, bytes_of_base64, exact, is_special, mismatch, visit, visit_number};
use polywire_core::{Budget, Error, ErrorKind, Limits, Result, Scalar, Str};
use polywire_json::cursor::Cursor;
use polywire_json::number;
use polywire_json::string::long_plain_end;
use serde_core::de::value::StrDeserializer;
use serde_core::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::mistakes;
use crate::serde::access::{Case, CaseOf, MORE_FIELDS, MORE_VALUES, no_case};
use crate::serde::placed::Placed;
use crate::serde::pulls::{check, walk_first};

/// Reads a message as a type. The message starts at offset `base` of its stream.
///
/// # Errors
/// The message is no JSON, exceeds the limits, or is none of the type. The error has an offset.
pub fn read<'de, T: Deserialize<'de>>(msg: &'de [u8], base: u64, limits: &Limits) -> Result<T> {
    if walk_first(msg.len(), limits) {
        check(&super::super::FORMAT, msg, base, limits)?;
    }
    let (text, utf8_ends_at) = mistakes::text_of(msg);
    let mut deserializer = Deserializer::new(text, base, limits);
    let outcome = T::deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    match utf8_ends_at {
        None => outcome,
        Some(valid) => mistakes::at_bad_byte(outcome, msg, base, valid),
    }
}

/// A deserializer of a JSON text. Strings without escapes are borrowed from it.
#[derive(Debug)]
pub struct Deserializer<'de> {
    text: &'de str,
    bytes: &'de [u8],
    at: usize,
    base: u64,
    /// Number of containers that may still be within each other.
    depth: u32,
    limits: Limits,
    digits: usize,
    unescaped: String,
    /// Open containers of a value that is ignored: true for objects.
    levels: Vec<bool>,
}

impl Placed for Deserializer<'_> {
    #[inline(always)]
    fn base(&self) -> u64 {
        self.base
    }
}

impl<'de> Deserializer<'de> {
    /// Makes a deserializer of a text that starts at offset `base` of a stream. It holds the limits
    /// on depth and digits; [`read`] holds all.
    pub fn new(text: &'de str, base: u64, limits: &Limits) -> Self {
        Deserializer {
            text,
            bytes: text.as_bytes(),
            at: 0,
            base,
            depth: limits.depth.min(Limits::MAX_DEPTH),
            limits: *limits,
            digits: limits.digits as usize,
            unescaped: String::new(),
            levels: Vec::new(),
        }
    }

    /// Checks that nothing but white space is left.
    ///
    /// # Errors
    /// There is something.
    pub fn end(&mut self) -> Result<()> {
        let at = self.white();
        if at < self.bytes.len() { Err(self.unexpected(at, ErrorKind::Trailing, "the end of the message")) } else { Ok(()) }
    }

    #[inline(always)]
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Steps over white space, and returns the offset after it.
    #[inline(always)]
    fn white(&mut self) -> usize {
        let at = self.at;
        match self.bytes.get(at) {
            Some(&byte) if byte <= b' ' => self.more_white(at),
            _ => at,
        }
    }

    #[inline]
    fn more_white(&mut self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(at) {
            at += 1;
        }
        self.at = at;
        at
    }

    #[cold]
    fn unexpected(&self, at: usize, kind: ErrorKind, expected: &'static str) -> Error {
        mistakes::unexpected(self.text, self.base, at, kind, expected)
    }

    #[cold]
    fn no_value(&self, at: usize) -> Error {
        self.unexpected(at, ErrorKind::Syntax, "a value")
    }

    #[inline]
    fn enter(&mut self, start: usize) -> Result<()> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(Budget::new(&self.limits).too_deep(self.base + start as u64)),
        }
    }

    /// Reads the string whose quote is at `start`.
    #[inline(always)]
    fn string(&mut self, start: usize) -> Result<Str<'de, '_, str>> {
        let from = start + 1;
        let end = long_plain_end(self.bytes, from);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Str::Input(&self.text[from..end]));
        }
        self.unescape(from, end)?;
        Ok(Str::Scratch(&self.unescaped))
    }

    #[inline(never)]
    fn unescape(&mut self, from: usize, end: usize) -> Result<()> {
        let mut cursor = Cursor { text: self.text, at: from };
        match cursor.unescape(end, &mut self.unescaped) {
            Ok(()) => {
                self.at = cursor.at;
                Ok(())
            }
            Err(mistake) => Err(mistakes::mistake(self.text, self.base, mistake)),
        }
    }

    #[inline]
    fn literal<const N: usize>(&mut self, start: usize, word: &'static [u8; N]) -> Result<()> {
        if self.bytes.get(start..start + N) != Some(word) {
            return Err(mistakes::misspelt(self.text, self.base, start, word));
        }
        self.at = start + N;
        Ok(())
    }

    #[inline(always)]
    fn scan(&mut self, start: usize) -> Result<number::Number> {
        match number::scan(self.bytes, start) {
            Ok(number) => {
                if number.end - start > self.digits {
                    Budget::new(&self.limits).digits(number.end - start, self.base + start as u64)?;
                }
                self.at = number.end;
                Ok(number)
            }
            Err(bad) => Err(self.unexpected(bad.at, ErrorKind::Syntax, bad.expected)),
        }
    }

    fn number<V: Visitor<'de>>(&mut self, start: usize, wanted: Number, visitor: V) -> Result<V::Value> {
        let number = self.scan(start)?;
        let outcome = match number.integer() {
            Some(integer) => visit(integer, visitor),
            None => {
                let text = &self.text[start..number.end];
                visit_number(number.scalar(text), Some(text), wanted, visitor)
            }
        };
        self.placed(start, outcome)
    }

    /// Reads a value that is likely to be a whole number.
    #[inline(always)]
    fn whole<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        match self.byte(start) {
            Some(b'-' | b'0'..=b'9') => {
                let number = self.scan(start)?;
                let outcome = match number.integer() {
                    Some(Scalar::UInt(value, _)) => visitor.visit_u64(value),
                    Some(Scalar::Int(value, _)) => visitor.visit_i64(value),
                    _ => visit(number.scalar(&self.text[start..number.end]), visitor),
                };
                self.placed(start, outcome)
            }
            _ => self.value(visitor),
        }
    }

    /// Reads a whole number of 128 bits, which may be text.
    fn wide<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) != Some(b'"') {
            return self.whole(visitor);
        }
        let outcome = match self.string(start)? {
            Str::Input(text) => visit_number(Scalar::Text(Str::Input(text)), None, Number::Wide, visitor),
            Str::Scratch(text) => visit_number(Scalar::Text(Str::Scratch(text)), None, Number::Wide, visitor),
        };
        self.placed(start, outcome)
    }

    /// Reads a value that is likely to be a float.
    #[inline(always)]
    fn float<V: Visitor<'de>>(&mut self, wanted: Number, visitor: V) -> Result<V::Value> {
        let start = self.white();
        match self.byte(start) {
            Some(b'-' | b'0'..=b'9') if wanted == Number::F64 => {
                let number = self.scan(start)?;
                let outcome = match number.nearest() {
                    Some(value) if number.whole().is_none() => visitor.visit_f64(value),
                    _ => self.long_float(start, &number, visitor),
                };
                self.placed(start, outcome)
            }
            Some(b'-' | b'0'..=b'9') => self.number(start, wanted, visitor),
            _ => self.value(visitor),
        }
    }

    #[inline(never)]
    fn long_float<V: Visitor<'de>>(&self, start: usize, number: &number::Number, visitor: V) -> Result<V::Value> {
        match number.integer() {
            Some(integer) => visit(integer, visitor),
            None => {
                let text = &self.text[start..number.end];
                if number.is_float() {
                    return visitor.visit_f64(text.parse().unwrap_or(f64::NAN));
                }
                visit_number(number.scalar(text), Some(text), Number::F64, visitor)
            }
        }
    }

    /// Reads a value of any kind.
    fn value<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        match self.byte(start) {
            Some(b'"') => self.text(start, visitor),
            Some(b'-' | b'0'..=b'9') => self.number(start, Number::Whole, visitor),
            Some(b'{') => self.map(start, visitor),
            Some(b'[') => self.seq(start, visitor),
            Some(b't') => {
                self.literal(start, b"true")?;
                let outcome = visitor.visit_bool(true);
                self.placed(start, outcome)
            }
            Some(b'f') => {
                self.literal(start, b"false")?;
                let outcome = visitor.visit_bool(false);
                self.placed(start, outcome)
            }
            Some(b'n') => {
                self.literal(start, b"null")?;
                let outcome = visitor.visit_unit();
                self.placed(start, outcome)
            }
            _ => Err(self.no_value(start)),
        }
    }

    #[inline(always)]
    fn text<V: Visitor<'de>>(&mut self, start: usize, visitor: V) -> Result<V::Value> {
        let outcome = match self.string(start)? {
            Str::Input(text) => visitor.visit_borrowed_str(text),
            Str::Scratch(text) => visitor.visit_str(text),
        };
        self.placed(start, outcome)
    }

    #[inline]
    fn seq<V: Visitor<'de>>(&mut self, start: usize, visitor: V) -> Result<V::Value> {
        self.enter(start)?;
        self.at = start + 1;
        let mut elements = Elements { json: self, first: true, done: false };
        let mut outcome = visitor.visit_seq(&mut elements);
        let done = elements.done;
        self.fix(start, &mut outcome);
        if !done
            && outcome.is_ok()
            && let Err(error) = self.after_last_element(start)
        {
            outcome = Err(error);
        }
        self.depth += 1;
        outcome
    }

    #[cold]
    fn after_last_element(&mut self, start: usize) -> Result<()> {
        let at = self.white();
        match self.byte(at) {
            Some(b']') => self.at = at + 1,
            Some(b',') => return Err(self.place(start, mismatch(MORE_VALUES))),
            _ => return Err(self.unexpected(at, ErrorKind::Syntax, "',' or ']'")),
        }
        Ok(())
    }

    #[inline]
    fn map<V: Visitor<'de>>(&mut self, start: usize, visitor: V) -> Result<V::Value> {
        self.enter(start)?;
        self.at = start + 1;
        let mut entries = Entries { json: self, first: true, done: false };
        let mut outcome = visitor.visit_map(&mut entries);
        let done = entries.done;
        self.fix(start, &mut outcome);
        if !done
            && outcome.is_ok()
            && let Err(error) = self.after_last(start, || mismatch(MORE_FIELDS))
        {
            outcome = Err(error);
        }
        self.depth += 1;
        outcome
    }

    /// Steps over the bracket after the last entry that was taken of the object at `start`.
    #[inline(never)]
    fn after_last(&mut self, start: usize, more: impl FnOnce() -> Error) -> Result<()> {
        let at = self.white();
        match self.byte(at) {
            Some(b'}') => self.at = at + 1,
            Some(b',') => return Err(self.place(start, more())),
            _ => return Err(self.unexpected(at, ErrorKind::Syntax, "',' or '}'")),
        }
        Ok(())
    }

    /// Reads the case of an enum whose name is at `at`, and its contents.
    fn case<V: Visitor<'de>>(&mut self, start: usize, at: usize, visitor: V) -> Result<V::Value> {
        let escaped;
        let name = match self.string(at)? {
            Str::Input(name) => Str::Input(name),
            Str::Scratch(name) => {
                escaped = name.to_string();
                Str::Scratch(escaped.as_str())
            }
        };
        self.colon()?;
        let outcome = visitor.visit_enum(CaseOf { name, contents: &mut *self });
        self.placed(start, outcome)
    }

    /// Reads the colon behind a name.
    #[inline(always)]
    fn colon(&mut self) -> Result<()> {
        let at = self.white();
        if self.byte(at) != Some(b':') {
            return Err(self.unexpected(at, ErrorKind::Syntax, "':'"));
        }
        self.at = at + 1;
        Ok(())
    }

    /// Steps over a value, and checks it.
    fn ignore(&mut self) -> Result<()> {
        self.levels.clear();
        let mut name_due = false;
        loop {
            let mut start = self.white();
            if name_due {
                if self.byte(start) != Some(b'"') {
                    return Err(self.unexpected(start, ErrorKind::Syntax, "a name in double quotes"));
                }
                self.string(start)?;
                self.colon()?;
                start = self.white();
            }
            match self.byte(start) {
                Some(b'"') => {
                    self.string(start)?;
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.scan(start)?;
                }
                Some(open @ (b'{' | b'[')) => {
                    let is_object = open == b'{';
                    self.enter(start)?;
                    self.at = start + 1;
                    let at = self.white();
                    if self.byte(at) == Some(if is_object { b'}' } else { b']' }) {
                        self.at = at + 1;
                        self.depth += 1;
                    } else {
                        self.levels.push(is_object);
                        name_due = is_object;
                        continue;
                    }
                }
                Some(b't') => self.literal(start, b"true")?,
                Some(b'f') => self.literal(start, b"false")?,
                Some(b'n') => self.literal(start, b"null")?,
                _ => return Err(self.no_value(start)),
            }
            loop {
                let Some(&is_object) = self.levels.last() else { return Ok(()) };
                let at = self.white();
                self.at = at + 1;
                match self.byte(at) {
                    Some(b',') => {
                        name_due = is_object;
                        break;
                    }
                    Some(byte) if byte == if is_object { b'}' } else { b']' } => {
                        self.levels.pop();
                        self.depth += 1;
                    }
                    _ => return Err(self.unexpected(at, ErrorKind::Syntax, if is_object { "',' or '}'" } else { "',' or ']'" })),
                }
            }
        }
    }
}

macro_rules! numbers {
    ($($method:ident $read:ident($($wanted:expr)?);)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.$read($($wanted,)? visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.value(visitor)
    }

    numbers! {
        deserialize_i8 whole();
        deserialize_i16 whole();
        deserialize_i32 whole();
        deserialize_i64 whole();
        deserialize_i128 wide();
        deserialize_u8 whole();
        deserialize_u16 whole();
        deserialize_u32 whole();
        deserialize_u64 whole();
        deserialize_u128 wide();
        deserialize_f32 float(Number::F32);
        deserialize_f64 float(Number::F64);
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        let value = match self.byte(start) {
            Some(b't') => {
                self.literal(start, b"true")?;
                true
            }
            Some(b'f') => {
                self.literal(start, b"false")?;
                false
            }
            _ => return self.value(visitor),
        };
        let outcome = visitor.visit_bool(value);
        self.placed(start, outcome)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) == Some(b'"') { self.text(start, visitor) } else { self.value(visitor) }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) != Some(b'"') {
            return self.value(visitor);
        }
        let bytes = bytes_of_base64(self.string(start)?.get());
        let outcome = bytes.and_then(|bytes| visitor.visit_byte_buf(bytes));
        self.placed(start, outcome)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) != Some(b'n') {
            return visitor.visit_some(self);
        }
        self.literal(start, b"null")?;
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.value(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        self.value(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if !is_special(name) {
            return visitor.visit_newtype_struct(self);
        }
        let start = self.white();
        let outcome = if name == Special::Value.name() {
            match self.byte(start) {
                Some(b'{') => exact(Kind::Fields, &mut *self, visitor),
                Some(b'-' | b'0'..=b'9') => {
                    let number = self.scan(start)?;
                    match number.scalar(&self.text[start..number.end]) {
                        Scalar::Big(digits, _) => exact(Kind::Big, StrDeserializer::new(digits.get()), visitor),
                        Scalar::Decimal(digits, _) => exact(Kind::Decimal, StrDeserializer::new(digits.get()), visitor),
                        scalar => visit(scalar, visitor),
                    }
                }
                _ => self.value(visitor),
            }
        } else {
            visitor.visit_newtype_struct(&mut *self)
        };
        self.placed(start, outcome)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) == Some(b'[') { self.seq(start, visitor) } else { self.value(visitor) }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.white();
        if self.byte(start) == Some(b'{') { self.map(start, visitor) } else { self.value(visitor) }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let start = self.white();
        match self.byte(start) {
            Some(b'"') => {
                let outcome = match self.string(start)? {
                    Str::Input(name) => visitor.visit_enum(Case(Str::Input(name))),
                    Str::Scratch(name) => visitor.visit_enum(Case(Str::Scratch(name))),
                };
                self.placed(start, outcome)
            }
            Some(b'{') => {
                self.enter(start)?;
                self.at = start + 1;
                let at = self.white();
                match self.byte(at) {
                    Some(b'"') => {}
                    Some(b'}') => return Err(self.place(start, no_case())),
                    _ => return Err(self.unexpected(at, ErrorKind::Syntax, "a name in double quotes")),
                }
                let value = self.case(start, at, visitor)?;
                match self.byte(self.at) {
                    Some(b'}') => self.at += 1,
                    _ => self.after_last(start, no_case)?,
                }
                self.depth += 1;
                Ok(value)
            }
            Some(b'[') => Err(self.place(start, no_case())),
            _ => self.value(visitor),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.ignore()?;
        visitor.visit_unit()
    }
}

/// The elements of an array.
struct Elements<'a, 'de> {
    json: &'a mut Deserializer<'de>,
    first: bool,
    done: bool,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let at = self.json.white();
        match self.json.byte(at) {
            Some(b']') => {
                self.json.at = at + 1;
                self.done = true;
                return Ok(None);
            }
            _ if self.first => self.first = false,
            Some(b',') => self.json.at = at + 1,
            _ => return Err(self.json.unexpected(at, ErrorKind::Syntax, "',' or ']'")),
        }
        seed.deserialize(&mut *self.json).map(Some)
    }
}

/// The entries of an object.
struct Entries<'a, 'de> {
    json: &'a mut Deserializer<'de>,
    first: bool,
    done: bool,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let mut at = self.json.white();
        match self.json.byte(at) {
            Some(b'}') => {
                self.json.at = at + 1;
                self.done = true;
                return Ok(None);
            }
            _ if self.first => self.first = false,
            Some(b',') => {
                self.json.at = at + 1;
                at = self.json.white();
            }
            _ => return Err(self.json.unexpected(at, ErrorKind::Syntax, "',' or '}'")),
        }
        if self.json.byte(at) != Some(b'"') {
            return Err(self.json.unexpected(at, ErrorKind::Syntax, "a name in double quotes"));
        }
        let outcome = match self.json.string(at)? {
            Str::Input(name) => seed.deserialize(Name(Str::Input(name))),
            Str::Scratch(name) => seed.deserialize(Name(Str::Scratch(name))),
        };
        self.json.placed(at, outcome).map(Some)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        self.json.colon()?;
        seed.deserialize(&mut *self.json)
    }
}
