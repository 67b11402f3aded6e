//! Values that own all their parts.

use alloc::vec::Vec;

use super::nested::{Entry, Item, Value};
use super::scalar::{DEPTH_MAX, Date, NUMBER_MAX, ValueError};
use crate::variable::Type;
use crate::wire::render::{self, Key};

/// A value that owns all its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owned {
    /// `_amount` within 64 bits.
    Amount(i64),
    /// `_time`: seconds.
    Time(i64),
    /// `_date`
    Date(Date),
    /// `_degree`: 0 to 9.
    Degree(u8),
    /// `_flag`
    Flag(bool),
    /// A value of another type without parts: None if the type is not known, [`Type::Amount`] for
    /// one beyond 64 bits.
    Bytes(Option<Type>, Vec<u8>),
    /// `_list`: the type of elements without one of their own, and the elements.
    List(Vec<u8>, Vec<OwnedItem>),
    /// `_struct`: the same with members.
    Struct(Vec<u8>, Vec<OwnedItem>),
    /// `_dict`: the type of values without one of their own, and keys and values.
    Dict(Vec<u8>, Vec<(Vec<u8>, OwnedItem)>),
}

/// An element of a list, or a value in a dict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedItem {
    /// Its type. It is written unless it is the default type of the list or dict.
    pub kind: Vec<u8>,
    /// The value.
    pub value: Owned,
}

/// A tree of values that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteError {
    /// The type named for an element is not that of its value; or it has no type, and would be read
    /// with the default type of its list or dict.
    Type,
    /// A degree above nine.
    Degree,
    /// More than [`DEPTH_MAX`] lists and dicts within each other.
    Depth,
}

impl core::fmt::Display for WriteError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            WriteError::Type => "the type of an element is not that of its value: name it by its value's type",
            WriteError::Degree => "a degree is above 9",
            WriteError::Depth => "too many lists and dicts within each other",
        })
    }
}

impl core::error::Error for WriteError {}

impl Owned {
    /// Reads a value and all its parts.
    pub fn read(value: Value<'_>) -> Result<Owned, ValueError> {
        let bytes = |bytes: &[u8]| Owned::Bytes(value.kind(), bytes.to_vec());
        Ok(match value {
            Value::Amount(amount) => Owned::Amount(amount),
            Value::Time(seconds) => Owned::Time(seconds),
            Value::Date(date) => Owned::Date(date),
            Value::Degree(degree) => Owned::Degree(degree),
            Value::Flag(flag) => Owned::Flag(flag),
            Value::Opaque(text)
            | Value::BigAmount(text)
            | Value::Color(text)
            | Value::Entity(text)
            | Value::Language(text)
            | Value::Nick(text)
            | Value::Page(text)
            | Value::Uniform(text) => bytes(text),
            Value::List(list) => {
                let items = list.items().map(|item| OwnedItem::read(&item?)).collect::<Result<_, _>>()?;
                Owned::List(list.default_type().to_vec(), items)
            }
            Value::Struct(list) => {
                let items = list.items().map(|item| OwnedItem::read(&item?)).collect::<Result<_, _>>()?;
                Owned::Struct(list.default_type().to_vec(), items)
            }
            Value::Dict(dict) => {
                let entry = |entry: Result<Entry<'_>, ValueError>| {
                    let entry = entry?;
                    Ok((entry.key.to_vec(), OwnedItem::read(&entry.item)?))
                };
                Owned::Dict(dict.default_type().to_vec(), dict.entries().map(entry).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Returns its type, or `None` if that is not known.
    pub const fn kind(&self) -> Option<Type> {
        match self {
            Owned::Amount(_) => Some(Type::Amount),
            Owned::Time(_) => Some(Type::Time),
            Owned::Date(_) => Some(Type::Date),
            Owned::Degree(_) => Some(Type::Degree),
            Owned::Flag(_) => Some(Type::Flag),
            Owned::Bytes(kind, _) => *kind,
            Owned::List(..) => Some(Type::List),
            Owned::Struct(..) => Some(Type::Struct),
            Owned::Dict(..) => Some(Type::Dict),
        }
    }

    /// Returns the bytes of the value, with sizes where they are needed. Read by its type, they are
    /// the same value.
    ///
    /// ```
    /// use polywire_psyc::value::{Owned, OwnedItem, Value};
    /// use polywire_psyc::variable::Type;
    ///
    /// let nick = |name: &[u8]| OwnedItem { kind: b"_nick".to_vec(), value: Owned::Bytes(Some(Type::Nick), name.to_vec()) };
    /// let list = Owned::List(b"_nick".to_vec(), vec![nick(b"ann"), nick(b"a|b")]);
    /// assert_eq!(list.to_bytes()?, b"_nick| ann|3 a|b");
    /// # Ok::<(), polywire_psyc::value::WriteError>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_within(DEPTH_MAX)
    }

    fn to_bytes_within(&self, depth: u32) -> Result<Vec<u8>, WriteError> {
        let simple = |value: Value<'_>| value.bytes(&mut [0; NUMBER_MAX]).to_vec();
        let inner = || depth.checked_sub(1).ok_or(WriteError::Depth);
        let mut out = Vec::new();
        match self {
            Owned::Amount(amount) => return Ok(simple(Value::Amount(*amount))),
            Owned::Time(seconds) => return Ok(simple(Value::Time(*seconds))),
            Owned::Date(date) => return Ok(simple(Value::Date(*date))),
            Owned::Degree(degree @ 0..=9) => return Ok(simple(Value::Degree(*degree))),
            Owned::Degree(_) => return Err(WriteError::Degree),
            Owned::Flag(flag) => return Ok(simple(Value::Flag(*flag))),
            Owned::Bytes(_, bytes) => return Ok(bytes.clone()),
            Owned::List(default, items) | Owned::Struct(default, items) => {
                let inner = inner()?;
                let values = items.iter().map(|item| item.to_bytes(default, inner)).collect::<Result<Vec<_>, _>>()?;
                let items = items.iter().zip(&values).map(|(item, value)| item.rendered(default, value));
                render::List { default, items }.append(&mut out);
            }
            Owned::Dict(default, entries) => {
                let inner = inner()?;
                let values = entries.iter().map(|(_, item)| item.to_bytes(default, inner)).collect::<Result<Vec<_>, _>>()?;
                let entries = entries
                    .iter()
                    .zip(&values)
                    .map(|((key, item), value)| render::Entry { key: Key::new(key), item: item.rendered(default, value) });
                render::Dict { default, entries }.append(&mut out);
            }
        }
        Ok(out)
    }
}

impl OwnedItem {
    fn read(item: &Item<'_>) -> Result<OwnedItem, ValueError> {
        Ok(OwnedItem { kind: item.kind.to_vec(), value: Owned::read(item.read()?)? })
    }

    fn to_bytes(&self, default: &[u8], depth: u32) -> Result<Vec<u8>, WriteError> {
        if Type::of(&self.kind) != self.value.kind() || (self.kind.is_empty() && !default.is_empty()) {
            return Err(WriteError::Type);
        }
        self.value.to_bytes_within(depth)
    }

    fn rendered<'a>(&'a self, default: &[u8], value: &'a [u8]) -> render::Item<'a> {
        if self.kind == default { render::Item::new(value) } else { render::Item::typed(&self.kind, value) }
    }
}
