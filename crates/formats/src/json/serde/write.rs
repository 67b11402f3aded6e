//! Rust's types to JSON text, without events. Its twin is the writer.
//!
//! A value whose text would lose something, or that has tags or names, is left to events.

use std::fmt::Display;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::bytes::{Growing, Place};
use polywire_core::serde::{Special, is_special};
use polywire_core::{Error, Result};
use polywire_json::string::{Short, is_short_and_plain, string_of_utf8};
use serde_core::Serialize;
use serde_core::ser::{self, SerializeMap};

use super::super::float::Buffer;

/// Appends a value to `out`. Returns `None`, and appends nothing, if the value is for events.
pub(crate) fn push<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Option<Result<()>> {
    let start = out.len();
    let mut text =
        Text { out: Growing::behind(std::mem::take(out)), unfit: false, exact: false, is_key: false, odd_key: false, escaped: Vec::new() };
    let outcome = value.serialize(&mut text);
    let Text { out: mut text, unfit, .. } = text;
    match outcome {
        // Each value has a comma behind it, which the end of a container replaces.
        Ok(()) => text.drop_last(b','),
        Err(_) => text.truncate(start),
    }
    *out = text.finish();
    if unfit { None } else { Some(outcome) }
}

struct Text {
    out: Growing,
    unfit: bool,
    /// True within a `Value`, where no type brings back what JSON does not say.
    exact: bool,
    /// True if the next value is the key of a map.
    is_key: bool,
    /// True if the last key was no text.
    odd_key: bool,
    /// Memory for a string with escapes.
    escaped: Vec<u8>,
}

impl Text {
    #[cold]
    fn unfit<T>(&mut self) -> Result<T> {
        self.unfit = true;
        Err(Error::internal("a value that is left to events"))
    }

    /// Writes a string, and `after`, which begins with its closing quote.
    #[inline(always)]
    fn quoted(&mut self, text: &str, after: [u8; 2]) {
        if is_short_and_plain(text.as_bytes()) {
            self.out.write(|place| {
                place.put(*b"\"")?;
                place.text(text.as_bytes())?;
                place.put(after)
            });
        } else {
            self.long(text, after);
        }
    }

    #[inline(never)]
    fn long(&mut self, text: &str, after: [u8; 2]) {
        self.escaped.clear();
        string_of_utf8(&mut self.escaped, text.as_bytes(), Short::Lines);
        self.out.push(&self.escaped[..self.escaped.len() - 1]);
        self.out.write(|place| place.put(after));
    }

    #[inline(always)]
    fn string(&mut self, text: &str) -> Result<()> {
        let after = if std::mem::take(&mut self.is_key) { *b"\":" } else { *b"\"," };
        self.quoted(text, after);
        Ok(())
    }

    /// Writes the text of a number or a word, which as a key becomes a string.
    #[inline(always)]
    fn word(&mut self, text: &[u8]) -> Result<()> {
        if self.is_key {
            return self.key(text);
        }
        self.out.write(|place| {
            place.text(text)?;
            place.put(*b",")
        });
        Ok(())
    }

    #[cold]
    fn key(&mut self, text: &[u8]) -> Result<()> {
        if self.exact {
            return self.unfit();
        }
        self.is_key = false;
        self.odd_key = true;
        self.out.write(|place| {
            place.put(*b"\"")?;
            place.text(text)?;
            place.put(*b"\":")
        });
        Ok(())
    }

    /// Writes null, which as a key no type would read back.
    #[inline(always)]
    fn null(&mut self) -> Result<()> {
        if self.is_key { self.unfit() } else { self.word(b"null") }
    }

    fn float(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return self.unfit();
        }
        self.word(Buffer::new().format(value).as_bytes())
    }

    #[inline(always)]
    fn begin(&mut self, open: u8) -> Result<Container<'_>> {
        if self.is_key {
            return self.unfit();
        }
        self.out.write(|place| place.put([open]));
        Ok(Container { text: self, close: open + 2, around: false, keys: Keys::default() })
    }

    /// Begins a case of an enum: its name, behind a bracket.
    fn case(&mut self, name: &str) -> Result<()> {
        if self.is_key {
            return self.unfit();
        }
        self.out.write(|place| place.put(*b"{"));
        self.quoted(name, *b"\":");
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self, close: u8) {
        self.out.drop_last(b',');
        self.out.write(|place: &mut Place<'_>| place.put([close, b',']));
    }
}

impl<'a> ser::Serializer for &'a mut Text {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'a>;
    type SerializeTuple = Container<'a>;
    type SerializeTupleStruct = Container<'a>;
    type SerializeTupleVariant = Container<'a>;
    type SerializeMap = Container<'a>;
    type SerializeStruct = Container<'a>;
    type SerializeStructVariant = Container<'a>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.word(if value { b"true" } else { b"false" })
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.word(itoa::Buffer::new().format(value).as_bytes())
    }

    /// Writes the digits of the same `f64`, so that reading them gives the same number.
    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.float(f64::from(value))
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.float(value)
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.string(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.string(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        if self.exact || self.is_key {
            return self.unfit();
        }
        self.string(&STANDARD.encode(value))
    }

    fn serialize_none(self) -> Result<()> {
        self.null()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.null()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.null()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.string(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if !is_special(name) || name == Special::Fields.name() {
            return value.serialize(self);
        }
        if name != Special::Value.name() {
            return self.unfit();
        }
        let before = std::mem::replace(&mut self.exact, true);
        let outcome = value.serialize(&mut *self);
        self.exact = before;
        outcome
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<()> {
        self.case(variant)?;
        value.serialize(&mut *self)?;
        self.close(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Container<'a>> {
        self.begin(b'[')
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Container<'a>> {
        self.begin(b'[')
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Container<'a>> {
        if is_special(name) {
            return self.unfit();
        }
        self.begin(b'[')
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Container<'a>> {
        self.case(variant)?;
        Ok(Container { around: true, ..self.begin(b'[')? })
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Container<'a>> {
        self.begin(b'{')
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Container<'a>> {
        self.begin(b'{')
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Container<'a>> {
        self.case(variant)?;
        Ok(Container { around: true, ..self.begin(b'{')? })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.string(&value.to_string())
    }
}

/// The kinds of keys that a map has so far.
#[derive(Debug, Clone, Copy, Default)]
struct Keys {
    texts: bool,
    others: bool,
}

/// An array or object whose entries are written.
pub(crate) struct Container<'a> {
    text: &'a mut Text,
    close: u8,
    /// True if it is within the object of a case.
    around: bool,
    keys: Keys,
}

impl Container<'_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        self.text.quoted(name, *b"\":");
        value.serialize(&mut *self.text)
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.text)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        self.text.close(self.close);
        if self.around {
            self.text.close(b'}');
        }
        Ok(())
    }
}

crate::serde::container::containers!(#[inline] impl[] Container<'_>);

impl SerializeMap for Container<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.text.is_key = true;
        self.text.odd_key = false;
        key.serialize(&mut *self.text)?;
        // Texts and other keys in one map may become the same name.
        if self.text.odd_key {
            self.keys.others = true;
        } else {
            self.keys.texts = true;
        }
        if self.keys.others && self.keys.texts { self.text.unfit() } else { Ok(()) }
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.text)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}
