//! Lists and dicts that can be changed. They are written by docs/spec/psyc.md 11.5.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::error::ErrorKind;
use crate::dict::{self, Dict};
use crate::list::{self, List};
use crate::packet::Sizing;
use crate::wire::{keyword_len, render};

/// An element of a list, or a value of a dict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// Its own type, or empty.
    pub kind: Cow<'a, [u8]>,
    pub value: Cow<'a, [u8]>,
}

impl Item<'_> {
    /// Returns its type in a structure with this default type.
    pub fn kind<'s>(&'s self, default: &'s [u8]) -> &'s [u8] {
        if self.kind.is_empty() { default } else { &self.kind }
    }

    fn render(&self) -> render::Item<'_> {
        render::Item::typed(&self.kind, &self.value)
    }
}

/// A default type, or none, and what comes after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Items<'a> {
    pub default: &'a [u8],
    pub items: Vec<Item<'a>>,
}

impl<'a> Items<'a> {
    pub fn read(value: &'a [u8]) -> Result<Items<'a>, ErrorKind> {
        let mut items = Items { default: &value[..keyword_len(value)], items: Vec::new() };
        let mut list = List::new(value);
        loop {
            let (item, last) = match list.step() {
                Ok(list::ListStep::Default(_)) => continue,
                Ok(list::ListStep::Element(item)) => (item, false),
                Ok(list::ListStep::Last(item)) => (item, true),
                Ok(list::ListStep::End { .. }) => break,
                Ok(_) => return Err(ErrorKind::Value(value.len())),
                Err(fault) => return Err(ErrorKind::Value(fault.at)),
            };
            items.items.push(Item { kind: Cow::Borrowed(item.kind), value: Cow::Borrowed(item.value) });
            if last {
                break;
            }
        }
        Ok(items)
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        render::List { default: self.default, items: self.items.iter().map(Item::render) }.append(&mut out);
        out
    }
}

/// A default type, or none, and entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entries<'a> {
    pub default: &'a [u8],
    pub entries: Vec<(Cow<'a, [u8]>, Item<'a>)>,
}

impl<'a> Entries<'a> {
    pub fn read(value: &'a [u8]) -> Result<Entries<'a>, ErrorKind> {
        let mut entries = Entries { default: &value[..keyword_len(value)], entries: Vec::new() };
        let mut dict = Dict::new(value);
        let mut key: &[u8] = b"";
        loop {
            let (item, last) = match dict.step() {
                Ok(dict::DictStep::Default(_)) => continue,
                Ok(dict::DictStep::Key(found)) => {
                    key = found;
                    continue;
                }
                Ok(dict::DictStep::Value(item)) => (item, false),
                Ok(dict::DictStep::Last(item)) => (item, true),
                Ok(dict::DictStep::End(_)) => break,
                Ok(_) => return Err(ErrorKind::Value(value.len())),
                Err(fault) => return Err(ErrorKind::Value(fault.at)),
            };
            entries.entries.push((Cow::Borrowed(key), Item { kind: Cow::Borrowed(item.kind), value: Cow::Borrowed(item.value) }));
            if last {
                break;
            }
        }
        Ok(entries)
    }

    /// Returns the number of the entry with a key; for a duplicate key, that of the last.
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        self.entries.iter().rposition(|entry| *entry.0 == *key)
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let entries = self
            .entries
            .iter()
            .map(|(key, item)| render::Entry { key: render::Key { value: key, sizing: Sizing::Check }, item: item.render() });
        render::Dict { default: self.default, entries }.append(&mut out);
        out
    }
}
