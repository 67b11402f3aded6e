//! Objects: records, and maps of any format, in the order that their entries came.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::Val;

/// Entries up to which a name is found by comparing all of them.
const FEW: usize = 16;

/// Entries in order, found by key.
#[derive(Debug, Clone, Default)]
pub struct Object {
    /// Name of a record's type; `None` for a map.
    pub(crate) record: Option<Box<str>>,
    entries: Vec<(Val, Val)>,
    /// Places of the entries whose key is text, by key; made once there are many.
    index: Option<Box<HashTable<u32>>>,
}

fn hash(key: &str) -> u64 {
    FixedState::default().hash_one(key)
}

impl Object {
    /// Makes a record without the name of a type, as readers and filters make most objects.
    pub(crate) fn new() -> Object {
        Object { record: Some(Box::default()), entries: Vec::new(), index: None }
    }

    /// Makes an object of entries whose keys differ, or whose last one counts.
    pub(crate) fn of(record: Option<Box<str>>, entries: Vec<(Val, Val)>) -> Object {
        Object { record, entries, index: None }
    }

    /// Sets the entries, whose keys differ.
    pub(crate) fn fill(&mut self, entries: Vec<(Val, Val)>) {
        self.index = None;
        self.entries = entries;
    }

    /// Returns the entries, in order.
    pub(crate) fn entries(&self) -> &[(Val, Val)] {
        &self.entries
    }

    /// Puts the entries in the order of their keys, and applies `change` to each value.
    pub(crate) fn sort(&mut self, change: impl Fn(Val) -> Val) {
        self.index = None;
        self.entries.sort_by(|one, other| one.0.cmp(&other.0));
        for (_, value) in &mut self.entries {
            *value = change(std::mem::take(value));
        }
    }

    /// Takes the entries out, and leaves none.
    pub(crate) fn take(&mut self) -> Vec<(Val, Val)> {
        self.index = None;
        std::mem::take(&mut self.entries)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the place of the entry with that key, the last one if there are several.
    #[inline]
    fn place(&self, key: &Val) -> Option<usize> {
        match (key, &self.index) {
            (Val::Text(text), Some(index)) => {
                let text = text.as_str();
                let is_it = |place: &u32| matches!(&self.entries[*place as usize].0, Val::Text(known) if known.as_str() == text);
                index.find(hash(text), is_it).map(|place| *place as usize)
            }
            (Val::Text(text), None) => {
                let text = text.as_str();
                self.entries.iter().rposition(|(known, _)| matches!(known, Val::Text(known) if known.as_str() == text))
            }
            _ => self.entries.iter().rposition(|(known, _)| known == key),
        }
    }

    /// Returns the value of a key.
    #[inline]
    pub(crate) fn get(&self, key: &Val) -> Option<&Val> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    /// Returns the value of a key that is text.
    #[inline]
    pub(crate) fn get_text(&self, key: &str) -> Option<&Val> {
        if self.index.is_none() {
            let is_it = |(known, _): &&(Val, Val)| matches!(known, Val::Text(known) if known.as_str() == key);
            return self.entries.iter().rev().find(is_it).map(|(_, value)| value);
        }
        self.get(&Val::text(key))
    }

    /// Returns the value of a key, to be changed.
    pub(crate) fn get_mut(&mut self, key: &Val) -> Option<&mut Val> {
        self.indexed();
        self.place(key).map(|place| &mut self.entries[place].1)
    }

    /// Sets the value of a key: that of the entry which is there, or of a new one at the end.
    pub(crate) fn insert(&mut self, key: Val, value: Val) {
        self.indexed();
        match self.place(&key) {
            Some(place) => self.entries[place].1 = value,
            None => {
                if let (Some(index), Val::Text(text)) = (&mut self.index, &key) {
                    let place = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
                    let entries = &self.entries;
                    let rehash = |place: &u32| entries.get(*place as usize).map_or(0, |(key, _)| hash_of(key));
                    index.insert_unique(hash(text.as_str()), place, rehash);
                }
                self.entries.push((key, value));
            }
        }
    }

    /// Removes the entry of a key; the others keep their order.
    pub(crate) fn remove(&mut self, key: &Val) {
        if let Some(place) = self.place(key) {
            self.entries.remove(place);
            self.index = None;
        }
    }

    /// Makes the index once it is worth it.
    fn indexed(&mut self) {
        if self.index.is_some() || self.entries.len() < FEW {
            return;
        }
        let mut index: HashTable<u32> = HashTable::with_capacity(2 * self.entries.len());
        let entries = &self.entries;
        let rehash = |place: &u32| entries.get(*place as usize).map_or(0, |(key, _)| hash_of(key));
        for (place, (key, _)) in entries.iter().enumerate() {
            let Val::Text(text) = key else { continue };
            let hash = hash(text.as_str());
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let same = |known: &u32| matches!(&entries[*known as usize].0, Val::Text(known) if known.as_str() == text.as_str());
            match index.find_mut(hash, same) {
                Some(known) => *known = place,
                None => {
                    index.insert_unique(hash, place, rehash);
                }
            }
        }
        self.index = Some(Box::new(index));
    }
}

fn hash_of(key: &Val) -> u64 {
    match key {
        Val::Text(text) => hash(text.as_str()),
        _ => 0,
    }
}

impl Extend<(Val, Val)> for Object {
    fn extend<I: IntoIterator<Item = (Val, Val)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}
