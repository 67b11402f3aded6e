//! Scalars to serde's visitors, for all deserializers alike.

use std::fmt;

use serde_core::de::value::{StrDeserializer, U32Deserializer};
use serde_core::de::{self, DeserializeSeed, Deserializer, EnumAccess, Error as _, Unexpected, VariantAccess, Visitor};
use serde_core::forward_to_deserialize_any;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};
use crate::serde::error::{BYTES, mismatch};
use crate::serde::names::Kind;
use crate::walk::event::{Scalar, Str};

/// Gives a scalar to a visitor, by its kind.
///
/// A whole number beyond 64 bits has 128 bits, or is text. A decimal is the nearest `f64`, which is
/// what serde's data model has for it. Octets are text if they are UTF-8.
///
/// # Errors
/// The visitor's.
#[inline]
pub fn visit<'de, V: Visitor<'de>>(scalar: Scalar<'de, '_>, visitor: V) -> Result<V::Value> {
    match scalar {
        Scalar::Null => visitor.visit_unit(),
        Scalar::Bool(value) => visitor.visit_bool(value),
        Scalar::Int(value, _) => visitor.visit_i64(value),
        Scalar::UInt(value, _) => visitor.visit_u64(value),
        Scalar::F32(value, _) => visitor.visit_f32(value),
        Scalar::F64(value, _) => visitor.visit_f64(value),
        Scalar::Text(Str::Input(text)) => visitor.visit_borrowed_str(text),
        Scalar::Text(Str::Scratch(text)) => visitor.visit_str(text),
        other => visit_rare(other, visitor),
    }
}

#[cold]
fn visit_rare<'de, V: Visitor<'de>>(scalar: Scalar<'de, '_>, visitor: V) -> Result<V::Value> {
    match scalar {
        Scalar::Big(digits, _) => big(digits.get(), visitor),
        Scalar::Decimal(digits, _) => visitor.visit_f64(digits.get().parse().unwrap_or(f64::NAN)),
        Scalar::Bytes(Str::Input(bytes)) => visitor.visit_borrowed_bytes(bytes),
        Scalar::Bytes(Str::Scratch(bytes)) => visitor.visit_bytes(bytes),
        Scalar::Octets(Str::Input(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => visitor.visit_borrowed_str(text),
            Err(bad) => visitor.visit_borrowed_bytes(bytes).map_err(|error| no_utf8(error, bytes, bad.valid_up_to())),
        },
        Scalar::Octets(Str::Scratch(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => visitor.visit_str(text),
            Err(bad) => visitor.visit_bytes(bytes).map_err(|error| no_utf8(error, bytes, bad.valid_up_to())),
        },
        Scalar::Time(moment) => visitor.visit_string(moment.to_string()),
        other => Err(Error::unknown_event(other.kind())),
    }
}

/// Says in the error of a type that takes no bytes that these are text with a bad byte.
#[cold]
fn no_utf8(error: Error, bytes: &[u8], bad: usize) -> Error {
    if error.seen_text() != BYTES {
        return error;
    }
    let byte = bytes.get(bad).copied().unwrap_or_default();
    error.seen(format!("text that is not UTF-8, as its byte {bad} is {byte:#04x}"))
}

fn big<'de, V: Visitor<'de>>(digits: &str, visitor: V) -> Result<V::Value> {
    match (digits.parse::<i128>(), digits.parse::<u128>()) {
        (Ok(value), _) => visitor.visit_i128(value),
        (_, Ok(value)) => visitor.visit_u128(value),
        _ => visitor.visit_str(digits),
    }
}

/// The kind of number that a type asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// A whole number.
    Whole,
    /// A whole number of 128 bits, which may come as the text of its digits.
    Wide,
    /// A binary32.
    F32,
    /// A binary64.
    F64,
}

/// Gives a number to a visitor that asks for one. `digits` are those that it was written with, as
/// far as they are known.
///
/// A float is the one nearest to the digits, rounded once.
///
/// # Errors
/// The visitor's: the number is out of the type's range, or the scalar is no number.
#[inline]
pub fn visit_number<'de, V: Visitor<'de>>(scalar: Scalar<'de, '_>, digits: Option<&str>, number: Number, visitor: V) -> Result<V::Value> {
    match (scalar, number) {
        (Scalar::Big(digits, _), Number::F32 | Number::F64) => {
            let digits = digits.get();
            match number {
                Number::F32 => visitor.visit_f32(digits.parse().unwrap_or(f32::NAN)),
                _ => visitor.visit_f64(digits.parse().unwrap_or(f64::NAN)),
            }
        }
        (Scalar::Decimal(digits, _), Number::F32) => visitor.visit_f32(digits.get().parse().unwrap_or(f32::NAN)),
        (Scalar::F64(value, _), Number::F32) if is_halfway(value) => match digits {
            Some(digits) => visitor.visit_f32(digits.parse().unwrap_or(value as f32)),
            None => visitor.visit_f32(value.to_string().parse().unwrap_or(value as f32)),
        },
        (Scalar::Text(text), Number::Wide) => visit_wide(text.get(), visitor),
        (scalar, _) => visit(scalar, visitor),
    }
}

#[cold]
fn visit_wide<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value> {
    match (text.parse::<i128>(), text.parse::<u128>()) {
        (Ok(value), _) => visitor.visit_i128(value),
        (_, Ok(value)) => visitor.visit_u128(value),
        _ => visitor.visit_str(text),
    }
}

/// Returns whether a float is halfway between two binary32 numbers, so that only its digits decide
/// between them.
#[inline]
fn is_halfway(value: f64) -> bool {
    value.to_bits() & 0x1fff_ffff == 0x1000_0000 || value.abs() < f64::from(f32::MIN_POSITIVE) && value != 0.0
}

/// Decodes bytes that a text format has as base64, as our writers make it.
///
/// # Errors
/// The text is no base64.
pub fn bytes_of_base64(text: &str) -> Result<Vec<u8>> {
    STANDARD.decode(text).map_err(|_| mismatch("text that is no base64").expected("bytes in base64"))
}

/// The name of a record's field or a text key, as a deserializer.
///
/// A type that asks for a number or a truth value gets the one that the name spells, so that maps
/// with such keys come back from formats whose keys are text.
#[derive(Debug, Clone, Copy)]
pub struct Name<'de, 's>(pub Str<'de, 's, str>);

macro_rules! spelled {
    ($($method:ident $type:ty, $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.0.get().parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Name<'de, '_> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0 {
            Str::Input(name) => visitor.visit_borrowed_str(name),
            Str::Scratch(name) => visitor.visit_str(name),
        }
    }

    spelled! {
        deserialize_bool bool, visit_bool;
        deserialize_i8 i8, visit_i8;
        deserialize_i16 i16, visit_i16;
        deserialize_i32 i32, visit_i32;
        deserialize_i64 i64, visit_i64;
        deserialize_i128 i128, visit_i128;
        deserialize_u8 u8, visit_u8;
        deserialize_u16 u16, visit_u16;
        deserialize_u32 u32, visit_u32;
        deserialize_u64 u64, visit_u64;
        deserialize_u128 u128, visit_u128;
        deserialize_f32 f32, visit_f32;
        deserialize_f64 f64, visit_f64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if crate::serde::is_special(name) { self.deserialize_any(visitor) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        visitor.visit_enum(StrDeserializer::new(self.0.get()))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// Gives a value of a kind that serde does not have to the visitor of [`Value`](crate::Value).
///
/// # Errors
/// Those of `contents` and the visitor.
pub fn exact<'de, V: Visitor<'de>, D: Deserializer<'de, Error = Error>>(kind: Kind, contents: D, visitor: V) -> Result<V::Value> {
    visitor.visit_enum(Exact { kind, contents })
}

/// A value of a kind that serde does not have, as a case of an enum.
#[derive(Debug)]
pub struct Exact<D> {
    kind: Kind,
    contents: D,
}

impl<'de, D: Deserializer<'de, Error = Error>> EnumAccess<'de> for Exact<D> {
    type Error = Error;
    type Variant = Exact<D>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Exact<D>)> {
        let kind = seed.deserialize(U32Deserializer::<Error>::new(self.kind as u32))?;
        Ok((kind, self))
    }
}

impl<'de, D: Deserializer<'de, Error = Error>> VariantAccess<'de> for Exact<D> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Err(only_newtype())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        seed.deserialize(self.contents)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(only_newtype())
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        Err(only_newtype())
    }
}

#[cold]
fn only_newtype() -> Error {
    Error::invalid_type(Unexpected::NewtypeVariant, &Wanted("Polywire's own types alone"))
}

struct Wanted(&'static str);

impl de::Expected for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
