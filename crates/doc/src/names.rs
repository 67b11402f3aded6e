//! The names of a document's members, each once.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use polywire_json::JsonOutput;
use polywire_json::string::{self as json_string, Short};

/// A name of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NameId(pub(super) u32);

impl NameId {
    /// No name: of the document's value, and of elements of lists.
    pub const NONE: NameId = NameId(u32::MAX);
}

/// Names by number. Each is kept as JSON writes it before a value, `"name":`, so that writing a member's name is one copy.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    hasher: RandomState,
    /// The name that was asked for last.
    last: u32,
}

/// Most names are not longer, as JSON text.
const START: usize = 32;

/// So many names show that there will be more.
const FEW: u32 = 7;

/// Room for so many is made at once then.
const ROOM: usize = 48;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The name itself in `bytes`.
    start: u32,
    end: u32,
    /// The JSON text in `bytes`.
    json_start: u32,
    json_end: u32,
    /// Its first bytes, and zeros behind it: of a fixed size, so that they are copied at once.
    json: [u8; START],
    /// The name that followed this one the last time: in a list of like records, it will again.
    next: u32,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn get(&self, id: NameId) -> &str {
        // Names enter as text.
        self.entries.get(id.0 as usize).map_or("", |entry| std::str::from_utf8(self.slice(entry)).unwrap_or_default())
    }

    /// Appends the name as it stands before a value in JSON.
    #[inline(always)]
    pub(super) fn write(&self, id: NameId, out: &mut JsonOutput) {
        match self.entries.get(id.0 as usize) {
            Some(entry) if entry.json_end - entry.json_start <= START as u32 => {
                out.array(&entry.json, (entry.json_end - entry.json_start) as usize);
            }
            Some(entry) => out.push(&self.bytes[entry.json_start as usize..entry.json_end as usize]),
            None => out.put(b"\"\":"),
        }
    }

    /// Bytes that [`Names::write`] appends.
    pub(super) fn written(&self, id: NameId) -> usize {
        self.entries.get(id.0 as usize).map_or(0, |entry| (entry.json_end - entry.json_start) as usize)
    }

    #[inline]
    fn slice(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start as usize..entry.end as usize]
    }

    /// The number of `name`, if the document has it.
    pub(super) fn find(&self, name: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one(name);
        self.table.find(hash, |&id| self.slice(&self.entries[id as usize]) == name.as_bytes()).map(|&id| NameId(id))
    }

    /// The number of `name`, a new one if need be.
    #[inline]
    pub(super) fn intern(&mut self, name: &str) -> NameId {
        let guess = self.entries.get(self.last as usize).map_or(0, |last| last.next);
        if let Some(entry) = self.entries.get(guess as usize)
            && self.slice(entry) == name.as_bytes()
        {
            self.last = guess;
            return NameId(guess);
        }
        self.look_up(name)
    }

    /// Makes room for the names that most documents have.
    #[cold]
    fn make_room(&mut self) {
        self.entries.reserve(ROOM);
        self.bytes.reserve(ROOM * START);
        let Names { bytes, entries, table, hasher, .. } = self;
        table.reserve(ROOM, |&id| hash(bytes, entries, hasher, id));
    }

    #[inline(never)]
    fn look_up(&mut self, name: &str) -> NameId {
        let hash = self.hasher.hash_one(name);
        let known = self.table.find(hash, |&id| self.slice(&self.entries[id as usize]) == name.as_bytes()).copied();
        let id = known.unwrap_or_else(|| self.add(name, hash));
        if let Some(last) = self.entries.get_mut(self.last as usize) {
            last.next = id;
        }
        self.last = id;
        NameId(id)
    }

    fn add(&mut self, name: &str, hash_of_it: u64) -> u32 {
        let id = self.entries.len() as u32;
        if id == FEW {
            self.make_room();
        }
        let json_start = self.bytes.len();
        json_string::string(&mut self.bytes, name, Short::All);
        self.bytes.push(b':');
        let json_end = self.bytes.len();
        // Quotes and colon around it: what is longer has escapes.
        let start = if json_end - json_start == name.len() + 3 {
            json_start + 1
        } else {
            self.bytes.extend_from_slice(name.as_bytes());
            json_end
        };
        let mut json = [0; START];
        json.iter_mut().zip(&self.bytes[json_start..json_end]).for_each(|(place, byte)| *place = *byte);
        self.entries.push(Entry {
            start: start as u32,
            end: (start + name.len()) as u32,
            json_start: json_start as u32,
            json_end: json_end as u32,
            json,
            next: id + 1,
        });
        let Names { bytes, entries, table, hasher, .. } = self;
        table.insert_unique(hash_of_it, id, |&id| hash(bytes, entries, hasher, id));
        id
    }
}

/// The hash of a name that is known.
fn hash(bytes: &[u8], entries: &[Entry], hasher: &RandomState, id: u32) -> u64 {
    let entry = &entries[id as usize];
    // As `str` hashes: the names were hashed as such.
    hasher.hash_one(std::str::from_utf8(&bytes[entry.start as usize..entry.end as usize]).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_kept_once() {
        let mut names = Names::default();
        let mut ids = Vec::new();
        let long = "long ".repeat(10);
        for _ in 0..3 {
            for name in ["a", "b\n", "", "c", "a", &long] {
                ids.push(names.intern(name));
            }
        }
        assert_eq!(names.len(), 5);
        assert_eq!(ids[..6], ids[6..12]);
        assert_eq!(ids[0], ids[4]);
        assert_eq!(names.get(ids[1]), "b\n");
        let mut text = JsonOutput::default();
        for id in [ids[1], ids[2], NameId::NONE, ids[5]] {
            names.write(id, &mut text);
        }
        assert_eq!(String::from_utf8(text.finish()), Ok(format!("\"b\\n\":\"\":\"\":\"{long}\":")));
        assert_eq!((names.find("c"), names.find("d")), (Some(ids[3]), None));
        assert_eq!(names.get(NameId::NONE), "");
    }

    #[test]
    fn many_names_are_found() {
        let mut names = Names::default();
        let ids: Vec<NameId> = (0..5000).map(|n| names.intern(&format!("name {n}"))).collect();
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(names.find(&format!("name {n}")), Some(*id));
        }
    }
}
