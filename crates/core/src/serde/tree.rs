//! Trees to Rust's types.

use serde_core::de::value::{BytesDeserializer, SeqDeserializer, StrDeserializer, U64Deserializer};
use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_core::{Deserialize, forward_to_deserialize_any};

use crate::error::{Error, Result};
use crate::serde::error::mismatch;
use crate::serde::names::{Kind, Special, is_special};
use crate::serde::siblings::Siblings;
use crate::serde::visit::{Name, Number, bytes_of_base64, exact, visit, visit_number};
use crate::value::Tree;
use crate::value::tree::{Item, Shape};
use crate::walk::event::{Hint, Open, Scalar, Str};

/// The freedom with which a message's values become those of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reading {
    /// True if fields of one name are the values of a list, and a single value is a list of one.
    pub lists: bool,
    /// True if numbers, truth values and texts stand for each other by their spelling, as in
    /// formats that have only text for some of them.
    pub texts: bool,
    /// True if bytes that the format cannot hold come as text in base64.
    pub base64: bool,
}

impl Reading {
    /// Sets whether fields of one name are the values of a list.
    #[must_use]
    pub fn lists(self, lists: bool) -> Reading {
        Reading { lists, ..self }
    }

    /// Sets whether numbers, truth values and texts stand for each other.
    #[must_use]
    pub fn texts(self, texts: bool) -> Reading {
        Reading { texts, ..self }
    }

    /// Sets whether bytes come as text in base64.
    #[must_use]
    pub fn base64(self, base64: bool) -> Reading {
        Reading { base64, ..self }
    }
}

/// A deserializer of a value in a tree. Texts and bytes that lie in the message are borrowed from
/// it.
///
/// A tagged value stands for what it holds, save for a [`Value`](crate::Value). A case of a sum
/// type is a case of an enum, and so is text, or a record of one field.
#[derive(Debug, Clone, Copy)]
pub struct FromTree<'t, 'm> {
    tree: &'t Tree<'m>,
    at: usize,
    how: Reading,
}

impl<'t, 'm: 't> FromTree<'t, 'm> {
    /// Makes a deserializer of a value.
    pub fn new(item: Item<'t, 'm>, how: Reading) -> Self {
        let (tree, at) = item.parts();
        FromTree { tree, at, how }
    }

    /// Reads the value as a type.
    ///
    /// # Errors
    /// The value is none of the type. The error has the value's offset, if the tree keeps spans.
    pub fn read<T: Deserialize<'m>>(self) -> Result<T> {
        T::deserialize(self)
    }

    pub(super) fn at(self, at: usize) -> Self {
        FromTree { at, ..self }
    }

    /// Adds the place of this value to an error that has none.
    #[inline]
    pub(super) fn placed<T>(self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|error| self.place(error))
    }

    /// Adds the place of this value to an error that has none. The value is not moved.
    #[inline(always)]
    fn fix<T>(self, outcome: &mut Result<T>) {
        if let Err(error) = outcome {
            let unplaced = std::mem::replace(error, Error::internal(""));
            *error = self.place(unplaced);
        }
    }

    #[cold]
    fn place(self, error: Error) -> Error {
        // A container without a mark of its own is where its contents begin.
        let mut span = self.tree.span(self.at);
        if span.is_empty() && self.tree.shape_at(self.at) != Shape::Scalar {
            span = self.tree.span(self.at + 1);
        }
        if span.is_empty() { error } else { error.or_at(span.start) }
    }

    /// Returns the value that tags stand before.
    #[inline]
    fn untagged(mut self) -> (Self, Shape) {
        loop {
            match self.tree.shape_at(self.at) {
                Shape::Tagged => self.at = self.tree.skip_notes(self.at + 1),
                shape => return (self, shape),
            }
        }
    }

    #[inline]
    fn scalar(self) -> Scalar<'m, 't> {
        self.tree.scalar_at(self.at)
    }

    fn elements(self) -> Elements<'t, 'm> {
        Elements { parent: self, next: self.at + 1, left: self.tree.count_at(self.at) }
    }

    #[inline]
    fn seq<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let mut elements = self.elements();
        let mut outcome = visitor.visit_seq(&mut elements);
        let left = elements.left;
        self.fix(&mut outcome);
        if left > 0 && outcome.is_ok() {
            outcome = Err(self.place(mismatch("a list of more values than the type takes")));
        }
        outcome
    }

    #[inline]
    fn map<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let mut entries = Entries { parent: self, next: self.at + 1, value: 0, siblings: None };
        if self.how.lists {
            entries.siblings = Siblings::of(self.tree, self.at);
        }
        let mut outcome = visitor.visit_map(&mut entries);
        let done = outcome.is_err() || entries.is_done();
        self.fix(&mut outcome);
        if !done {
            outcome = Err(self.place(mismatch("a record of more fields than the type takes")));
        }
        outcome
    }

    fn number<V: Visitor<'m>>(self, number: Number, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        if shape != Shape::Scalar {
            return this.deserialize_any(visitor);
        }
        let scalar = match this.scalar() {
            Scalar::Text(text) if this.how.texts => return this.placed(spelled(text.get(), number, visitor)),
            Scalar::Bool(value) if this.how.texts => Scalar::UInt(value.into(), Hint::NONE),
            scalar => scalar,
        };
        let digits = if number == Number::F32 { Item::of(this.tree, this.at).digits() } else { None };
        this.placed(visit_number(scalar, digits, number, visitor))
    }

    fn text<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        if shape != Shape::Scalar {
            return this.deserialize_any(visitor);
        }
        let scalar = this.scalar();
        if !this.how.texts || matches!(scalar, Scalar::Text(_) | Scalar::Octets(_) | Scalar::Bytes(_) | Scalar::Time(_) | Scalar::Null) {
            return this.placed(visit(scalar, visitor));
        }
        if let Some(digits) = Item::of(this.tree, this.at).digits() {
            return this.placed(visitor.visit_str(digits));
        }
        let text = match scalar {
            Scalar::Bool(value) => value.to_string(),
            Scalar::Int(value, _) => value.to_string(),
            Scalar::UInt(value, _) => value.to_string(),
            Scalar::F32(value, _) => ryu::Buffer::new().format(value).to_string(),
            Scalar::F64(value, _) => ryu::Buffer::new().format(value).to_string(),
            other => return this.placed(visit(other, visitor)),
        };
        this.placed(visitor.visit_string(text))
    }

    /// Gives any value to a visitor of [`Value`](crate::Value), exactly.
    fn exact<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let this = FromTree { how: Reading { lists: false, texts: false, ..self.how }, ..self };
        let (tree, at) = (this.tree, this.at);
        match tree.shape_at(at) {
            Shape::Scalar => match this.scalar() {
                Scalar::Big(digits, _) => exact(Kind::Big, StrDeserializer::new(digits.get()), visitor),
                Scalar::Decimal(digits, _) => exact(Kind::Decimal, StrDeserializer::new(digits.get()), visitor),
                Scalar::Time(moment) => exact(Kind::Time, StrDeserializer::new(&moment.to_string()), visitor),
                Scalar::Octets(octets) => exact(Kind::Octets, BytesDeserializer::new(octets.get()), visitor),
                scalar => visit(scalar, visitor),
            },
            Shape::List => match tree.open_at(at) {
                Open::Tuple(_) => exact(Kind::Tuple, this, visitor),
                _ => this.seq(visitor),
            },
            Shape::Map => match tree.open_at(at) {
                Open::Record { name: "", .. } => exact(Kind::Fields, this, visitor),
                Open::Record { name, .. } => exact(Kind::Record, Parts { step: 0, name, number: None, contents: this }, visitor),
                _ => exact(Kind::Map, this, visitor),
            },
            Shape::Variant => {
                let Open::Variant { name, index } = tree.open_at(at) else { return Err(Error::internal("a case that is none")) };
                exact(Kind::Variant, Parts { step: 0, name, number: Some(index.into()), contents: Values(this) }, visitor)
            }
            Shape::Tagged => {
                let Open::Tagged { space, code } = tree.open_at(at) else { return Err(Error::internal("a tag that is none")) };
                let contents = this.at(tree.skip_notes(at + 1));
                exact(Kind::Tagged, Parts { step: 0, name: space, number: Some(code), contents }, visitor)
            }
        }
    }
}

/// Gives the number that a text spells to a visitor, or the text if it spells none.
fn spelled<'de, V: Visitor<'de>>(text: &str, number: Number, visitor: V) -> Result<V::Value> {
    match number {
        Number::F32 => match text.parse() {
            Ok(value) => visitor.visit_f32(value),
            Err(_) => visitor.visit_str(text),
        },
        Number::F64 => match text.parse() {
            Ok(value) => visitor.visit_f64(value),
            Err(_) => visitor.visit_str(text),
        },
        Number::Whole | Number::Wide => match text.parse::<u64>() {
            Ok(value) => visitor.visit_u64(value),
            Err(_) => spelled_otherwise(text, visitor),
        },
    }
}

/// Gives the whole number that a text spells to a visitor, one beyond 64 bits or below zero.
#[inline(never)]
fn spelled_otherwise<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value> {
    if let Ok(value) = text.parse::<i64>() {
        visitor.visit_i64(value)
    } else if let Ok(value) = text.parse::<i128>() {
        visitor.visit_i128(value)
    } else if let Ok(value) = text.parse::<u128>() {
        visitor.visit_u128(value)
    } else {
        visitor.visit_str(text)
    }
}

macro_rules! numbers {
    ($number:expr; $($method:ident)*) => {$(
        fn $method<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
            self.number($number, visitor)
        }
    )*};
}

impl<'t, 'm: 't> Deserializer<'m> for FromTree<'t, 'm> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        match shape {
            Shape::Scalar => this.placed(visit(this.scalar(), visitor)),
            Shape::List => this.seq(visitor),
            Shape::Map => this.map(visitor),
            Shape::Variant | Shape::Tagged => match this.tree.open_at(this.at) {
                Open::Variant { name, .. } if this.tree.count_at(this.at) == 0 => this.placed(visitor.visit_str(name)),
                Open::Variant { name, .. } => this.placed(visitor.visit_map(CaseEntry { case: this, name: Some(name) })),
                _ => Err(Error::internal("a case that is none")),
            },
        }
    }

    numbers! { Number::Whole; deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 }
    numbers! { Number::Whole; deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 }
    numbers! { Number::Wide; deserialize_i128 deserialize_u128 }
    numbers! { Number::F32; deserialize_f32 }
    numbers! { Number::F64; deserialize_f64 }

    fn deserialize_bool<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        if shape == Shape::Scalar && this.how.texts {
            match this.scalar() {
                Scalar::Text(text) if matches!(text.get(), "true" | "false") => {
                    return this.placed(visitor.visit_bool(text.get() == "true"));
                }
                Scalar::UInt(value @ (0 | 1), _) => return this.placed(visitor.visit_bool(value == 1)),
                _ => {}
            }
        }
        this.deserialize_any(visitor)
    }

    fn deserialize_char<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        if shape != Shape::Scalar {
            return this.deserialize_any(visitor);
        }
        match this.scalar() {
            Scalar::Text(text) if this.how.base64 => {
                let bytes = this.placed(bytes_of_base64(text.get()))?;
                this.placed(visitor.visit_byte_buf(bytes))
            }
            Scalar::Text(Str::Input(text)) => this.placed(visitor.visit_borrowed_bytes(text.as_bytes())),
            Scalar::Text(Str::Scratch(text)) => this.placed(visitor.visit_bytes(text.as_bytes())),
            Scalar::Octets(Str::Input(octets)) => this.placed(visitor.visit_borrowed_bytes(octets)),
            Scalar::Octets(Str::Scratch(octets)) => this.placed(visitor.visit_bytes(octets)),
            scalar => this.placed(visit(scalar, visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        if shape == Shape::Scalar && matches!(this.scalar(), Scalar::Null) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'m>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'m>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if is_special(name) {
            if name == Special::Value.name() {
                return self.placed(self.exact(visitor));
            }
            if let (this, Shape::Scalar) = self.untagged()
                && let Scalar::Time(moment) = this.scalar()
            {
                return this.placed(visitor.visit_string(moment.to_string()));
            }
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        match shape {
            Shape::List | Shape::Variant => this.seq(visitor),
            Shape::Scalar => match this.scalar() {
                Scalar::Bytes(bytes) => this.placed(visitor.visit_seq(SeqDeserializer::new(bytes.get().iter().copied()))),
                Scalar::Null => this.deserialize_any(visitor),
                _ if this.how.lists => this.placed(visitor.visit_seq(One(Some(this)))),
                _ => this.deserialize_any(visitor),
            },
            _ if this.how.lists => this.placed(visitor.visit_seq(One(Some(this)))),
            _ => this.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'m>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'m>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        match shape {
            Shape::Map => this.map(visitor),
            Shape::Scalar if this.how.texts && matches!(this.scalar(), Scalar::Text(text) if text.get().is_empty()) => {
                this.placed(visitor.visit_map(Nothing))
            }
            _ => this.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'m>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'m>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let (this, shape) = self.untagged();
        let case = match shape {
            Shape::Scalar => match this.scalar() {
                Scalar::Text(text) => Case { name: Ok(text), contents: Contents::None, parent: this },
                Scalar::Octets(text) if std::str::from_utf8(text.get()).is_ok() => {
                    let name = Str::Scratch(std::str::from_utf8(text.get()).unwrap_or_default());
                    Case { name: Ok(name), contents: Contents::None, parent: this }
                }
                Scalar::UInt(index, _) if this.how.texts => Case { name: Err(index), contents: Contents::None, parent: this },
                scalar => return this.placed(visit(scalar, visitor)),
            },
            Shape::Map if this.tree.count_at(this.at) == 1 && this.tree.is_field(this.tree.skip_notes(this.at + 1)) => {
                let field = this.tree.skip_notes(this.at + 1);
                let contents = Contents::Value(this.at(this.tree.skip_notes(field + 1)));
                Case { name: Ok(this.tree.field_at(field).name), contents, parent: this }
            }
            Shape::Variant => {
                let Open::Variant { name, index } = this.tree.open_at(this.at) else { return Err(Error::internal("a case that is none")) };
                let contents = match this.tree.count_at(this.at) {
                    0 => Contents::None,
                    1 => Contents::Value(this.at(this.tree.skip_notes(this.at + 1))),
                    _ => Contents::Values(this),
                };
                Case { name: if name.is_empty() { Err(index.into()) } else { Ok(Str::Scratch(name)) }, contents, parent: this }
            }
            _ => return Err(this.place(mismatch("a value that names no case").expected("the name of a case, or a record of one field"))),
        };
        this.placed(visitor.visit_enum(case))
    }

    fn deserialize_identifier<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

/// The values of a list.
struct Elements<'t, 'm> {
    parent: FromTree<'t, 'm>,
    next: usize,
    left: u32,
}

impl<'t, 'm: 't> SeqAccess<'m> for Elements<'t, 'm> {
    type Error = Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let tree = self.parent.tree;
        let at = tree.skip_notes(self.next);
        if tree.is_close(at) {
            self.left = 0;
            return Ok(None);
        }
        self.next = tree.after_value(at);
        self.left = self.left.saturating_sub(1);
        seed.deserialize(self.parent.at(at)).map(Some)
    }

    // A tree has at most as many values as its message has bytes, so the count may be trusted.
    fn size_hint(&self) -> Option<usize> {
        Some(self.left as usize)
    }
}

/// The entries of a map or record.
struct Entries<'t, 'm> {
    parent: FromTree<'t, 'm>,
    next: usize,
    /// Node of the value whose key was taken.
    value: usize,
    /// Fields of one name, if there are any.
    siblings: Option<Siblings>,
}

impl<'t, 'm: 't> Entries<'t, 'm> {
    fn is_done(&self) -> bool {
        let tree = self.parent.tree;
        let at = match &self.siblings {
            Some(siblings) => siblings.skip_taken(tree, self.next),
            None => tree.skip_notes(self.next),
        };
        tree.is_close(at)
    }
}

impl<'t, 'm: 't> MapAccess<'m> for Entries<'t, 'm> {
    type Error = Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        let tree = self.parent.tree;
        let at = match &self.siblings {
            Some(siblings) => siblings.skip_taken(tree, self.next),
            None => tree.skip_notes(self.next),
        };
        if tree.is_close(at) {
            self.next = at;
            return Ok(None);
        }
        let key = self.parent.at(at);
        if tree.is_field(at) {
            self.value = tree.skip_notes(at + 1);
            self.next = tree.after_value(self.value);
            return key.placed(seed.deserialize(Name(tree.field_at(at).name))).map(Some);
        }
        self.value = tree.skip_notes(tree.after_value(at));
        self.next = tree.after_value(self.value);
        seed.deserialize(key).map(Some)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<S::Value> {
        let value = self.parent.at(self.value);
        match self.siblings.as_ref().and_then(|siblings| siblings.all(self.value)) {
            Some(values) => seed.deserialize(Several { first: value, values }),
            None => seed.deserialize(value),
        }
    }
}

/// The values of several fields of one name.
#[derive(Clone, Copy)]
struct Several<'a, 't, 'm> {
    first: FromTree<'t, 'm>,
    values: &'a [u32],
}

impl<'t, 'm: 't> Several<'_, 't, 'm> {
    #[cold]
    fn repeated<T>(self) -> Result<T> {
        let second = self.values.get(1).map_or(self.first, |at| self.first.at(*at as usize));
        Err(second.place(Error::duplicate_field("").seen("a field a second time").expected("one value, as the type is no list")))
    }
}

macro_rules! one {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'m>>(self, _: V) -> Result<V::Value> {
            self.repeated()
        }
    )*};
}

impl<'t, 'm: 't> Deserializer<'m> for Several<'_, 't, 'm> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        let values = self.values.iter().map(|at| self.first.at(*at as usize));
        let mut access = SeqDeserializer::new(values);
        let value = self.first.placed(visitor.visit_seq(&mut access))?;
        self.first.placed(access.end()).map(|()| value)
    }

    fn deserialize_option<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'m>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if is_special(name) { self.deserialize_any(visitor) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_ignored_any<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'m>>(self, _: &'static str, _: V) -> Result<V::Value> {
        self.repeated()
    }

    fn deserialize_struct<V: Visitor<'m>>(self, _: &'static str, _: &'static [&'static str], _: V) -> Result<V::Value> {
        self.repeated()
    }

    fn deserialize_enum<V: Visitor<'m>>(self, _: &'static str, _: &'static [&'static str], _: V) -> Result<V::Value> {
        self.repeated()
    }

    one! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_map
        deserialize_identifier
    }

    forward_to_deserialize_any! { <W: Visitor<'m>> seq tuple tuple_struct }
}

impl<'t, 'm: 't> IntoDeserializer<'m, Error> for FromTree<'t, 'm> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A single value as a list.
struct One<'t, 'm>(Option<FromTree<'t, 'm>>);

impl<'t, 'm: 't> SeqAccess<'m> for One<'t, 'm> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.0.take().map(|value| seed.deserialize(value)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(usize::from(self.0.is_some()))
    }
}

/// A record without fields.
struct Nothing;

impl<'de> MapAccess<'de> for Nothing {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>> {
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<S::Value> {
        Err(Error::internal("a value behind the last one"))
    }
}

/// A case of a sum type as a record of one field.
struct CaseEntry<'t, 'm> {
    case: FromTree<'t, 'm>,
    name: Option<&'t str>,
}

impl<'t, 'm: 't> MapAccess<'m> for CaseEntry<'t, 'm> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.name.take().map(|name| seed.deserialize(Name(Str::Scratch(name)))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'m>>(&mut self, seed: S) -> Result<S::Value> {
        let tree = self.case.tree;
        match tree.count_at(self.case.at) {
            1 => seed.deserialize(self.case.at(tree.skip_notes(self.case.at + 1))),
            _ => seed.deserialize(Values(self.case)),
        }
    }
}

/// The values of a case, as a list.
#[derive(Clone, Copy)]
struct Values<'t, 'm>(FromTree<'t, 'm>);

impl<'t, 'm: 't> Deserializer<'m> for Values<'t, 'm> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'m>>(self, visitor: V) -> Result<V::Value> {
        self.0.seq(visitor)
    }

    forward_to_deserialize_any! {
        <W: Visitor<'m>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The parts of a special value: a name, perhaps a number, and contents.
struct Parts<'t, D> {
    step: u8,
    name: &'t str,
    number: Option<u64>,
    contents: D,
}

impl<'de, D: Deserializer<'de, Error = Error> + Copy> Deserializer<'de> for Parts<'_, D> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, D: Deserializer<'de, Error = Error> + Copy> SeqAccess<'de> for Parts<'_, D> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.step += 1;
        match (self.step, self.number) {
            (1, _) => seed.deserialize(StrDeserializer::new(self.name)).map(Some),
            (2, Some(number)) => seed.deserialize(U64Deserializer::new(number)).map(Some),
            (2, None) | (3, Some(_)) => seed.deserialize(self.contents).map(Some),
            _ => Ok(None),
        }
    }
}

/// A case of an enum.
struct Case<'t, 'm> {
    /// Its name, or its index.
    name: Result<Str<'m, 't, str>, u64>,
    contents: Contents<'t, 'm>,
    parent: FromTree<'t, 'm>,
}

#[derive(Clone, Copy)]
enum Contents<'t, 'm> {
    None,
    Value(FromTree<'t, 'm>),
    /// Several values of this case.
    Values(FromTree<'t, 'm>),
}

impl<'t, 'm: 't> EnumAccess<'m> for Case<'t, 'm> {
    type Error = Error;
    type Variant = Case<'t, 'm>;

    fn variant_seed<S: DeserializeSeed<'m>>(self, seed: S) -> Result<(S::Value, Self)> {
        let value = match self.name {
            Ok(name) => seed.deserialize(Name(name)),
            Err(index) => seed.deserialize(U64Deserializer::new(index)),
        };
        Ok((self.parent.placed(value)?, self))
    }
}

impl<'t, 'm: 't> Case<'t, 'm> {
    #[cold]
    fn without<T>(&self, expected: &'static str) -> Result<T> {
        Err(self.parent.place(mismatch("the name of a case without contents").expected(expected)))
    }
}

impl<'t, 'm: 't> VariantAccess<'m> for Case<'t, 'm> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.contents {
            Contents::None => Ok(()),
            Contents::Value(value) => Deserialize::deserialize(value),
            Contents::Values(case) => Err(case.place(mismatch("a case with contents").expected("one without"))),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'m>>(self, seed: S) -> Result<S::Value> {
        match self.contents {
            Contents::None => self.without("contents of the case"),
            Contents::Value(value) => seed.deserialize(value),
            Contents::Values(case) => seed.deserialize(Values(case)),
        }
    }

    fn tuple_variant<V: Visitor<'m>>(self, _: usize, visitor: V) -> Result<V::Value> {
        match self.contents {
            Contents::None => self.without("the values of the case"),
            Contents::Value(value) => value.deserialize_seq(visitor),
            Contents::Values(case) => case.seq(visitor),
        }
    }

    fn struct_variant<V: Visitor<'m>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        match self.contents {
            Contents::None => self.without("the fields of the case"),
            Contents::Value(value) => value.deserialize_map(visitor),
            Contents::Values(case) => case.seq(visitor),
        }
    }
}
