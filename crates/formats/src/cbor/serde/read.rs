//! CBOR bytes to Rust's types, without events. Its twin is the walk into a tree.

use polywire_core::bytes::Input;
use polywire_core::serde::{Kind, Name, Number, Special as Private, exact, is_special, mismatch, visit, visit_number};
use polywire_core::{Budget, Error, Hint, Limits, Result, Scalar, Str};
use serde_core::de::value::{SeqDeserializer, StrDeserializer};
use serde_core::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::super::read::{chunk, overclaimed, trailing};
use super::super::skip::Skipper;
use super::super::special::{self, Special};
use super::super::wire::{
    self, BREAK, BYTES, ENDLESS, FALSE, FLOAT64, INDEFINITE, LIST, MAP, NAME, NEGATIVE, NULL, SIMPLE, SIMPLE_OR_FLOAT, TAG,
    TAG_SELF_DESCRIBED, TEXT, TRUE, UINT,
};
use crate::serde::access::{Case, CaseOf, MORE_FIELDS, MORE_VALUES, TaggedParts, no_case};
use crate::serde::placed::Placed;
use crate::serde::pulls::{check, walk_first};

/// Reads a message as a type. The message starts at offset `base` of its stream.
///
/// # Errors
/// The message is no CBOR, exceeds the limits, or is none of the type. The error has an offset.
pub fn read<'de, T: Deserialize<'de>>(msg: &'de [u8], base: u64, limits: &Limits) -> Result<T> {
    if walk_first(msg.len(), limits) {
        check(&super::super::FORMAT, msg, base, limits)?;
    }
    let mut deserializer = Deserializer::new(msg, base, limits);
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// A deserializer of a CBOR message. Texts and bytes in one piece are borrowed from it.
#[derive(Debug)]
pub struct Deserializer<'de> {
    msg: &'de [u8],
    input: Input<'de>,
    base: u64,
    /// Number of containers and tags that may still be within each other.
    depth: u32,
    /// True within a container or a tag.
    inside: bool,
    limits: Limits,
    /// A text or bytes that came in pieces.
    joined: Vec<u8>,
    /// The containers of a value that is ignored: values that are left, and whether it is a map.
    levels: Vec<(u64, bool)>,
}

/// A value without parts, or the start of one with parts.
enum Start<'de> {
    Scalar(Scalar<'de, 'static>),
    Special(Box<Special>),
    /// Text in the joined memory.
    Text,
    /// Bytes in the joined memory.
    Bytes,
    /// A list, and the number of its values, or [`ENDLESS`].
    List(u64),
    /// A map, and the number of its entries, or [`ENDLESS`].
    Map(u64),
    Tagged(u64),
    Simple(u64),
}

impl Placed for Deserializer<'_> {
    #[inline(always)]
    fn base(&self) -> u64 {
        self.base
    }
}

impl<'de> Deserializer<'de> {
    /// Makes a deserializer of a message that starts at offset `base` of a stream. It holds the
    /// limits on depth and on the digits of numbers; [`read`] holds all.
    pub fn new(msg: &'de [u8], base: u64, limits: &Limits) -> Self {
        Deserializer {
            msg,
            input: Input::new(msg, base),
            base,
            depth: limits.depth.min(Limits::MAX_DEPTH),
            inside: false,
            limits: *limits,
            joined: Vec::new(),
            levels: Vec::new(),
        }
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

    #[inline]
    fn enter(&mut self, at: usize) -> Result<()> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(self.too_deep(at)),
        }
    }

    #[cold]
    fn too_deep(&self, at: usize) -> Error {
        Budget::new(&self.limits).too_deep(self.base + at as u64)
    }

    #[inline(always)]
    fn first(&mut self) -> Result<u8> {
        self.input.u8("the head of a value")
    }

    /// Takes a text of one piece.
    #[inline(always)]
    fn take_text(&mut self, length: u64) -> Result<&'de str> {
        let bytes = self.input.take(length, "a text")?;
        let text = if bytes.len() < 64 { std::str::from_utf8(bytes).ok() } else { simdutf8::basic::from_utf8(bytes).ok() };
        match text {
            Some(text) => Ok(text),
            None => self.input.utf8(bytes),
        }
    }

    /// Reads the start of the value whose first byte, at `at`, was read. Containers are entered.
    #[inline]
    fn start(&mut self, first: u8, at: usize) -> Result<Start<'de>> {
        if first == BREAK {
            return Err(wire::misplaced_break(self.base + at as u64));
        }
        let head = wire::head(&mut self.input, first)?;
        let arg = head.arg;
        Ok(match head.major {
            _ if head.info == INDEFINITE && !matches!(head.major, BYTES | TEXT | LIST | MAP) => {
                return Err(wire::reserved(self.base + at as u64, first));
            }
            UINT => Start::Scalar(Scalar::uint(arg)),
            NEGATIVE => match i64::try_from(arg) {
                Ok(below) => Start::Scalar(Scalar::int(-1 - below)),
                Err(_) => Start::Special(Box::new(Special::Big((-1 - i128::from(arg)).to_string()))),
            },
            BYTES if head.info != INDEFINITE => Start::Scalar(Scalar::Bytes(Str::Input(self.input.take(arg, "a byte string")?))),
            TEXT if head.info != INDEFINITE => Start::Scalar(Scalar::Text(Str::Input(self.take_text(arg)?))),
            BYTES | TEXT => {
                self.joined.clear();
                while let Some(piece) = chunk(&mut self.input, head.major)? {
                    self.joined.extend_from_slice(piece);
                }
                if head.major == TEXT { Start::Text } else { Start::Bytes }
            }
            LIST | MAP => {
                let is_map = head.major == MAP;
                self.enter(at)?;
                let count = if head.info == INDEFINITE { ENDLESS } else { arg };
                let left = if is_map { count.saturating_mul(2) } else { count };
                if head.info != INDEFINITE && left > self.input.remaining() as u64 {
                    return Err(self.overclaimed(arg, at));
                }
                if is_map { Start::Map(count) } else { Start::List(count) }
            }
            TAG => {
                let mut ahead = self.input;
                if let Some(special) = special::read(arg, &mut ahead, self.limits.digits) {
                    self.input = ahead;
                    return Ok(Start::Special(Box::new(special)));
                }
                self.enter(at)?;
                Start::Tagged(arg)
            }
            _ => match head.info {
                20 => Start::Scalar(Scalar::Bool(false)),
                21 => Start::Scalar(Scalar::Bool(true)),
                22 => Start::Scalar(Scalar::Null),
                25 => Start::Scalar(Scalar::F32(wire::half(arg as u16), Hint::NONE)),
                26 => Start::Scalar(Scalar::f32(f32::from_bits(arg as u32))),
                27 => Start::Scalar(Scalar::f64(f64::from_bits(arg))),
                24 if arg < 32 => return Err(wire::bad_simple(self.base + at as u64, arg)),
                _ if self.depth == 0 => return Err(self.too_deep(at)),
                _ => Start::Simple(arg),
            },
        })
    }

    #[cold]
    fn overclaimed(&self, count: u64, at: usize) -> Error {
        let mut budget = Budget::new(&self.limits);
        for _ in self.depth..budget.limits().depth {
            if let Err(error) = budget.enter(self.base + at as u64) {
                return error;
            }
        }
        overclaimed(&mut Skipper::default(), self.input, self.msg, self.base, at, count, &mut budget)
    }

    /// Reads the start of the next value behind self-described marks, and its place.
    #[inline(always)]
    fn next(&mut self) -> Result<(Start<'de>, usize)> {
        let at = self.input.pos();
        let first = self.first()?;
        let start = self.start(first, at)?;
        if let Start::Tagged(TAG_SELF_DESCRIBED) = start
            && !self.inside
        {
            return self.next();
        }
        Ok((start, at))
    }

    fn visit_start<V: Visitor<'de>>(&mut self, start: Start<'de>, at: usize, wanted: Number, visitor: V) -> Result<V::Value> {
        let outcome = match start {
            Start::Scalar(scalar) => visit_number(scalar, None, wanted, visitor),
            Start::List(count) => return self.seq(count, at, visitor),
            Start::Map(count) => return self.map(count, at, visitor),
            Start::Special(special) => visit_special(&special, wanted, visitor),
            Start::Text => match std::str::from_utf8(&self.joined) {
                Ok(text) => visitor.visit_str(text),
                Err(_) => Err(Error::internal("pieces of text that are no text together")),
            },
            Start::Bytes => visitor.visit_bytes(&self.joined),
            Start::Simple(_) => visitor.visit_unit(),
            Start::Tagged(_) => {
                let around = std::mem::replace(&mut self.inside, true);
                let value = self.value_as(wanted, visitor)?;
                self.leave_tag(around);
                return Ok(value);
            }
        };
        self.placed(at, outcome)
    }

    #[inline]
    fn leave_tag(&mut self, around: bool) {
        self.inside = around;
        self.depth += 1;
    }

    /// Reads a value of any kind.
    fn value_as<V: Visitor<'de>>(&mut self, wanted: Number, visitor: V) -> Result<V::Value> {
        let (start, at) = self.next()?;
        self.visit_start(start, at, wanted, visitor)
    }

    #[inline]
    fn number<V: Visitor<'de>>(&mut self, wanted: Number, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        let small = match self.input.peek() {
            Some(first @ 0..=23) => {
                self.input.seek(at + 1);
                u64::from(first)
            }
            Some(first @ 24..=27) => {
                self.input.seek(at + 1);
                wire::head(&mut self.input, first)?.arg
            }
            Some(FLOAT64) if wanted == Number::F64 => {
                self.input.seek(at + 1);
                let value = self.input.f64_be("a 64-bit argument")?;
                let outcome = visitor.visit_f64(value);
                return self.placed(at, outcome);
            }
            _ => return self.value_as(wanted, visitor),
        };
        let outcome = visitor.visit_u64(small);
        self.placed(at, outcome)
    }

    /// Reads the values of a list that was entered.
    #[inline]
    fn seq<V: Visitor<'de>>(&mut self, count: u64, at: usize, visitor: V) -> Result<V::Value> {
        let around = std::mem::replace(&mut self.inside, true);
        let mut elements = Elements { cbor: self, left: count };
        let mut outcome = visitor.visit_seq(&mut elements);
        let left = elements.left;
        self.fix(at, &mut outcome);
        if left > 0
            && outcome.is_ok()
            && let Err(error) = self.after_last(count, at, MORE_VALUES)
        {
            outcome = Err(error);
        }
        self.inside = around;
        self.depth += 1;
        outcome
    }

    /// Reads the entries of a map that was entered.
    #[inline]
    fn map<V: Visitor<'de>>(&mut self, count: u64, at: usize, visitor: V) -> Result<V::Value> {
        let around = std::mem::replace(&mut self.inside, true);
        let mut entries = Entries { cbor: self, left: count };
        let mut outcome = visitor.visit_map(&mut entries);
        let left = entries.left;
        self.fix(at, &mut outcome);
        if left > 0
            && outcome.is_ok()
            && let Err(error) = self.after_last(count, at, MORE_FIELDS)
        {
            outcome = Err(error);
        }
        self.inside = around;
        self.depth += 1;
        outcome
    }

    /// Steps over the break of a container of `count` entries, of which the type took fewer.
    #[cold]
    fn after_last(&mut self, count: u64, at: usize, more: &'static str) -> Result<()> {
        if count == ENDLESS && self.at_break() {
            return Ok(());
        }
        if count == ENDLESS && self.input.remaining() == 0 {
            self.first()?;
        }
        Err(self.place(at, mismatch(more)))
    }

    /// Steps over a break, if it is next.
    #[inline]
    fn at_break(&mut self) -> bool {
        let is_break = self.input.peek() == Some(BREAK);
        if is_break {
            self.input.seek(self.input.pos() + 1);
        }
        is_break
    }

    /// Takes a text of fewer than 256 bytes, if it is next.
    #[inline(always)]
    fn short_text(&mut self) -> Result<Option<&'de str>> {
        let length = match self.input.peek() {
            Some(first @ 0x60..=0x77) => {
                self.input.seek(self.input.pos() + 1);
                u64::from(first & 0x1f)
            }
            Some(0x78) => {
                self.input.seek(self.input.pos() + 1);
                u64::from(self.input.u8("an 8-bit argument")?)
            }
            _ => return Ok(None),
        };
        self.take_text(length).map(Some)
    }

    /// Reads the key of a map's entry as a name, if it is text: into the joined memory if it came
    /// in pieces. Otherwise the deserializer stays before it.
    #[inline(always)]
    fn name(&mut self) -> Result<Option<Str<'de, '_, str>>> {
        if let Some(name) = self.short_text()? {
            return Ok(Some(Str::Input(name)));
        }
        let at = self.input.pos();
        let first = self.first()?;
        if first >> 5 != TEXT {
            self.input.seek(at);
            return Ok(None);
        }
        match self.start(first, at)? {
            Start::Scalar(Scalar::Text(Str::Input(name))) => Ok(Some(Str::Input(name))),
            _ => match std::str::from_utf8(&self.joined) {
                Ok(name) => Ok(Some(Str::Scratch(name))),
                Err(_) => Err(Error::internal("pieces of text that are no text together")),
            },
        }
    }

    /// Steps over a value, and checks it.
    fn ignore(&mut self) -> Result<()> {
        self.levels.clear();
        let around = self.inside;
        let (mut left, mut is_map, mut endless) = (1, false, false);
        loop {
            while left == 0 || endless && (!is_map || left & 1 == 0) && self.at_break() {
                let Some((outer, outer_map)) = self.levels.pop() else {
                    self.inside = around;
                    return Ok(());
                };
                (left, is_map) = (outer, outer_map);
                // No count that fits the message comes near.
                endless = left > ENDLESS / 2;
                self.depth += 1;
            }
            left -= 1;
            let (start, _) = self.next()?;
            let (inside, map) = match start {
                Start::List(count) => (count, false),
                Start::Map(ENDLESS) => (ENDLESS, true),
                Start::Map(count) => (count * 2, true),
                Start::Tagged(_) => (1, false),
                _ => continue,
            };
            self.levels.push((left, is_map));
            (left, is_map, endless) = (inside, map, inside == ENDLESS);
            self.inside = true;
        }
    }
}

/// Gives a number or a moment that came behind a tag to a visitor.
#[cold]
fn visit_special<'de, V: Visitor<'de>>(special: &Special, wanted: Number, visitor: V) -> Result<V::Value> {
    match special {
        Special::Time(moment) => visit(Scalar::Time(*moment), visitor),
        Special::UInt(value) => visitor.visit_u64(*value),
        Special::Int(value) => visitor.visit_i64(*value),
        Special::Big(digits) => visit_number(Scalar::big(Str::Scratch(digits)), None, wanted, visitor),
        Special::Decimal(number) => visit_number(number.scalar(Hint::NONE), Some(&number.text), wanted, visitor),
    }
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
        self.value_as(Number::Whole, visitor)
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
        self.value_as(Number::Whole, visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.input.pos();
        match self.short_text()? {
            Some(text) => {
                let outcome = visitor.visit_borrowed_str(text);
                self.placed(at, outcome)
            }
            None => self.value_as(Number::Whole, visitor),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (start, at) = self.next()?;
        let outcome = match start {
            Start::Scalar(Scalar::Text(Str::Input(text))) => visitor.visit_borrowed_bytes(text.as_bytes()),
            Start::Text => visitor.visit_bytes(&self.joined),
            Start::Tagged(_) => {
                let around = std::mem::replace(&mut self.inside, true);
                let value = de::Deserializer::deserialize_bytes(&mut *self, visitor)?;
                self.leave_tag(around);
                return Ok(value);
            }
            start => return self.visit_start(start, at, Number::Whole, visitor),
        };
        self.placed(at, outcome)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.input.peek() {
            Some(NULL) => {
                self.input.seek(self.input.pos() + 1);
                visitor.visit_none()
            }
            Some(first) if first >= TAG << 5 && self.steps_over_null() => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.value_as(Number::Whole, visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        self.value_as(Number::Whole, visitor)
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
        let (start, at) = self.next()?;
        let outcome = match start {
            Start::List(count) => return self.seq(count, at, visitor),
            Start::Scalar(Scalar::Bytes(bytes)) => visitor.visit_seq(SeqDeserializer::new(bytes.get().iter().copied())),
            Start::Bytes => visitor.visit_seq(SeqDeserializer::new(self.joined.iter().copied())),
            Start::Tagged(_) => {
                let around = std::mem::replace(&mut self.inside, true);
                let value = de::Deserializer::deserialize_seq(&mut *self, visitor)?;
                self.leave_tag(around);
                return Ok(value);
            }
            start => return self.visit_start(start, at, Number::Whole, visitor),
        };
        self.placed(at, outcome)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            (Start::Map(count), at) => self.map(count, at, visitor),
            (start, at) => self.visit_start(start, at, Number::Whole, visitor),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, name: &'static str, cases: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let (start, at) = self.next()?;
        match start {
            Start::Scalar(Scalar::Text(name)) => {
                let outcome = visitor.visit_enum(Case(name));
                self.placed(at, outcome)
            }
            Start::Text => {
                let outcome = match std::str::from_utf8(&self.joined) {
                    Ok(name) => visitor.visit_enum(Case(Str::Scratch(name))),
                    Err(_) => Err(Error::internal("pieces of text that are no text together")),
                };
                self.placed(at, outcome)
            }
            Start::Map(count @ (1 | ENDLESS)) => self.case(count, at, visitor),
            Start::Map(_) | Start::List(_) => Err(self.place(at, no_case())),
            Start::Tagged(_) => {
                let around = std::mem::replace(&mut self.inside, true);
                let value = de::Deserializer::deserialize_enum(&mut *self, name, cases, visitor)?;
                self.leave_tag(around);
                Ok(value)
            }
            start => self.visit_start(start, at, Number::Whole, visitor),
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
    /// Steps over a null behind tags, or a simple value that stands for null. Otherwise the
    /// deserializer stays where it is.
    #[cold]
    fn steps_over_null(&mut self) -> bool {
        let mut ahead = self.input;
        while let Ok(first) = ahead.u8("the head of a value") {
            match wire::head(&mut ahead, first) {
                Ok(head) if head.major == TAG && head.info != INDEFINITE => {}
                Ok(head)
                    if head.major == SIMPLE_OR_FLOAT && matches!(head.info, 0..=19 | 22..=24) && !(head.info == 24 && head.arg < 32) =>
                {
                    self.input = ahead;
                    return true;
                }
                _ => return false,
            }
        }
        false
    }

    /// Reads the case of an enum: a map of one entry that was entered.
    fn case<V: Visitor<'de>>(&mut self, count: u64, at: usize, visitor: V) -> Result<V::Value> {
        let around = std::mem::replace(&mut self.inside, true);
        if count == ENDLESS && self.input.peek() == Some(BREAK) {
            return Err(self.place(at, no_case()));
        }
        let joined;
        let name = match self.name()? {
            Some(Str::Input(name)) => Str::Input(name),
            Some(Str::Scratch(name)) => {
                joined = name.to_string();
                Str::Scratch(joined.as_str())
            }
            None => return Err(self.place(at, no_case())),
        };
        let outcome = visitor.visit_enum(CaseOf { name, contents: &mut *self });
        let value = self.placed(at, outcome)?;
        if count == ENDLESS && !self.at_break() {
            return Err(self.place(at, no_case()));
        }
        self.inside = around;
        self.depth += 1;
        Ok(value)
    }

    /// Reads a value of the private language.
    #[cold]
    fn special<V: Visitor<'de>>(&mut self, name: &str, visitor: V) -> Result<V::Value> {
        let (before, depth) = (self.input, self.depth);
        let (start, at) = self.next()?;
        if name != Private::Value.name() {
            if let Start::Special(special) = &start
                && let Special::Time(moment) = &**special
            {
                return visitor.visit_string(moment.to_string());
            }
            (self.input, self.depth) = (before, depth);
            return visitor.visit_newtype_struct(self);
        }
        match start {
            Start::Map(_) => {
                (self.input, self.depth) = (before, depth);
                exact(Kind::Map, self, visitor)
            }
            Start::Special(special) => match &*special {
                Special::Time(moment) => exact(Kind::Time, StrDeserializer::new(&moment.to_string()), visitor),
                Special::Big(digits) => exact(Kind::Big, StrDeserializer::new(digits), visitor),
                Special::Decimal(number) => match number.scalar(Hint::NONE) {
                    Scalar::Big(digits, _) => exact(Kind::Big, StrDeserializer::new(digits.get()), visitor),
                    Scalar::Decimal(digits, _) => exact(Kind::Decimal, StrDeserializer::new(digits.get()), visitor),
                    scalar => visit(scalar.scratch(), visitor),
                },
                Special::UInt(value) => visitor.visit_u64(*value),
                Special::Int(value) => visitor.visit_i64(*value),
            },
            Start::Tagged(code) => {
                let around = std::mem::replace(&mut self.inside, true);
                let value = exact(Kind::Tagged, TaggedParts { space: NAME, code, contents: Some(&mut *self), step: 0 }, visitor)?;
                self.leave_tag(around);
                Ok(value)
            }
            Start::Simple(code) => {
                let null = de::value::UnitDeserializer::new();
                exact(Kind::Tagged, TaggedParts { space: SIMPLE, code, contents: Some(null), step: 0 }, visitor)
            }
            start => self.visit_start(start, at, Number::Whole, visitor),
        }
    }
}

/// The values of a list.
struct Elements<'a, 'de> {
    cbor: &'a mut Deserializer<'de>,
    left: u64,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.left > ENDLESS / 2 && self.cbor.at_break() {
            self.left = 0;
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.cbor).map(Some)
    }

    // A count that is known is at most the number of the message's bytes.
    fn size_hint(&self) -> Option<usize> {
        if self.left > ENDLESS / 2 { None } else { usize::try_from(self.left).ok() }
    }
}

/// The entries of a map.
struct Entries<'a, 'de> {
    cbor: &'a mut Deserializer<'de>,
    left: u64,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.left > ENDLESS / 2 && self.cbor.at_break() {
            self.left = 0;
            return Ok(None);
        }
        self.left -= 1;
        let at = self.cbor.input.pos();
        let outcome = match self.cbor.name()? {
            Some(Str::Input(name)) => seed.deserialize(Name(Str::Input(name))),
            Some(Str::Scratch(name)) => seed.deserialize(Name(Str::Scratch(name))),
            None => seed.deserialize(&mut *self.cbor),
        };
        self.cbor.placed(at, outcome).map(Some)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        seed.deserialize(&mut *self.cbor)
    }

    fn size_hint(&self) -> Option<usize> {
        if self.left > ENDLESS / 2 { None } else { usize::try_from(self.left).ok() }
    }
}
