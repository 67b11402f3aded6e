//! Rust's types to events.

use std::fmt::Display;
use std::marker::PhantomData;

use serde_core::Serialize;
use serde_core::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

use crate::error::{Error, Result};
use crate::serde::names::{Special, is_special, moment};
use crate::serde::scrap::Scrap;
use crate::walk::event::{Field, Len, Next, Open, Scalar, Span, Str};
use crate::walk::sink::Sink;

/// Emits a value to a sink, such as a writer or a [`Tree`](crate::Tree).
///
/// # Errors
/// The sink's, and those of the type's `Serialize`.
pub fn to_events<'m, T: Serialize + ?Sized, S: Sink<'m> + ?Sized>(value: &T, sink: &mut S) -> Result<()> {
    value.serialize(&mut Events::new(sink))
}

/// A serializer that emits events to a sink.
///
/// Structs are records without the name of their type, maps are maps, sequences and tuples are
/// lists. Enums are tagged externally, as serde's derive does by itself: a case without contents is
/// its name, any other is a record of one field. With [`Events::cases`] they are cases of a sum
/// type.
#[derive(Debug)]
pub struct Events<'w, 'm, S: ?Sized> {
    sink: &'w mut S,
    message: PhantomData<&'m ()>,
    /// True if the next value is the key of a map.
    is_key: bool,
    /// True if the sink steps over the value.
    silent: bool,
    /// True if the sink has stopped.
    stopped: bool,
    cases: bool,
    /// The kind of the next value, if it is a special one: a tuple, fields or octets.
    shape: Option<Shape>,
    /// The span of all events: [`Events::EXACT`] within a [`Value`](crate::Value).
    at: Span,
}

/// The kind of a special value whose contents come next.
#[derive(Debug)]
enum Shape {
    Octets,
    Tuple,
    Fields,
    Record(String),
    Variant(String, u64),
}

impl<'w, 'm, S: Sink<'m> + ?Sized> Events<'w, 'm, S> {
    /// The span, which is empty, of events that come from a [`Value`](crate::Value): a loss there
    /// is one, while the type of a struct may bring back what a format does not say.
    pub const EXACT: Span = Span::new(1, 1);

    /// Makes a serializer for `sink`.
    pub fn new(sink: &'w mut S) -> Self {
        Events { sink, message: PhantomData, is_key: false, silent: false, stopped: false, cases: false, shape: None, at: Span::NONE }
    }

    /// Sets whether enums are cases of a sum type, for sinks whose schema has such types.
    #[must_use]
    pub fn cases(self, cases: bool) -> Self {
        Events { cases, ..self }
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>) -> Result<()> {
        self.is_key = false;
        if self.silent { Ok(()) } else { self.sink.scalar(value, self.at) }
    }

    /// Emits a scalar that no type reads back from the text that some formats make of it as a key.
    #[inline]
    fn odd(&mut self, value: Scalar<'m, '_>) -> Result<()> {
        let at = self.exact_if_key();
        self.is_key = false;
        if self.silent { Ok(()) } else { self.sink.scalar(value, at) }
    }

    /// Returns the span of an event that is a key which must be exact.
    #[inline]
    fn exact_if_key(&self) -> Span {
        if self.is_key { Self::EXACT } else { self.at }
    }

    #[inline]
    fn text(&mut self, text: &str) -> Result<()> {
        if std::mem::take(&mut self.is_key) { self.name(text) } else { self.scalar(Scalar::Text(Str::Scratch(text))) }
    }

    /// Opens a container. Returns whether its events, and its end, are emitted.
    #[inline]
    fn open(&mut self, open: Open<'_>) -> Result<bool> {
        let at = self.exact_if_key();
        self.is_key = false;
        if self.silent {
            return Ok(false);
        }
        let next = self.sink.open(open, at)?;
        self.obey(next);
        Ok(!self.silent)
    }

    fn obey(&mut self, next: Next) {
        self.silent = next != Next::Enter;
        self.stopped |= next == Next::Stop;
    }

    #[inline]
    fn close(&mut self, opened: bool, outer: bool) -> Result<()> {
        if opened && !self.stopped {
            self.silent = false;
            self.sink.close(self.at)?;
        } else {
            self.silent = outer || self.stopped;
        }
        Ok(())
    }

    /// Emits the name of the value that follows.
    #[inline]
    fn name(&mut self, name: &str) -> Result<()> {
        if !self.silent {
            let next = self.sink.field(Field::named(Str::Scratch(name)), self.at)?;
            if next != Next::Enter {
                self.obey(next);
            }
        }
        Ok(())
    }

    #[inline]
    fn begin(&mut self, open: Open<'_>) -> Result<Container<'_, 'w, 'm, S>> {
        let outer = self.silent;
        let opened = self.open(open)?;
        Ok(Container { events: self, opened, outer, around: None, special: None, parts: 0, name: String::new(), number: 0 })
    }

    /// Begins a case of an enum with contents, and the container of these.
    fn begin_case(&mut self, index: u32, name: &str, contents: Open<'_>) -> Result<Container<'_, 'w, 'm, S>> {
        let around = self.open_case(index, name)?;
        if self.cases && matches!(contents, Open::List(_)) {
            let (opened, outer) = around;
            return Ok(Container { events: self, opened, outer, around: None, special: None, parts: 0, name: String::new(), number: 0 });
        }
        Ok(Container { around: Some(around), ..self.begin(contents)? })
    }

    /// Opens a case of an enum, up to its contents. Returns what [`Events::close`] takes.
    fn open_case(&mut self, index: u32, name: &str) -> Result<(bool, bool)> {
        let outer = self.silent;
        if self.cases {
            return Ok((self.open(Open::Variant { name, index })?, outer));
        }
        let opened = self.open(Open::Record { name: "", len: Len::Claimed(1) })?;
        self.name(name)?;
        Ok((opened, outer))
    }

    fn shaped<T: Serialize + ?Sized>(&mut self, shape: Shape, value: &T) -> Result<()> {
        self.shape = Some(shape);
        value.serialize(&mut *self)
    }

    /// Emits a newtype of the private language.
    #[cold]
    fn special<T: Serialize + ?Sized>(&mut self, special: Special, value: &T) -> Result<()> {
        match special {
            Special::Value => {
                let before = std::mem::replace(&mut self.at, Self::EXACT);
                let outcome = value.serialize(&mut *self);
                self.at = before;
                outcome
            }
            Special::Big => self.scalar(Scalar::big(Str::Scratch(&Scrap::of(value)?.text()?))),
            Special::Decimal => self.scalar(Scalar::decimal(Str::Scratch(&Scrap::of(value)?.text()?))),
            Special::Time => {
                let text = Scrap::of(value)?.text()?;
                let moment = moment(&text).ok_or_else(|| Error::usage(format!("the time {text:?}")).expected("RFC 3339"))?;
                self.scalar(Scalar::Time(moment))
            }
            Special::Octets => self.shaped(Shape::Octets, value),
            Special::Tuple => self.shaped(Shape::Tuple, value),
            Special::Fields => self.shaped(Shape::Fields, value),
            Special::Record | Special::Variant | Special::Tagged => value.serialize(&mut *self),
        }
    }
}

impl<'a, 'w, 'm, S: Sink<'m> + ?Sized> ser::Serializer for &'a mut Events<'w, 'm, S> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'a, 'w, 'm, S>;
    type SerializeTuple = Container<'a, 'w, 'm, S>;
    type SerializeTupleStruct = Container<'a, 'w, 'm, S>;
    type SerializeTupleVariant = Container<'a, 'w, 'm, S>;
    type SerializeMap = Container<'a, 'w, 'm, S>;
    type SerializeStruct = Container<'a, 'w, 'm, S>;
    type SerializeStructVariant = Container<'a, 'w, 'm, S>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.scalar(Scalar::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<()> {
        self.scalar(Scalar::int(value.into()))
    }

    fn serialize_i16(self, value: i16) -> Result<()> {
        self.scalar(Scalar::int(value.into()))
    }

    fn serialize_i32(self, value: i32) -> Result<()> {
        self.scalar(Scalar::int(value.into()))
    }

    fn serialize_i64(self, value: i64) -> Result<()> {
        self.scalar(Scalar::int(value))
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => self.scalar(Scalar::int(value)),
            (_, Ok(value)) => self.scalar(Scalar::uint(value)),
            _ => self.scalar(Scalar::big(Str::Scratch(&value.to_string()))),
        }
    }

    fn serialize_u8(self, value: u8) -> Result<()> {
        self.scalar(Scalar::uint(value.into()))
    }

    fn serialize_u16(self, value: u16) -> Result<()> {
        self.scalar(Scalar::uint(value.into()))
    }

    fn serialize_u32(self, value: u32) -> Result<()> {
        self.scalar(Scalar::uint(value.into()))
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.scalar(Scalar::uint(value))
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match u64::try_from(value) {
            Ok(value) => self.scalar(Scalar::uint(value)),
            Err(_) => self.scalar(Scalar::big(Str::Scratch(&value.to_string()))),
        }
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.scalar(Scalar::f32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.scalar(Scalar::f64(value))
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        if self.shape.is_some() && self.shape.take().is_some() {
            return self.scalar(Scalar::Octets(Str::Scratch(value.as_bytes())));
        }
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match self.shape.take() {
            None => self.odd(Scalar::Bytes(Str::Scratch(value))),
            Some(_) => self.scalar(Scalar::Octets(Str::Scratch(value))),
        }
    }

    fn serialize_none(self) -> Result<()> {
        self.odd(Scalar::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.odd(Scalar::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.odd(Scalar::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, variant: &'static str) -> Result<()> {
        if !self.cases || self.is_key {
            return self.text(variant);
        }
        let outer = self.silent;
        let opened = self.open(Open::Variant { name: variant, index })?;
        self.close(opened, outer)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if is_special(name)
            && let Some(special) = Special::of(name)
        {
            return self.special(special, value);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, index: u32, variant: &'static str, value: &T) -> Result<()> {
        let (opened, outer) = self.open_case(index, variant)?;
        value.serialize(&mut *self)?;
        self.close(opened, outer)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Container<'a, 'w, 'm, S>> {
        let len = length(len);
        match self.shape.take() {
            None => self.begin(Open::List(len)),
            Some(Shape::Variant(name, index)) => self.begin(Open::Variant { name: &name, index: u32::try_from(index).unwrap_or(u32::MAX) }),
            Some(_) => self.begin(Open::Tuple(len)),
        }
    }

    fn serialize_tuple(self, len: usize) -> Result<Container<'a, 'w, 'm, S>> {
        self.begin(Open::List(length(Some(len))))
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Container<'a, 'w, 'm, S>> {
        if is_special(name)
            && let Some(special @ (Special::Record | Special::Variant | Special::Tagged)) = Special::of(name)
        {
            let outer = self.silent;
            let around = None;
            return Ok(Container {
                events: self,
                opened: false,
                outer,
                around,
                special: Some(special),
                parts: 0,
                name: String::new(),
                number: 0,
            });
        }
        self.begin(Open::List(length(Some(len))))
    }

    fn serialize_tuple_variant(self, _: &'static str, index: u32, variant: &'static str, len: usize) -> Result<Container<'a, 'w, 'm, S>> {
        self.begin_case(index, variant, Open::List(length(Some(len))))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Container<'a, 'w, 'm, S>> {
        let len = length(len);
        match self.shape.take() {
            None => self.begin(Open::Map(len)),
            Some(Shape::Record(name)) => self.begin(Open::Record { name: &name, len }),
            Some(_) => self.begin(Open::Record { name: "", len }),
        }
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Container<'a, 'w, 'm, S>> {
        self.begin(Open::Record { name: "", len: length(Some(len)) })
    }

    fn serialize_struct_variant(self, _: &'static str, index: u32, variant: &'static str, len: usize) -> Result<Container<'a, 'w, 'm, S>> {
        self.begin_case(index, variant, Open::Record { name: "", len: length(Some(len)) })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.serialize_str(&value.to_string())
    }
}

fn length(len: Option<usize>) -> Len {
    len.map_or(Len::Unknown, |len| Len::Claimed(len as u64))
}

/// A container whose parts are serialised.
#[derive(Debug)]
pub struct Container<'a, 'w, 'm, S: ?Sized> {
    events: &'a mut Events<'w, 'm, S>,
    opened: bool,
    /// True if the sink steps over what is around it.
    outer: bool,
    /// The container around it, that of a case.
    around: Option<(bool, bool)>,
    /// Set while the parts before the contents of a special value come.
    special: Option<Special>,
    /// Number of parts of a special value so far.
    parts: u32,
    name: String,
    number: u64,
}

impl<'m, S: Sink<'m> + ?Sized> Container<'_, '_, 'm, S> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let silent = self.events.silent;
        self.events.name(name)?;
        value.serialize(&mut *self.events)?;
        self.events.silent = silent || self.events.stopped;
        Ok(())
    }

    #[inline]
    fn finish(self) -> Result<()> {
        if matches!(self.special, Some(Special::Record | Special::Variant)) {
            return Ok(());
        }
        self.events.close(self.opened, self.outer)?;
        match self.around {
            Some((opened, outer)) => self.events.close(opened, outer),
            None => Ok(()),
        }
    }

    /// Takes a part of a special value, or emits its contents.
    #[cold]
    fn part<T: Serialize + ?Sized>(&mut self, special: Special, value: &T) -> Result<()> {
        self.parts += 1;
        match (special, self.parts) {
            (_, 1) => self.name = Scrap::of(value)?.text()?,
            (Special::Variant | Special::Tagged, 2) => self.number = Scrap::of(value)?.number()?,
            (Special::Tagged, _) => {
                self.opened = self.events.open(Open::Tagged { space: &self.name, code: self.number })?;
                value.serialize(&mut *self.events)?;
            }
            (Special::Variant, _) => self.events.shaped(Shape::Variant(std::mem::take(&mut self.name), self.number), value)?,
            _ => self.events.shaped(Shape::Record(std::mem::take(&mut self.name)), value)?,
        }
        Ok(())
    }
}

macro_rules! sequence {
    ($($trait:ident $method:ident;)*) => {$(
        impl<'m, S: Sink<'m> + ?Sized> $trait for Container<'_, '_, 'm, S> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                match self.special {
                    None => value.serialize(&mut *self.events),
                    Some(special) => self.part(special, value),
                }
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

sequence! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! fields {
    ($($trait:ident)*) => {$(
        impl<'m, S: Sink<'m> + ?Sized> $trait for Container<'_, '_, 'm, S> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

fields!(SerializeStruct SerializeStructVariant);

impl<'m, S: Sink<'m> + ?Sized> SerializeMap for Container<'_, '_, 'm, S> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        // A sink that steps over a field steps over its value too.
        self.parts = u32::from(self.events.silent);
        self.events.is_key = true;
        key.serialize(&mut *self.events)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.events)?;
        self.events.silent = self.parts != 0 || self.events.stopped;
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}
