//! Sorted dictionaries from entries in any order.
//!
//! Entries stay where they were written. Entries that are out of order are remembered, and one
//! final copy puts each byte in its place: an entry is moved once, at any depth.

/// The entries of all open dictionaries, and the orders of those that need one.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Entries of open dictionaries, innermost last.
    open: Vec<Entry>,
    /// Dictionaries that are out of order, inner ones first.
    unsorted: Vec<Unsorted>,
    /// Their entries, sorted.
    sorted: Vec<Entry>,
    stack: Vec<Range>,
}

/// One entry of a dictionary in the buffer: its written key, and its value.
#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    /// Range of the key's own bytes.
    key: (usize, usize),
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Unsorted {
    /// Start of its first entry in the buffer.
    start: usize,
    end: usize,
    /// Range of its entries among the sorted ones.
    entries: (usize, usize),
}

/// A range that remains to be copied.
#[derive(Debug, Clone, Copy)]
enum Range {
    Bytes(usize, usize),
    Entries(usize, usize),
}

/// An open dictionary: its entries start here among those of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dictionary {
    first: usize,
    in_order: bool,
}

impl Order {
    pub(super) fn open(&self) -> Dictionary {
        Dictionary { first: self.open.len(), in_order: true }
    }

    /// Adds a key that was written at `start`, its own bytes at `key`.
    pub(super) fn key(&mut self, dictionary: &mut Dictionary, buf: &[u8], start: usize, key: (usize, usize)) {
        if self.open.len() > dictionary.first
            && let Some(before) = self.open.last_mut()
        {
            before.end = start;
            dictionary.in_order &= buf[before.key.0..before.key.1] <= buf[key.0..key.1];
        }
        self.open.push(Entry { start, key, end: start });
    }

    /// Ends the dictionary; its last entry ends at `end`.
    pub(super) fn close(&mut self, dictionary: Dictionary, buf: &[u8], end: usize) {
        let entries = &mut self.open[dictionary.first..];
        if !dictionary.in_order
            && let [Entry { start, .. }, ..] = *entries
        {
            if let Some(last) = entries.last_mut() {
                last.end = end;
            }
            // Entries of one key keep their order.
            entries.sort_by(|one, other| buf[one.key.0..one.key.1].cmp(&buf[other.key.0..other.key.1]));
            let from = self.sorted.len();
            self.sorted.extend_from_slice(entries);
            self.unsorted.push(Unsorted { start, end, entries: (from, self.sorted.len()) });
        }
        self.open.truncate(dictionary.first);
    }

    /// Appends the message in `buf` to `out`, all its dictionaries in order, and drops it.
    pub(super) fn finish(&mut self, buf: &[u8], out: &mut Vec<u8>) {
        out.reserve(buf.len());
        self.unsorted.sort_unstable_by_key(|dictionary| dictionary.start);
        self.stack.push(Range::Bytes(0, buf.len()));
        while let Some(range) = self.stack.pop() {
            match range {
                Range::Entries(from, to) if from < to => {
                    let Entry { start, end, .. } = self.sorted[from];
                    self.stack.push(Range::Entries(from + 1, to));
                    self.stack.push(Range::Bytes(start, end));
                }
                Range::Entries(..) => {}
                Range::Bytes(from, to) => {
                    // A dictionary starts with its first entry, which does not contain it.
                    let next = self.unsorted.partition_point(|dictionary| dictionary.start <= from);
                    match self.unsorted.get(next) {
                        Some(dictionary) if dictionary.start < to => {
                            out.extend_from_slice(&buf[from..dictionary.start]);
                            self.stack.push(Range::Bytes(dictionary.end, to));
                            self.stack.push(Range::Entries(dictionary.entries.0, dictionary.entries.1));
                        }
                        _ => out.extend_from_slice(&buf[from..to]),
                    }
                }
            }
        }
        self.clear();
    }

    /// Drops the message and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.unsorted.clear();
        self.sorted.clear();
        self.stack.clear();
    }
}
