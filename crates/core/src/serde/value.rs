//! `Value` and `Timestamp` as serde's types.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{self, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde_core::ser::{SerializeMap, SerializeTupleStruct, Serializer};
use serde_core::{Deserialize, Serialize};

use crate::serde::names::{Kind, Special, moment};
use crate::value::Value;
use crate::walk::time::Timestamp;

/// Exact by serializers of this toolkit. By others, moments and numbers beyond 64 bits are text,
/// octets are text or bytes, and tags, named records and cases are lists of their parts.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Special::Value.name(), &Inner(self))
    }
}

struct Inner<'v>(&'v Value);

impl Serialize for Inner<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::UInt(value) => serializer.serialize_u64(*value),
            Value::F32(value) => serializer.serialize_f32(*value),
            Value::F64(value) => serializer.serialize_f64(*value),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Value::List(values) => serializer.collect_seq(values),
            Value::Map(pairs) => pairs_of(pairs, serializer),
            Value::Big(digits) => serializer.serialize_newtype_struct(Special::Big.name(), digits),
            Value::Decimal(digits) => serializer.serialize_newtype_struct(Special::Decimal.name(), digits),
            Value::Time(moment) => moment.serialize(serializer),
            Value::Octets(octets) => serializer.serialize_newtype_struct(Special::Octets.name(), &Octets(octets)),
            Value::Tuple(values) => serializer.serialize_newtype_struct(Special::Tuple.name(), values),
            Value::Record { name, fields } if name.is_empty() => {
                serializer.serialize_newtype_struct(Special::Fields.name(), &Fields(fields))
            }
            Value::Record { name, fields } => parts(Special::Record, name, &Fields(fields), None, serializer),
            Value::Variant { name, index, values } => parts(Special::Variant, name, values, Some(u64::from(*index)), serializer),
            Value::Tagged { space, code, value } => parts(Special::Tagged, space, value, Some(*code), serializer),
        }
    }
}

fn pairs_of<S: Serializer>(pairs: &[(Value, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

fn parts<S: Serializer, T: Serialize + ?Sized>(
    special: Special,
    name: &str,
    contents: &T,
    number: Option<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut parts = serializer.serialize_tuple_struct(special.name(), 2 + usize::from(number.is_some()))?;
    parts.serialize_field(name)?;
    if let Some(number) = number {
        parts.serialize_field(&number)?;
    }
    parts.serialize_field(contents)?;
    parts.end()
}

struct Fields<'v>(&'v [(String, Value)]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct Octets<'v>(&'v [u8]);

impl Serialize for Octets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.serialize_bytes(self.0),
        }
    }
}

/// Exact by serializers of this toolkit, RFC 3339 text by others.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Special::Time.name(), &self.to_string())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        struct Moment;

        impl<'de> Visitor<'de> for Moment {
            type Value = Timestamp;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a moment, such as RFC 3339 text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                moment(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Timestamp, D::Error> {
                deserializer.deserialize_str(self)
            }
        }

        deserializer.deserialize_newtype_struct(Special::Time.name(), Moment)
    }
}

/// Exact by deserializers of this toolkit; by others, of the kinds that serde's data model has.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(Special::Value.name(), ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value of any kind")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::UInt(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Value::int(value),
            (_, Ok(value)) => Value::UInt(value),
            _ => Value::Big(value.to_string()),
        })
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(u64::try_from(value).map_or_else(|_| Value::Big(value.to_string()), Value::UInt))
    }

    fn visit_f32<E>(self, value: f32) -> Result<Value, E> {
        Ok(Value::F32(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::F64(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::text(text))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(bytes.to_vec()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bytes(bytes))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let pairs = Pairs::<Value>::default().visit_map(access)?;
        if !pairs.iter().all(|(key, _)| matches!(key, Value::Text(_))) {
            return Ok(Value::Map(pairs));
        }
        let text = |key| if let Value::Text(text) = key { text } else { String::new() };
        Ok(Value::record(pairs.into_iter().map(|(key, value)| (text(key), value))))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (kind, contents) = access.variant::<u32>()?;
        let kind = Kind::of(kind).ok_or_else(|| A::Error::custom("an enum, where a value of any kind was expected"))?;
        Ok(match kind {
            Kind::Big => Value::Big(contents.newtype_variant()?),
            Kind::Decimal => Value::Decimal(contents.newtype_variant()?),
            Kind::Time => Value::Time(contents.newtype_variant()?),
            Kind::Octets => Value::Octets(contents.newtype_variant_seed(OctetsSeed)?),
            Kind::Tuple => Value::Tuple(contents.newtype_variant()?),
            Kind::Fields => Value::Record { name: String::new(), fields: contents.newtype_variant_seed(Pairs::<String>::default())? },
            Kind::Map => Value::Map(contents.newtype_variant_seed(Pairs::<Value>::default())?),
            Kind::Record => {
                let Parts { name, contents, .. } = contents.newtype_variant_seed(Parts::seed(Pairs::<String>::default(), false))?;
                Value::Record { name, fields: contents }
            }
            Kind::Variant => {
                let Parts { name, number, contents } = contents.newtype_variant_seed(Parts::seed(PhantomData::<Vec<Value>>, true))?;
                Value::Variant { name, index: u32::try_from(number).unwrap_or(u32::MAX), values: contents }
            }
            Kind::Tagged => {
                let Parts { name, number, contents } = contents.newtype_variant_seed(Parts::seed(PhantomData::<Value>, true))?;
                Value::Tagged { space: Cow::Owned(name), code: number, value: Box::new(contents) }
            }
        })
    }
}

/// The pairs of a map, in order, with keys of one kind.
struct Pairs<K>(PhantomData<K>);

impl<K> Default for Pairs<K> {
    fn default() -> Self {
        Pairs(PhantomData)
    }
}

impl<'de, K: Deserialize<'de>> DeserializeSeed<'de> for Pairs<K> {
    type Value = Vec<(K, Value)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, K: Deserialize<'de>> Visitor<'de> for Pairs<K> {
    type Value = Vec<(K, Value)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = access.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

struct OctetsSeed;

impl<'de> DeserializeSeed<'de> for OctetsSeed {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for OctetsSeed {
    type Value = Vec<u8>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("octets")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }
}

/// The parts of a special value: a name, perhaps a number, and contents.
struct Parts<T> {
    name: String,
    number: u64,
    contents: T,
}

impl Parts<()> {
    fn seed<S>(contents: S, numbered: bool) -> PartsSeed<S> {
        PartsSeed { contents, numbered }
    }
}

struct PartsSeed<S> {
    contents: S,
    numbered: bool,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for PartsSeed<S> {
    type Value = Parts<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for PartsSeed<S> {
    type Value = Parts<S::Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the parts of a special value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let short = |parts| A::Error::invalid_length(parts, &"the parts of a special value");
        let name = access.next_element()?.ok_or_else(|| short(0))?;
        let number = if self.numbered { access.next_element()?.ok_or_else(|| short(1))? } else { 0 };
        let contents = access.next_element_seed(self.contents)?.ok_or_else(|| short(2))?;
        Ok(Parts { name, number, contents })
    }
}
