//! Finds texts in the string tables.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use polywire_core::Result;

use super::bits::BitsOut;
use crate::bits::width;
use crate::tables::{Piece, Production, Tables};

/// A value in the partitions.
#[derive(Debug, Clone, Copy)]
struct Entry {
    value: Piece,
    /// Place in the global partition.
    global: u32,
    name: u32,
    /// Place among the values of the name.
    local: u32,
}

/// The entries of a scope's tables by their text.
#[derive(Debug, Default)]
pub(super) struct Index {
    uris: HashTable<u32>,
    names: HashTable<u32>,
    /// Namespaces, and places among their prefixes.
    prefixes: HashTable<(u32, u32)>,
    values: HashTable<Entry>,
    hasher: RandomState,
}

/// The productions of all names by their place: twice the name's number, and one more in content.
pub(super) type Productions = HashMap<(u32, u32), u32, RandomState>;

impl Index {
    /// Indexes the entries that a scope starts with.
    pub fn begin(&mut self, tables: &Tables) {
        (self.uris, self.names, self.prefixes, self.values) = Default::default();
        for uri in 0..tables.scope.uris.len() as u32 {
            self.add_uri(tables, uri);
            for number in &tables.scope.uris[uri as usize].names {
                self.add_name(tables, *number);
            }
            for place in 0..tables.scope.uris[uri as usize].prefixes.len() as u32 {
                self.add_prefix(tables, uri, place);
            }
        }
    }

    fn add_uri(&mut self, tables: &Tables, uri: u32) {
        let hasher = self.hasher.clone();
        let hash = |uri: &u32| hasher.hash_one(tables.arena.get(tables.scope.uris[*uri as usize].text));
        self.uris.insert_unique(hash(&uri), uri, hash);
    }

    fn add_name(&mut self, tables: &Tables, number: u32) {
        let hasher = self.hasher.clone();
        let hash = |number: &u32| {
            let name = &tables.names[*number as usize];
            hasher.hash_one((name.uri, tables.arena.get(name.local)))
        };
        self.names.insert_unique(hash(&number), number, hash);
    }

    /// Adds the prefix at a place of a namespace.
    pub fn add_prefix(&mut self, tables: &Tables, uri: u32, place: u32) {
        let hasher = self.hasher.clone();
        let hash = |&(uri, place): &(u32, u32)| {
            let prefix = tables.scope.uris[uri as usize].prefixes[place as usize];
            hasher.hash_one((uri, tables.arena.get(prefix)))
        };
        self.prefixes.insert_unique(hash(&(uri, place)), (uri, place), hash);
    }

    /// Finds the place of a prefix among those of a namespace.
    pub fn prefix(&self, tables: &Tables, uri: u32, prefix: &str) -> Option<u32> {
        let is_it = |&(known, place): &(u32, u32)| {
            let piece = tables.scope.uris[known as usize].prefixes[place as usize];
            // Most prefixes are empty, and a comparison of empty texts is not cheap.
            known == uri && piece.len as usize == prefix.len() && (prefix.is_empty() || tables.arena.get(piece) == prefix)
        };
        self.prefixes.find(self.hasher.hash_one((uri, prefix)), is_it).map(|(_, place)| *place)
    }

    /// Writes a namespace (EXI 1.0, 7.1.7), and returns its number.
    pub fn put_uri(&mut self, tables: &mut Tables, out: &mut BitsOut, uri: &str) -> Result<u32> {
        let bits = width(tables.scope.uris.len() + 1);
        let found = self.uris.find(self.hasher.hash_one(uri), |known| tables.arena.get(tables.scope.uris[*known as usize].text) == uri);
        if let Some(number) = found {
            out.number(number + 1, bits);
            return Ok(*number);
        }
        out.number(0, bits);
        out.string(uri);
        let text = tables.arena.add(uri)?;
        let number = tables.uri(text);
        self.add_uri(tables, number);
        Ok(number)
    }

    /// Finds a name.
    pub fn name(&self, tables: &Tables, uri: &str, local: &str) -> Option<u32> {
        let uri = *self.uris.find(self.hasher.hash_one(uri), |known| tables.arena.get(tables.scope.uris[*known as usize].text) == uri)?;
        let hash = self.hasher.hash_one((uri, local));
        self.names
            .find(hash, |known| {
                let name = &tables.names[*known as usize];
                name.uri == uri && tables.arena.get(name.local) == local
            })
            .copied()
    }

    /// Writes a name without its prefix, and returns its number.
    pub fn put_name(&mut self, tables: &mut Tables, out: &mut BitsOut, uri: &str, local: &str) -> Result<u32> {
        let found = self.name(tables, uri, local);
        let number = self.put_uri(tables, out, uri)?;
        if let Some(name) = found {
            let names = &tables.scope.uris[number as usize].names;
            // The names of a namespace have growing numbers.
            let place = names.partition_point(|known| *known < name);
            out.unsigned(0);
            out.number(place as u32, width(names.len()));
            return Ok(name);
        }
        out.unsigned(local.chars().count() as u64 + 1);
        out.characters(local);
        let text = tables.arena.add(local)?;
        let name = tables.name(number, text);
        self.add_name(tables, name);
        Ok(name)
    }

    /// Writes a value of a name (7.3.3).
    pub fn put_value(&mut self, tables: &mut Tables, out: &mut BitsOut, name: u32, value: &str) -> Result<()> {
        let hasher = self.hasher.clone();
        let hash = hasher.hash_one(value);
        if let Some(entry) = self.values.find(hash, |known| tables.arena.get(known.value) == value) {
            if entry.name == name {
                out.unsigned(0);
                out.number(entry.local, width(tables.names[name as usize].values.len()));
            } else {
                out.unsigned(1);
                out.number(entry.global, width(tables.scope.values.len()));
            }
            return Ok(());
        }
        let length = value.chars().count() as u64;
        out.unsigned(length + 2);
        out.characters(value);
        let fits = length > 0 && tables.max_length.is_none_or(|longest| length <= u64::from(longest));
        if !fits || tables.capacity == Some(0) {
            return Ok(());
        }
        let text = tables.arena.add(value)?;
        let scope = &tables.scope;
        let global = if tables.capacity.is_some() && scope.next < scope.values.len() { scope.next } else { scope.values.len() } as u32;
        if let Some(gone) = tables.value(name, text, length)
            && let Ok(old) = self.values.find_entry(hasher.hash_one(tables.arena.get(gone)), |known| known.value == gone)
        {
            old.remove();
        }
        let local = tables.names[name as usize].values.len() as u32 - 1;
        let entry = Entry { value: text, global, name, local };
        self.values.insert_unique(hash, entry, |known| hasher.hash_one(tables.arena.get(known.value)));
        Ok(())
    }
}

/// Returns the key of a production.
pub(super) fn key(name: u32, in_content: bool, production: Production) -> (u32, u32) {
    (name << 1 | u32::from(in_content), production.0)
}
