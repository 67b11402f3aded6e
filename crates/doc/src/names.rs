//! The names of a document's members, each once.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use polywire_json::JsonOutput;
use polywire_json::string::{self as json_string, Short};

/// Id of a member name in one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NameId(pub(super) u32);

impl NameId {
    /// No name: the document's root value, and list elements.
    pub const NONE: NameId = NameId(u32::MAX);
}

/// Names by id. Each is kept in the form that stands before a value in JSON, `"name":`, so that
/// writing a member's name is one copy.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    hasher: RandomState,
    /// Id of the name that was asked for last.
    last: u32,
}

/// Length of JSON text that most names do not exceed.
const START: usize = 32;

/// A document with this number of names probably has more.
const FEW: u32 = 7;

/// Number of names to reserve memory for then.
const ROOM: usize = 48;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The name itself in `bytes`.
    start: u32,
    end: u32,
    /// The JSON text in `bytes`.
    json_start: u32,
    json_end: u32,
    /// The first bytes of the JSON text, zero-padded to a fixed size for a copy without a loop.
    json: [u8; START],
    /// Id of the name that followed this one last: in a list of like records, it will again.
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
        // Names enter as text, so this never fails.
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

    /// Returns the number of bytes that [`Names::write`] appends.
    pub(super) fn written(&self, id: NameId) -> usize {
        self.entries.get(id.0 as usize).map_or(0, |entry| (entry.json_end - entry.json_start) as usize)
    }

    #[inline]
    fn slice(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start as usize..entry.end as usize]
    }

    /// Returns the id of `name`, if the document has it.
    pub(super) fn find(&self, name: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one(name);
        self.table.find(hash, |&id| self.slice(&self.entries[id as usize]) == name.as_bytes()).map(|&id| NameId(id))
    }

    /// Returns the id of `name`, a new one if the document lacks it.
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

    /// Reserves memory for the names of a usual document.
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
        // Quotes and a colon are three bytes. Longer text has escapes.
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

/// Returns the hash of a known name.
fn hash(bytes: &[u8], entries: &[Entry], hasher: &RandomState, id: u32) -> u64 {
    let entry = &entries[id as usize];
    // The table hashes names as `str`, so this must too.
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
