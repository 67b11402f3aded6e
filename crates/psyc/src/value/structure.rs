//! Lists, structs and dicts as values: element by element, without a copy.

use super::{Fault, Place, Value};
use crate::element::{self, Bad};
use crate::variable::Type;
use crate::wire::{BAR, keyword_len};

const KEY_START: u8 = b'{';
const KEY_END: u8 = b'}';

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
    /// What the bytes mean by the type.
    pub fn read(&self) -> Result<Value<'a>, Fault> {
        Value::of(Type::of(self.kind), Place { bytes: self.bytes, at: self.at, depth: self.depth })
    }

    /// Offset of the bytes in the outermost value.
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
    /// The place of what lies inside of a list or dict.
    fn entered(self) -> Result<Place<'a>, Fault> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Place { depth, ..self }),
            None => Err(Fault { at: self.at, expected: "fewer lists and dicts within each other" }),
        }
    }

    /// The type of elements without one of their own, and the offset after it.
    fn default_type(&self) -> (&'a [u8], usize) {
        let len = keyword_len(self.bytes);
        (&self.bytes[..len], len)
    }

    fn fault(&self, at: usize, expected: &'static str) -> Fault {
        Fault { at: self.at + at, expected }
    }

    fn bad(&self, bad: Bad) -> Fault {
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
    pub(super) fn at(place: Place<'a>) -> Result<List<'a>, Fault> {
        Ok(List(place.entered()?))
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.0.bytes
    }

    /// The type of elements without one of their own; empty if there is none.
    pub fn default_type(&self) -> &'a [u8] {
        self.0.default_type().0
    }

    /// Its elements. They end after a fault.
    pub fn items(&self) -> Items<'a> {
        let (default, next) = self.0.default_type();
        Items { place: self.0, default, next }
    }
}

/// Goes through the elements of a list.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    place: Place<'a>,
    default: &'a [u8],
    next: usize,
}

impl<'a> Items<'a> {
    fn item(&mut self) -> Result<Item<'a>, Fault> {
        if self.place.bytes[self.next] != BAR {
            return Err(self.place.fault(self.next, "'|'"));
        }
        let found = element::whole(self.place.bytes, self.next, BAR).map_err(|bad| self.place.bad(bad))?;
        self.next = found.end;
        Ok(self.place.item(self.default, found))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Item<'a>, Fault>;

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
    pub(super) fn at(place: Place<'a>) -> Result<Dict<'a>, Fault> {
        Ok(Dict(place.entered()?))
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.0.bytes
    }

    /// The type of values without one of their own; empty if there is none.
    pub fn default_type(&self) -> &'a [u8] {
        self.0.default_type().0
    }

    /// Its entries, in order; a key may come again. They end after a fault.
    pub fn entries(&self) -> Entries<'a> {
        let (default, next) = self.0.default_type();
        Entries { place: self.0, default, next }
    }

    /// The value of the first entry with that key.
    pub fn get(&self, key: &[u8]) -> Option<Result<Item<'a>, Fault>> {
        self.entries().find_map(|entry| match entry {
            Ok(entry) => (entry.key == key).then_some(Ok(entry.item)),
            Err(fault) => Some(Err(fault)),
        })
    }
}

/// Goes through the entries of a dict.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    place: Place<'a>,
    default: &'a [u8],
    next: usize,
}

impl<'a> Entries<'a> {
    fn entry(&mut self) -> Result<Entry<'a>, Fault> {
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
    type Item = Result<Entry<'a>, Fault>;

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
