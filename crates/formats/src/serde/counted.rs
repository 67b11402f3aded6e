//! A serializer for formats whose containers begin with the number of their entries, and which have
//! no room for a name of a type.
//!
//! A value that such a format has no plain form for is left to the events: [`Unfit`].

use std::fmt::Display;

use polywire_core::bytes::Growing;
use polywire_core::serde::{Special, is_special};
use polywire_core::{Error, Result};
use serde_core::Serialize;
use serde_core::ser::{self, SerializeMap};

/// The head of a value, or all of a number: at most nine bytes as a little-endian number, and how
/// many they are.
pub(crate) type Head = (u128, usize);

/// Makes a head of one byte and the bytes of a number behind it.
#[inline(always)]
pub(crate) fn tagged<const N: usize>(tag: u8, number: [u8; N]) -> Head {
    let mut bytes = [0; 16];
    bytes[0] = tag;
    bytes[1..=N].copy_from_slice(&number);
    (u128::from_le_bytes(bytes), 1 + N)
}

/// The heads and numbers of a format.
pub(crate) trait Heads {
    const NULL: u8;
    const FALSE: u8;
    const TRUE: u8;
    /// Length in bytes of the head of an empty container.
    const EMPTY: usize = 1;

    fn uint(value: u64) -> Head;
    /// Returns a whole number below zero.
    fn negative(value: i64) -> Head;
    fn f32(value: f32) -> Head;
    fn f64(value: f64) -> Head;
    fn text(length: u32) -> Head;
    fn bytes(length: u32) -> Head;
    fn list(count: u32) -> Head;
    fn map(count: u32) -> Head;
}

/// Appends a value to `out`. Returns `None`, and appends nothing, if the value is for events.
pub(crate) fn push<H: Heads, T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Option<Result<()>> {
    let start = out.len();
    let mut serializer = Counting::<H> { out: Growing::behind(std::mem::take(out)), unfit: false, heads: std::marker::PhantomData };
    let outcome = value.serialize(&mut serializer);
    let unfit = serializer.unfit;
    if outcome.is_err() {
        serializer.out.truncate(start);
    }
    *out = serializer.out.finish();
    if unfit { None } else { Some(outcome) }
}

struct Counting<H> {
    out: Growing,
    unfit: bool,
    heads: std::marker::PhantomData<H>,
}

impl<H: Heads> Counting<H> {
    #[cold]
    fn unfit<T>(&mut self) -> Result<T> {
        self.unfit = true;
        Err(Error::internal("a value that is left to events"))
    }

    #[inline(always)]
    fn head(&mut self, (bytes, len): Head) {
        self.out.head(bytes, len);
    }

    #[inline(always)]
    fn text(&mut self, text: &str) -> Result<()> {
        let Ok(length) = u32::try_from(text.len()) else { return self.unfit() };
        let (head, len) = H::text(length);
        self.out.framed(head, len, text.as_bytes());
        Ok(())
    }

    /// Begins a container.
    #[inline(always)]
    fn begin(&mut self, is_map: bool, len: Option<usize>) -> Result<Container<'_, H>> {
        let claimed = match len.map(u32::try_from) {
            None => None,
            Some(Ok(count)) => Some(count),
            Some(Err(_)) => return self.unfit(),
        };
        let head = self.out.len();
        let count = claimed.unwrap_or(0);
        self.head(if is_map { H::map(count) } else { H::list(count) });
        Ok(Container { counting: self, is_map, claimed, head, count: 0 })
    }

    #[inline]
    fn case(&mut self, name: &str) -> Result<()> {
        self.head(H::map(1));
        self.text(name)
    }
}

impl<'a, H: Heads> ser::Serializer for &'a mut Counting<H> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'a, H>;
    type SerializeTuple = Container<'a, H>;
    type SerializeTupleStruct = Container<'a, H>;
    type SerializeTupleVariant = Container<'a, H>;
    type SerializeMap = Container<'a, H>;
    type SerializeStruct = Container<'a, H>;
    type SerializeStructVariant = Container<'a, H>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.head((u128::from(if value { H::TRUE } else { H::FALSE }), 1));
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.head(if value < 0 { H::negative(value) } else { H::uint(value as u64) });
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => self.serialize_i64(value),
            (_, Ok(value)) => self.serialize_u64(value),
            _ => self.unfit(),
        }
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.head(H::uint(value));
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match u64::try_from(value) {
            Ok(value) => self.serialize_u64(value),
            Err(_) => self.unfit(),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.head(H::f32(value));
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.head(H::f64(value));
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        let Ok(length) = u32::try_from(value.len()) else { return self.unfit() };
        let (head, len) = H::bytes(length);
        self.out.framed(head, len, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.head((u128::from(H::NULL), 1));
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.text(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        if is_special(name) && name != Special::Value.name() && name != Special::Fields.name() {
            return self.unfit();
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, variant: &'static str, value: &T) -> Result<()> {
        self.case(variant)?;
        value.serialize(self)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Container<'a, H>> {
        self.begin(false, len)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Container<'a, H>> {
        self.begin(false, Some(len))
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Container<'a, H>> {
        if is_special(name) {
            return self.unfit();
        }
        self.begin(false, Some(len))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, len: usize) -> Result<Container<'a, H>> {
        self.case(variant)?;
        self.begin(false, Some(len))
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Container<'a, H>> {
        self.begin(true, len)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Container<'a, H>> {
        self.begin(true, Some(len))
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, len: usize) -> Result<Container<'a, H>> {
        self.case(variant)?;
        self.begin(true, Some(len))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.text(&value.to_string())
    }
}

/// A container whose entries are written.
pub(crate) struct Container<'a, H> {
    counting: &'a mut Counting<H>,
    is_map: bool,
    claimed: Option<u32>,
    /// Place of its head.
    head: usize,
    /// Number of entries so far.
    count: u32,
}

impl<H: Heads> Container<'_, H> {
    #[inline(always)]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.count = self.count.saturating_add(1);
        value.serialize(&mut *self.counting)
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        self.counting.text(name)?;
        self.element(value)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        match self.claimed {
            Some(claimed) if claimed == self.count => Ok(()),
            None if self.count == 0 => Ok(()),
            _ => self.correct(),
        }
    }

    /// Writes the count of a container that did not claim it.
    #[inline(never)]
    fn correct(self) -> Result<()> {
        let Container { counting, is_map, claimed, head, count } = self;
        if claimed.is_some() || count == u32::MAX {
            return counting.unfit();
        }
        let (bytes, len) = if is_map { H::map(count) } else { H::list(count) };
        counting.out.replace(head, H::EMPTY, &bytes.to_le_bytes()[..len]);
        Ok(())
    }
}

crate::serde::container::containers!(#[inline(always)] impl[H: Heads] Container<'_, H>);

impl<H: Heads> SerializeMap for Container<'_, H> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        key.serialize(&mut *self.counting)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.element(value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}
