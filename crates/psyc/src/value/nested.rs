//! Values, and the lists, structs and dicts of values among them, read element by element without a
//! copy.

use super::scalar::{DEPTH_MAX, Date, NUMBER_MAX, Place, ValueError, seconds, text, whole};
use crate::element::{self, Bad};
use crate::uniform::{self, Uniform};
use crate::variable::Type;
use crate::wire::render::RenderError;
use crate::wire::{BAR, keyword_len};

const KEY_START: u8 = b'{';
const KEY_END: u8 = b'}';

/// A value of a known or unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A value of an unknown type: any bytes.
    Opaque(&'a [u8]),
    /// `_amount`
    Amount(i64),
    /// `_amount`, of a number that 64 bits do not hold: its text.
    BigAmount(&'a [u8]),
    /// `_color`
    Color(&'a [u8]),
    /// `_date`
    Date(Date),
    /// `_degree`: 0 to 9.
    Degree(u8),
    /// `_dict`
    Dict(Dict<'a>),
    /// `_entity`: an address.
    Entity(&'a [u8]),
    /// `_flag`
    Flag(bool),
    /// `_language`
    Language(&'a [u8]),
    /// `_list`
    List(List<'a>),
    /// `_nick`
    Nick(&'a [u8]),
    /// `_page`
    Page(&'a [u8]),
    /// `_struct`: its members.
    Struct(List<'a>),
    /// `_time`: seconds.
    Time(i64),
    /// `_uniform`: an address.
    Uniform(&'a [u8]),
}

impl<'a> Value<'a> {
    /// Reads the value of a variable, or of an element of type `name`. The elements of lists and
    /// dicts are not checked yet.
    ///
    /// ```
    /// use polywire_psyc::value::Value;
    ///
    /// assert_eq!(Value::read(b"_amount_members", b"-12"), Ok(Value::Amount(-12)));
    /// let Ok(Value::List(list)) = Value::read(b"_list_members", b"_nick| ann|=_degree 4") else { panic!() };
    /// let values: Vec<Value<'_>> = list.items().map(|item| item.and_then(|item| item.read())).collect::<Result<_, _>>()?;
    /// assert_eq!(values, [Value::Nick(b"ann"), Value::Degree(4)]);
    /// assert_eq!(Value::read(b"_degree_availability", b"12").unwrap_err().at, 1);
    /// # Ok::<(), polywire_psyc::value::ValueError>(())
    /// ```
    pub fn read(name: &[u8], bytes: &'a [u8]) -> Result<Value<'a>, ValueError> {
        Value::read_within(name, bytes, DEPTH_MAX)
    }

    /// Reads it as [`Value::read`] does, with at most `depth` lists and dicts within each other.
    pub fn read_within(name: &[u8], bytes: &'a [u8], depth: u32) -> Result<Value<'a>, ValueError> {
        Value::of(Type::of(name), Place { bytes, at: 0, depth })
    }

    fn of(kind: Option<Type>, place: Place<'a>) -> Result<Value<'a>, ValueError> {
        let Place { bytes, at, .. } = place;
        Ok(match kind {
            None | Some(Type::Counter) => Value::Opaque(bytes),
            Some(Type::Amount) => match whole(bytes, at)? {
                Some(amount) => Value::Amount(amount),
                None => Value::BigAmount(bytes),
            },
            Some(Type::Time) => Value::Time(seconds(bytes, at)?),
            Some(Type::Date) => Value::Date(Date(seconds(bytes, at)?)),
            Some(Type::Degree) => match bytes {
                [digit @ b'0'..=b'9'] => Value::Degree(digit - b'0'),
                [b'0'..=b'9', _, ..] => return Err(ValueError { at: at + 1, expected: "the end after one digit" }),
                _ => return Err(ValueError { at, expected: "a digit" }),
            },
            Some(Type::Flag) => match bytes {
                b"1" | b"true" => Value::Flag(true),
                b"0" | b"false" => Value::Flag(false),
                _ => return Err(ValueError { at, expected: "'1' or '0'" }),
            },
            Some(Type::Color) => Value::Color(bytes),
            Some(Type::Entity) => Value::Entity(bytes),
            Some(Type::Language) => Value::Language(bytes),
            Some(Type::Nick) => Value::Nick(bytes),
            Some(Type::Page) => Value::Page(bytes),
            Some(Type::Uniform) => Value::Uniform(bytes),
            Some(Type::List) => Value::List(List::at(place)?),
            Some(Type::Struct) => Value::Struct(List::at(place)?),
            Some(Type::Dict) => Value::Dict(Dict::at(place)?),
        })
    }

    /// Returns its type, or `None` for an opaque value.
    pub const fn kind(&self) -> Option<Type> {
        Some(match self {
            Value::Opaque(_) => return None,
            Value::Amount(_) | Value::BigAmount(_) => Type::Amount,
            Value::Color(_) => Type::Color,
            Value::Date(_) => Type::Date,
            Value::Degree(_) => Type::Degree,
            Value::Dict(_) => Type::Dict,
            Value::Entity(_) => Type::Entity,
            Value::Flag(_) => Type::Flag,
            Value::Language(_) => Type::Language,
            Value::List(_) => Type::List,
            Value::Nick(_) => Type::Nick,
            Value::Page(_) => Type::Page,
            Value::Struct(_) => Type::Struct,
            Value::Time(_) => Type::Time,
            Value::Uniform(_) => Type::Uniform,
        })
    }

    /// Returns whether a variable or an element of that name holds values of this type.
    pub fn fits(&self, name: &[u8]) -> bool {
        Type::of(name) == self.kind()
    }

    /// Parses an address (docs/spec/psyc.md 13). Returns `None` for values that are no addresses.
    pub fn uniform(&self) -> Option<Result<Uniform<'a>, uniform::UniformError>> {
        match self {
            Value::Uniform(bytes) | Value::Entity(bytes) => Some(Uniform::parse(bytes)),
            _ => None,
        }
    }

    /// Returns the bytes of the value. Numbers are written to `digits`; all other values are
    /// borrowed.
    ///
    /// A modifier or an element made of them has the right size with
    /// [`Sizing::Check`](crate::packet::Sizing::Check), which is what
    /// [`Modifier::new`](crate::packet::Modifier::new) and
    /// [`Item::new`](crate::wire::render::Item::new) say.
    pub fn bytes<'s>(&self, digits: &'s mut [u8; NUMBER_MAX]) -> &'s [u8]
    where
        'a: 's,
    {
        match *self {
            Value::Opaque(bytes)
            | Value::BigAmount(bytes)
            | Value::Color(bytes)
            | Value::Entity(bytes)
            | Value::Language(bytes)
            | Value::Nick(bytes)
            | Value::Page(bytes)
            | Value::Uniform(bytes) => bytes,
            Value::List(list) | Value::Struct(list) => list.bytes(),
            Value::Dict(dict) => dict.bytes(),
            Value::Flag(flag) => {
                if flag {
                    b"1"
                } else {
                    b"0"
                }
            }
            Value::Degree(degree) => text(i64::from(degree), digits),
            Value::Amount(number) | Value::Time(number) | Value::Date(Date(number)) => text(number, digits),
        }
    }

    /// Writes the bytes of the value at the start of `out`, and returns their number.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, RenderError> {
        let mut digits = [0; NUMBER_MAX];
        let bytes = self.bytes(&mut digits);
        out.get_mut(..bytes.len()).ok_or(RenderError::Buffer)?.copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

/// A list, or the members of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List<'a>(Place<'a>);

/// A dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dict<'a>(Place<'a>);

/// An element of a list, or a value in a dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its type: its own, or else that of the list or dict; empty if there is neither.
    pub kind: &'a [u8],
    /// Its bytes.
    pub bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Item<'a> {
    /// Reads the bytes by the type.
    pub fn read(&self) -> Result<Value<'a>, ValueError> {
        Value::of(Type::of(self.kind), Place { bytes: self.bytes, at: self.at, depth: self.depth })
    }

    /// Returns the offset of the bytes in the outermost value.
    pub const fn at(&self) -> usize {
        self.at
    }
}

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Its value.
    pub item: Item<'a>,
}

impl<'a> Place<'a> {
    /// Returns the place of what lies inside of a list or dict.
    fn entered(self) -> Result<Place<'a>, ValueError> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Place { depth, ..self }),
            None => Err(ValueError { at: self.at, expected: "fewer lists and dicts within each other" }),
        }
    }

    /// Returns the default type, for elements without a type of their own, and the offset after it.
    fn default_type(&self) -> (&'a [u8], usize) {
        let len = keyword_len(self.bytes);
        (&self.bytes[..len], len)
    }

    fn fault(&self, at: usize, expected: &'static str) -> ValueError {
        ValueError { at: self.at + at, expected }
    }

    fn bad(&self, bad: Bad) -> ValueError {
        match bad {
            Bad::More(_) => self.fault(self.bytes.len(), "the rest of an element"),
            Bad::Kind(at) => self.fault(at, "a type, and a space or a size after it"),
            Bad::Length(at) | Bad::Long(at) => self.fault(at, "a space, or a size and a space"),
        }
    }

    fn item(&self, default: &'a [u8], found: element::Item<'a>) -> Item<'a> {
        let kind = if found.kind.is_empty() { default } else { found.kind };
        Item { kind, bytes: found.value, at: self.at + found.at, depth: self.depth }
    }
}

impl<'a> List<'a> {
    pub(super) fn at(place: Place<'a>) -> Result<List<'a>, ValueError> {
        Ok(List(place.entered()?))
    }

    /// Returns its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.0.bytes
    }

    /// Returns the default type, for elements without a type of their own; empty if there is none.
    pub fn default_type(&self) -> &'a [u8] {
        self.0.default_type().0
    }

    /// Returns its elements. They end after a fault.
    pub fn items(&self) -> Items<'a> {
        let (default, next) = self.0.default_type();
        Items { place: self.0, default, next }
    }
}

/// The iterator over the elements of a list.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    place: Place<'a>,
    default: &'a [u8],
    next: usize,
}

impl<'a> Items<'a> {
    fn item(&mut self) -> Result<Item<'a>, ValueError> {
        if self.place.bytes[self.next] != BAR {
            return Err(self.place.fault(self.next, "'|'"));
        }
        let found = element::whole(self.place.bytes, self.next, BAR).map_err(|bad| self.place.bad(bad))?;
        self.next = found.end;
        Ok(self.place.item(self.default, found))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Item<'a>, ValueError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.place.bytes.len() {
            return None;
        }
        let item = self.item();
        if item.is_err() {
            self.next = self.place.bytes.len();
        }
        Some(item)
    }
}

impl<'a> Dict<'a> {
    pub(super) fn at(place: Place<'a>) -> Result<Dict<'a>, ValueError> {
        Ok(Dict(place.entered()?))
    }

    /// Returns its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.0.bytes
    }

    /// Returns the default type, for values without a type of their own; empty if there is none.
    pub fn default_type(&self) -> &'a [u8] {
        self.0.default_type().0
    }

    /// Returns its entries, in order, duplicate keys included. They end after a fault.
    pub fn entries(&self) -> Entries<'a> {
        let (default, next) = self.0.default_type();
        Entries { place: self.0, default, next }
    }

    /// Returns the value of the first entry with that key.
    pub fn get(&self, key: &[u8]) -> Option<Result<Item<'a>, ValueError>> {
        self.entries().find_map(|entry| match entry {
            Ok(entry) => (entry.key == key).then_some(Ok(entry.item)),
            Err(fault) => Some(Err(fault)),
        })
    }
}

/// The iterator over the entries of a dict.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    place: Place<'a>,
    default: &'a [u8],
    next: usize,
}

impl<'a> Entries<'a> {
    fn entry(&mut self) -> Result<Entry<'a>, ValueError> {
        let bytes = self.place.bytes;
        if bytes[self.next] != KEY_START {
            return Err(self.place.fault(self.next, "'{'"));
        }
        let key = element::whole_key(bytes, self.next).map_err(|bad| self.place.bad(bad))?;
        if bytes.get(key.end) != Some(&KEY_END) {
            return Err(self.place.fault(key.end, "'}'"));
        }
        let found = element::whole(bytes, key.end, KEY_START).map_err(|bad| self.place.bad(bad))?;
        self.next = found.end;
        Ok(Entry { key: key.value, item: self.place.item(self.default, found) })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, ValueError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.place.bytes.len() {
            return None;
        }
        let entry = self.entry();
        if entry.is_err() {
            self.next = self.place.bytes.len();
        }
        Some(entry)
    }
}
