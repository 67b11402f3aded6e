//! MessagePack bytes to Rust's types, without events. Its twin is the walk into a tree.

use polywire_core::bytes::Input;
use polywire_core::serde::{Kind, Name, Number, Special, exact, is_special, mismatch, visit, visit_number};
use polywire_core::{Budget, Error, Limits, Result, Scalar, Span, Str};
use serde_core::de::value::{BytesDeserializer, SeqDeserializer, StrDeserializer};
use serde_core::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::read::{Extension, overclaimed, read_extension, trailing};
use super::super::skip::{Skipper, never_used};
use super::super::wire::{ARRAY16, ARRAY32, BIN8, BIN16, BIN32, EXT8, EXT16, EXT32, FALSE, FIXEXT1, FIXEXT16, FLOAT32, FLOAT64, NAME};
use super::super::wire::{INT8, INT16, INT32, INT64, MAP16, MAP32, NIL, STR8, STR16, STR32, TRUE, UINT8, UINT16, UINT32, UINT64};
use crate::serde::access::{Case, CaseOf, MORE_FIELDS, MORE_VALUES, TaggedParts, no_case};
use crate::serde::placed::Placed;
use crate::serde::pulls::{check, walk_first};

/// Reads a message as a type. The message starts at offset `base` of its stream.
///
/// # Errors
/// The message is no MessagePack, exceeds the limits, or is none of the type. The error has an
/// offset.
pub fn read<'de, T: Deserialize<'de>>(msg: &'de [u8], base: u64, limits: &Limits) -> Result<T> {
    if walk_first(msg.len(), limits) {
        check(&super::super::FORMAT, msg, base, limits)?;
    }
    let mut deserializer = Deserializer::new(msg, base, limits);
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// A deserializer of a MessagePack message. Texts and bytes are borrowed from it.
#[derive(Debug)]
pub struct Deserializer<'de> {
    msg: &'de [u8],
    input: Input<'de>,
    base: u64,
    /// Number of containers that may still be within each other.
    depth: u32,
    limits: Limits,
    /// Values that are left in the containers of a value that is ignored.
    levels: Vec<u64>,
}

/// A value without parts, or the start of one with parts.
enum Start<'de> {
    Scalar(Scalar<'de, 'static>),
    List(u64),
    Map(u64),
    Extension(Extension<'de>),
}

impl Placed for Deserializer<'_> {
    #[inline(always)]
    fn base(&self) -> u64 {
        self.base
    }
}

impl<'de> Deserializer<'de> {
    /// Makes a deserializer of a message that starts at offset `base` of a stream. It holds the
    /// limit on depth; [`read`] holds all.
    pub fn new(msg: &'de [u8], base: u64, limits: &Limits) -> Self {
        let depth = limits.depth.min(Limits::MAX_DEPTH);
        Deserializer { msg, input: Input::new(msg, base), base, depth, limits: *limits, levels: Vec::new() }
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// There is something.
    pub fn end(&self) -> Result<()> {
        match self.input.remaining() {
            0 => Ok(()),
            more => Err(trailing(self.input.offset(), more)),
        }
    }

    #[inline(always)]
    fn head(&mut self) -> Result<u8> {
        self.input.u8("the head of a value")
    }

    /// Returns the length of the text that begins with `head`, if it is one.
    #[inline(always)]
    fn text_length(&mut self, head: u8) -> Result<Option<u64>> {
        Ok(Some(match head {
            0xa0..=0xbf => u64::from(head & 0x1f),
            STR8 => u64::from(self.input.u8("the length of a text")?),
            STR16 => u64::from(self.input.u16_be("the length of a text")?),
            STR32 => u64::from(self.input.u32_be("the length of a text")?),
            _ => return Ok(None),
        }))
    }

    /// Takes a text, or octets if it is no UTF-8.
    #[inline(always)]
    fn take_text(&mut self, length: u64) -> Result<Scalar<'de, 'static>> {
        let bytes = self.input.take(length, "a text")?;
        Ok(match utf8(bytes) {
            Some(text) => Scalar::Text(Str::Input(text)),
            None => Scalar::Octets(Str::Input(bytes)),
        })
    }

    /// Reads the start of the value whose head, at `at`, was read. Containers are entered.
    fn start(&mut self, head: u8, at: usize) -> Result<Start<'de>> {
        let input = &mut self.input;
        Ok(match head {
            0x00..=0x7f => Start::Scalar(Scalar::uint(u64::from(head))),
            0xe0..=0xff => Start::Scalar(Scalar::int(i64::from(head as i8))),
            0xa0..=0xbf | STR8 | STR16 | STR32 => {
                let length = self.text_length(head)?.unwrap_or(0);
                Start::Scalar(self.take_text(length)?)
            }
            0x80..=0x8f => self.container(u64::from(head & 0x0f), true, at)?,
            0x90..=0x9f => self.container(u64::from(head & 0x0f), false, at)?,
            ARRAY16 => {
                let count = input.u16_be("the count of a list")?.into();
                self.container(count, false, at)?
            }
            ARRAY32 => {
                let count = input.u32_be("the count of a list")?.into();
                self.container(count, false, at)?
            }
            MAP16 => {
                let count = input.u16_be("the count of a map")?.into();
                self.container(count, true, at)?
            }
            MAP32 => {
                let count = input.u32_be("the count of a map")?.into();
                self.container(count, true, at)?
            }
            NIL => Start::Scalar(Scalar::Null),
            FALSE => Start::Scalar(Scalar::Bool(false)),
            TRUE => Start::Scalar(Scalar::Bool(true)),
            FLOAT32 => Start::Scalar(Scalar::f32(input.f32_be("a 32-bit float")?)),
            FLOAT64 => Start::Scalar(Scalar::f64(input.f64_be("a 64-bit float")?)),
            UINT8 => Start::Scalar(Scalar::uint(u64::from(input.u8("an 8-bit integer")?))),
            UINT16 => Start::Scalar(Scalar::uint(u64::from(input.u16_be("a 16-bit integer")?))),
            UINT32 => Start::Scalar(Scalar::uint(u64::from(input.u32_be("a 32-bit integer")?))),
            UINT64 => Start::Scalar(Scalar::uint(input.u64_be("a 64-bit integer")?)),
            INT8 => Start::Scalar(Scalar::int(i64::from(input.u8("an 8-bit integer")? as i8))),
            INT16 => Start::Scalar(Scalar::int(i64::from(input.u16_be("a 16-bit integer")? as i16))),
            INT32 => Start::Scalar(Scalar::int(i64::from(input.u32_be("a 32-bit integer")? as i32))),
            INT64 => Start::Scalar(Scalar::int(input.u64_be("a 64-bit integer")? as i64)),
            BIN8 | BIN16 | BIN32 => {
                let len = match head {
                    BIN8 => u64::from(input.u8("the length of a binary value")?),
                    BIN16 => u64::from(input.u16_be("the length of a binary value")?),
                    _ => u64::from(input.u32_be("the length of a binary value")?),
                };
                Start::Scalar(Scalar::Bytes(Str::Input(input.take(len, "a binary value")?)))
            }
            FIXEXT1..=FIXEXT16 | EXT8..=EXT32 => {
                let len = match head {
                    EXT8 => u64::from(input.u8("the length of an extension")?),
                    EXT16 => u64::from(input.u16_be("the length of an extension")?),
                    EXT32 => u64::from(input.u32_be("the length of an extension")?),
                    _ => 1 << (head - FIXEXT1),
                };
                let extension = read_extension(input, self.base, len)?;
                if matches!(extension, Extension::Tagged { .. }) && self.depth == 0 {
                    return Err(Budget::new(&self.limits).too_deep(self.base + at as u64));
                }
                Start::Extension(extension)
            }
            // The cases above handle all head bytes but 0xc1.
            _ => return Err(never_used(self.base + at as u64)),
        })
    }

    /// Enters a container whose head was read.
    #[inline(always)]
    fn container(&mut self, count: u64, is_map: bool, at: usize) -> Result<Start<'de>> {
        let left = if is_map { count * 2 } else { count };
        if self.depth == 0 {
            return Err(Budget::new(&self.limits).too_deep(self.base + at as u64));
        }
        self.depth -= 1;
        if left > self.input.remaining() as u64 {
            return Err(self.overclaimed(left, at));
        }
        Ok(if is_map { Start::Map(count) } else { Start::List(count) })
    }

    #[cold]
    fn overclaimed(&self, left: u64, at: usize) -> Error {
        let mut budget = Budget::new(&self.limits);
        for _ in self.depth..budget.limits().depth {
            if let Err(error) = budget.enter(self.base + at as u64) {
                return error;
            }
        }
        overclaimed(&mut Skipper::default(), self.input, self.msg, Span::at(self.base, at, self.input.pos()), left, &mut budget)
    }

    fn visit_start<V: Visitor<'de>>(&mut self, start: Start<'de>, at: usize, visitor: V) -> Result<V::Value> {
        match start {
            Start::Scalar(scalar) => {
                let outcome = visit(scalar, visitor);
                self.placed(at, outcome)
            }
            Start::List(count) => self.seq(count, at, visitor),
            Start::Map(count) => self.map(count, at, visitor),
            Start::Extension(extension) => {
                let scalar = match extension {
                    Extension::Time(moment) => Scalar::Time(moment),
                    Extension::Tagged { payload, .. } => Scalar::Bytes(Str::Input(payload)),
                };
                let outcome = visit(scalar, visitor);
                self.placed(at, outcome)
            }
        }
    }

    /// Reads a value of any kind.
    fn value<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        let start = self.start(head, at)?;
        self.visit_start(start, at, visitor)
    }

    /// Reads a value that is likely to be a number.
    #[inline]
    fn number<V: Visitor<'de>>(&mut self, wanted: Number, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        if head < 0x80 && wanted == Number::Whole {
            let outcome = visitor.visit_u64(u64::from(head));
            return self.placed(at, outcome);
        }
        if head == FLOAT64 && wanted == Number::F64 {
            let value = self.input.f64_be("a 64-bit float")?;
            let outcome = visitor.visit_f64(value);
            return self.placed(at, outcome);
        }
        match self.start(head, at)? {
            Start::Scalar(scalar) => {
                let outcome = visit_number(scalar, None, wanted, visitor);
                self.placed(at, outcome)
            }
            start => self.visit_start(start, at, visitor),
        }
    }

    /// Reads the values of a list that was entered.
    #[inline]
    fn seq<V: Visitor<'de>>(&mut self, count: u64, at: usize, visitor: V) -> Result<V::Value> {
        let mut elements = Elements { msgpack: self, left: count };
        let mut outcome = visitor.visit_seq(&mut elements);
        let left = elements.left;
        self.fix(at, &mut outcome);
        if left > 0 && outcome.is_ok() {
            outcome = Err(self.place(at, mismatch(MORE_VALUES)));
        }
        self.depth += 1;
        outcome
    }

    /// Reads the entries of a map that was entered.
    #[inline]
    fn map<V: Visitor<'de>>(&mut self, count: u64, at: usize, visitor: V) -> Result<V::Value> {
        let mut entries = Entries { msgpack: self, left: count };
        let mut outcome = visitor.visit_map(&mut entries);
        let left = entries.left;
        self.fix(at, &mut outcome);
        if left > 0 && outcome.is_ok() {
            outcome = Err(self.place(at, mismatch(MORE_FIELDS)));
        }
        self.depth += 1;
        outcome
    }

    /// Steps over a value, and checks it.
    fn ignore(&mut self) -> Result<()> {
        self.levels.clear();
        let mut left = 1;
        loop {
            while left == 0 {
                let Some(around) = self.levels.pop() else { return Ok(()) };
                left = around;
                self.depth += 1;
            }
            left -= 1;
            let at = self.input.pos();
            let head = self.head()?;
            let inside = match self.start(head, at)? {
                Start::List(count) => count,
                Start::Map(count) => count * 2,
                Start::Scalar(_) | Start::Extension(_) => continue,
            };
            self.levels.push(left);
            left = inside;
        }
    }
}

/// Returns bytes as text, if they are UTF-8.
#[inline(always)]
fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.len() < 64 { std::str::from_utf8(bytes).ok() } else { simdutf8::basic::from_utf8(bytes).ok() }
}

macro_rules! numbers {
    ($number:expr; $($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.number($number, visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.value(visitor)
    }

    numbers! { Number::Whole; deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 }
    numbers! { Number::Whole; deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 }
    numbers! { Number::Wide; deserialize_i128 deserialize_u128 }
    numbers! { Number::F32; deserialize_f32 }
    numbers! { Number::F64; deserialize_f64 }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        if let Some(head @ (TRUE | FALSE)) = self.input.peek() {
            self.input.seek(at + 1);
            let outcome = visitor.visit_bool(head == TRUE);
            return self.placed(at, outcome);
        }
        self.value(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        if let Some(length) = self.text_length(head)?
            && let Scalar::Text(Str::Input(text)) = self.take_text(length)?
        {
            let outcome = visitor.visit_borrowed_str(text);
            return self.placed(at, outcome);
        }
        self.input.seek(at);
        self.value(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        match self.start(head, at)? {
            Start::Scalar(Scalar::Text(Str::Input(text))) => {
                let outcome = visitor.visit_borrowed_bytes(text.as_bytes());
                self.placed(at, outcome)
            }
            Start::Scalar(Scalar::Octets(Str::Input(octets))) => {
                let outcome = visitor.visit_borrowed_bytes(octets);
                self.placed(at, outcome)
            }
            start => self.visit_start(start, at, visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.input.peek() != Some(NIL) {
            return visitor.visit_some(self);
        }
        self.input.seek(self.input.pos() + 1);
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
        let at = self.input.pos();
        let outcome = self.special(name, visitor);
        self.placed(at, outcome)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        match self.start(head, at)? {
            Start::List(count) => self.seq(count, at, visitor),
            Start::Scalar(Scalar::Bytes(bytes)) => {
                let outcome = visitor.visit_seq(SeqDeserializer::new(bytes.get().iter().copied()));
                self.placed(at, outcome)
            }
            Start::Extension(Extension::Tagged { payload, .. }) => {
                let outcome = visitor.visit_seq(SeqDeserializer::new(payload.iter().copied()));
                self.placed(at, outcome)
            }
            start => self.visit_start(start, at, visitor),
        }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        match self.start(head, at)? {
            Start::Map(count) => self.map(count, at, visitor),
            start => self.visit_start(start, at, visitor),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let head = self.head()?;
        match self.start(head, at)? {
            Start::Scalar(Scalar::Text(name)) => {
                let outcome = visitor.visit_enum(Case(name));
                self.placed(at, outcome)
            }
            Start::Map(1) => {
                let head = self.head()?;
                let name = match self.text_length(head)? {
                    Some(length) => self.take_text(length)?,
                    None => Scalar::Null,
                };
                let Scalar::Text(name) = name else { return Err(self.place(at, no_case())) };
                let outcome = visitor.visit_enum(CaseOf { name, contents: &mut *self });
                let value = self.placed(at, outcome)?;
                self.depth += 1;
                Ok(value)
            }
            Start::Map(_) | Start::List(_) => Err(self.place(at, no_case())),
            start => self.visit_start(start, at, visitor),
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

impl<'de> Deserializer<'de> {
    /// Reads a value of the private language.
    #[cold]
    fn special<V: Visitor<'de>>(&mut self, name: &str, visitor: V) -> Result<V::Value> {
        let (at, before) = (self.input.pos(), self.depth);
        let head = self.head()?;
        let start = self.start(head, at)?;
        if name != Special::Value.name() {
            if let Start::Extension(Extension::Time(moment)) = start {
                return visitor.visit_string(moment.to_string());
            }
            self.input.seek(at);
            self.depth = before;
            return visitor.visit_newtype_struct(self);
        }
        match start {
            Start::Map(_) => {
                self.input.seek(at);
                self.depth = before;
                exact(Kind::Map, self, visitor)
            }
            Start::Scalar(Scalar::Octets(octets)) => exact(Kind::Octets, BytesDeserializer::new(octets.get()), visitor),
            Start::Extension(Extension::Time(moment)) => exact(Kind::Time, StrDeserializer::new(&moment.to_string()), visitor),
            Start::Extension(Extension::Tagged { kind, payload }) => {
                let parts = TaggedParts { space: NAME, code: u64::from(kind), contents: Some(BytesDeserializer::new(payload)), step: 0 };
                exact(Kind::Tagged, parts, visitor)
            }
            start => self.visit_start(start, at, visitor),
        }
    }
}

/// The values of a list.
struct Elements<'a, 'de> {
    msgpack: &'a mut Deserializer<'de>,
    left: u64,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.msgpack).map(Some)
    }

    // The message has at least as many bytes.
    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

/// The entries of a map.
struct Entries<'a, 'de> {
    msgpack: &'a mut Deserializer<'de>,
    left: u64,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let at = self.msgpack.input.pos();
        let head = self.msgpack.head()?;
        if let Some(length) = self.msgpack.text_length(head)?
            && let Scalar::Text(name) = self.msgpack.take_text(length)?
        {
            let outcome = seed.deserialize(Name(name));
            return self.msgpack.placed(at, outcome).map(Some);
        }
        self.msgpack.input.seek(at);
        seed.deserialize(&mut *self.msgpack).map(Some)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        seed.deserialize(&mut *self.msgpack)
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}
