//! Parts that pull readers of binary formats share: special values, and cases of enums.

use polywire_core::serde::{Name, mismatch};
use polywire_core::{Error, Result, Str};
use serde_core::de::value::{StrDeserializer, U64Deserializer};
use serde_core::de::{DeserializeSeed, Deserializer, EnumAccess, SeqAccess, VariantAccess, Visitor};
use serde_core::forward_to_deserialize_any;

pub(crate) const MORE_VALUES: &str = "a list of more values than the type takes";
pub(crate) const MORE_FIELDS: &str = "a record of more fields than the type takes";

/// Makes the error of a value that is no case of an enum.
#[cold]
pub(crate) fn no_case() -> Error {
    mismatch("a value that names no case").expected("the name of a case, or a record of one field")
}

/// The parts of a tagged value.
pub(crate) struct TaggedParts<D> {
    pub(crate) space: &'static str,
    pub(crate) code: u64,
    pub(crate) contents: Option<D>,
    pub(crate) step: u8,
}

impl<'de, D: Deserializer<'de, Error = Error>> Deserializer<'de> for TaggedParts<D> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, D: Deserializer<'de, Error = Error>> SeqAccess<'de> for TaggedParts<D> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>> {
        self.step += 1;
        match self.step {
            1 => seed.deserialize(StrDeserializer::new(self.space)).map(Some),
            2 => seed.deserialize(U64Deserializer::new(self.code)).map(Some),
            _ => self.contents.take().map(|contents| seed.deserialize(contents)).transpose(),
        }
    }
}

/// A case of an enum without contents.
#[derive(Debug)]
pub(crate) struct Case<'de, 's>(pub(crate) Str<'de, 's, str>);

impl<'de> EnumAccess<'de> for Case<'de, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        Ok((seed.deserialize(Name(self.0))?, self))
    }
}

#[cold]
fn without<T>(expected: &'static str) -> Result<T> {
    Err(mismatch("the name of a case without contents").expected(expected))
}

impl<'de> VariantAccess<'de> for Case<'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value> {
        without("contents of the case")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        without("the values of the case")
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        without("the fields of the case")
    }
}

/// A case of an enum with contents. Its name was read; the deserializer is at the contents.
pub(crate) struct CaseOf<'de, 's, D> {
    pub(crate) name: Str<'de, 's, str>,
    pub(crate) contents: D,
}

/// The contents of a case.
pub(crate) struct Contents<D>(D);

impl<'de, D: Deserializer<'de, Error = Error>> EnumAccess<'de> for CaseOf<'de, '_, D> {
    type Error = Error;
    type Variant = Contents<D>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Contents<D>)> {
        Ok((seed.deserialize(Name(self.name))?, Contents(self.contents)))
    }
}

impl<'de, D: Deserializer<'de, Error = Error>> VariantAccess<'de> for Contents<D> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        serde_core::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.0.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.0.deserialize_map(visitor)
    }
}
