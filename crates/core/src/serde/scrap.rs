//! Parts of a special value that are text or a number: the serializer that takes them out.

use serde_core::Serialize;
use serde_core::ser::{Impossible, Serializer};

use crate::error::{Error, Result};

/// Text or a number.
pub(super) enum Scrap {
    Text(String),
    Number(u64),
}

impl Scrap {
    pub(super) fn of<T: Serialize + ?Sized>(value: &T) -> Result<Scrap> {
        value.serialize(Taker)
    }

    pub(super) fn text(self) -> Result<String> {
        match self {
            Scrap::Text(text) => Ok(text),
            Scrap::Number(_) => Err(odd()),
        }
    }

    pub(super) fn number(self) -> Result<u64> {
        match self {
            Scrap::Number(number) => Ok(number),
            Scrap::Text(_) => Err(odd()),
        }
    }
}

#[cold]
fn odd() -> Error {
    Error::usage("a type with a name that belongs to Polywire, and other contents").expected("Polywire's own types alone")
}

struct Taker;

macro_rules! refused {
    ($($method:ident($($type:ty),*) -> $ok:ty;)*) => {$(
        fn $method(self, $(_: $type),*) -> Result<$ok> {
            Err(odd())
        }
    )*};
}

type No = Impossible<Scrap, Error>;

impl Serializer for Taker {
    type Ok = Scrap;
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = No;
    type SerializeStructVariant = No;

    fn serialize_str(self, text: &str) -> Result<Scrap> {
        Ok(Scrap::Text(text.to_string()))
    }

    fn serialize_u64(self, number: u64) -> Result<Scrap> {
        Ok(Scrap::Number(number))
    }

    fn serialize_u32(self, number: u32) -> Result<Scrap> {
        Ok(Scrap::Number(number.into()))
    }

    refused! {
        serialize_bool(bool) -> Scrap;
        serialize_i8(i8) -> Scrap;
        serialize_i16(i16) -> Scrap;
        serialize_i32(i32) -> Scrap;
        serialize_i64(i64) -> Scrap;
        serialize_u8(u8) -> Scrap;
        serialize_u16(u16) -> Scrap;
        serialize_f32(f32) -> Scrap;
        serialize_f64(f64) -> Scrap;
        serialize_char(char) -> Scrap;
        serialize_bytes(&[u8]) -> Scrap;
        serialize_none() -> Scrap;
        serialize_unit() -> Scrap;
        serialize_unit_struct(&'static str) -> Scrap;
        serialize_unit_variant(&'static str, u32, &'static str) -> Scrap;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct(&'static str, usize) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Scrap> {
        Err(odd())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<Scrap> {
        Err(odd())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(self, _: &'static str, _: u32, _: &'static str, _: &T) -> Result<Scrap> {
        Err(odd())
    }
}
