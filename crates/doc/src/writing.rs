//! Objects that are kept as JSON text. While one is open, its entries become text at once.

use std::ops::Range;

use super::json;
use super::member::{Member, Repeated};
use super::names::{NameId, Names};
use polywire_core::Scalar;
use polywire_core::bytes::offset_in;
use polywire_json::JsonOutput;

/// The text of all such objects of a document, in order, each followed by a comma.
#[derive(Debug, Default)]
pub(super) struct Writing {
    out: JsonOutput,
    /// Members and elements of the open containers.
    entries: Vec<Entry>,
    /// Open containers.
    levels: Vec<OpenContainer>,
    /// Buffers for merging members.
    scratch: Scratch,
}

/// A member or element. Its text begins at `start` and ends where the next one starts.
#[derive(Debug, Clone, Copy)]
struct Entry {
    name: NameId,
    listed: bool,
    start: u32,
}

#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    /// Index of its first entry.
    first: u32,
    is_object: bool,
    /// Offset of its text.
    start: u32,
}

#[derive(Debug, Default)]
struct Scratch {
    /// Per name: its index among the names of the object.
    slots: Vec<u32>,
    /// Per entry: the index of its name, and the index of the entry.
    order: Vec<(u32, u32)>,
    /// Text ranges of the values of one name.
    values: Vec<Range<usize>>,
    text: Vec<u8>,
}

impl Scratch {
    /// Returns the slots, at least `names` of them.
    fn slots(&mut self, names: usize) -> &mut [u32] {
        if self.slots.len() < names {
            self.slots.resize(names, NONE);
        }
        &mut self.slots
    }
}

/// An empty slot.
const NONE: u32 = u32::MAX;

impl Writing {
    /// Returns true while an object is open.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Returns the number of open containers.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Returns the length of the text so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Reserves `bytes` for text on first use.
    pub fn reserve(&mut self, bytes: usize) {
        if self.out.is_empty() {
            self.out = JsonOutput::behind(Vec::new(), bytes);
        }
    }

    /// Returns the whole text.
    pub fn finish(self) -> Vec<u8> {
        self.out.finish()
    }

    /// Returns the number of entries in the innermost container so far.
    pub fn entries(&self) -> usize {
        self.entries.len() - self.levels.last().map_or(0, |level| level.first as usize)
    }

    /// Opens the outermost object.
    pub fn start(&mut self) {
        self.levels.push(OpenContainer { first: self.entries.len() as u32, is_object: true, start: self.out.len() as u32 });
        self.out.put(b"{");
    }

    /// Opens a container within it.
    #[inline]
    pub fn open(&mut self, member: Member, is_object: bool, names: &Names) {
        self.entry(member, names);
        self.levels.push(OpenContainer { first: self.entries.len() as u32, is_object, start: self.out.len() as u32 });
        self.out.put(if is_object { b"{" } else { b"[" });
    }

    #[inline(always)]
    fn entry(&mut self, member: Member, names: &Names) {
        self.entries.push(Entry { name: member.name, listed: member.listed, start: self.out.len() as u32 });
        if member.name != NameId::NONE {
            names.write(member.name, &mut self.out);
        }
    }

    /// Appends a scalar. Its text may lie in `source`.
    #[inline(always)]
    pub fn scalar(&mut self, member: Member, value: Scalar<'_, '_>, names: &Names, source: &[u8]) {
        self.entry(member, names);
        match value {
            Scalar::Text(text) => {
                let text = text.get().as_bytes();
                match offset_in(source, text) {
                    // With more bytes behind it, it is copied in larger pieces.
                    Some(start) => self.out.string_of_utf8(source, start, start + text.len()),
                    None => self.out.string_of_utf8(text, 0, text.len()),
                }
            }
            other => json::scalar(other, &mut self.out),
        }
    }

    /// Appends bytes `start..end` of `source` as text. Returns false and appends nothing if they
    /// are not UTF-8.
    #[inline(always)]
    pub fn text(&mut self, member: Member, names: &Names, source: &[u8], start: usize, end: usize) -> bool {
        self.entry(member, names);
        let is_text = self.out.string(source, start, end);
        if !is_text {
            self.take();
        }
        is_text
    }

    /// Closes the innermost container, and merges its members if need be. For the outermost object,
    /// returns the offset and length of its text.
    #[inline]
    pub fn close(&mut self, names: &Names, repeated: Repeated, distinct: bool) -> Option<(u32, u32)> {
        let level = self.levels.pop()?;
        if level.is_object && !distinct && self.has_repeats(level.first as usize, names.len()) {
            self.group(level, names, repeated);
        }
        self.entries.truncate(level.first as usize);
        self.out.close(if level.is_object { b"}," } else { b"]," });
        self.levels.is_empty().then(|| (level.start, self.out.len() as u32 - 1 - level.start))
    }

    /// Drops the innermost container. Returns the place that it was meant for; `None` for the
    /// outermost object.
    pub fn cancel(&mut self) -> Option<Member> {
        let level = self.levels.pop()?;
        self.out.truncate(level.start as usize);
        self.entries.truncate(level.first as usize);
        if self.levels.is_empty() {
            return None;
        }
        self.take().map(|entry| Member { name: entry.name, listed: entry.listed })
    }

    /// Removes the last entry.
    fn take(&mut self) -> Option<Entry> {
        let entry = self.entries.pop()?;
        self.out.truncate(entry.start as usize);
        Some(entry)
    }

    /// Replaces the innermost container by its only entry.
    pub fn unwrap(&mut self, names: &Names) {
        let (Some(level), Some(entry)) = (self.levels.pop(), self.entries.pop()) else { return };
        let value = self.value(entry, self.out.len(), names);
        let text = self.out.text()[value].to_vec();
        self.out.truncate(level.start as usize);
        self.out.push(&text);
    }

    /// Removes the last entry, an element, and returns its text without quotes.
    pub fn take_as_key(&mut self) -> String {
        let Some(entry) = self.entries.last() else { return String::new() };
        let text = &self.out.text()[entry.start as usize..];
        let text = String::from_utf8_lossy(text.strip_suffix(b",").unwrap_or(text)).into_owned();
        self.take();
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(inner) => inner.to_owned(),
            None => text,
        }
    }

    /// Returns the text range of an entry's value, comma included; `end` is the end of the entry.
    fn value(&self, entry: Entry, end: usize, names: &Names) -> Range<usize> {
        entry.start as usize + names.written(entry.name)..end
    }

    fn has_repeats(&mut self, first: usize, names: usize) -> bool {
        let entries = &self.entries[first..];
        if entries.len() < 2 {
            return entries.first().is_some_and(|entry| entry.listed);
        }
        // Like objects have their names in one order, in which these are numbered.
        if entries.windows(2).all(|pair| pair[0].name.0 < pair[1].name.0) && !entries.iter().any(|entry| entry.listed) {
            return false;
        }
        let slots = self.scratch.slots(names);
        let mut repeats = false;
        for entry in entries {
            repeats |= entry.listed;
            if let Some(slot) = slots.get_mut(entry.name.0 as usize) {
                repeats |= *slot != NONE;
                *slot = 0;
            }
        }
        for entry in entries {
            if let Some(slot) = slots.get_mut(entry.name.0 as usize) {
                *slot = NONE;
            }
        }
        repeats
    }

    /// Rewrites the members of an object, one per name.
    #[cold]
    fn group(&mut self, level: OpenContainer, names: &Names, repeated: Repeated) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.slots(names.len());
        let Scratch { slots, order, values, text } = &mut scratch;
        let entries = &self.entries[level.first as usize..];
        order.clear();
        text.clear();
        let mut count = 0;
        for (n, entry) in entries.iter().enumerate() {
            let Some(slot) = slots.get_mut(entry.name.0 as usize) else { continue };
            if *slot == NONE {
                *slot = count;
                count += 1;
            }
            order.push((*slot, n as u32));
        }
        order.sort_unstable();
        for same in order.chunk_by(|one, other| one.0 == other.0) {
            let mut listed = false;
            values.clear();
            for &(_, n) in same {
                let entry = entries[n as usize];
                let end = entries.get(n as usize + 1).map_or(self.out.len(), |next| next.start as usize);
                let name = entry.start as usize..entry.start as usize + names.written(entry.name);
                if values.is_empty() {
                    text.extend_from_slice(&self.out.text()[name.clone()]);
                } else if repeated == Repeated::Last {
                    values.clear();
                }
                values.push(name.end..end);
                listed |= entry.listed;
            }
            // A single value that is a list already is not wrapped.
            let is_list = values.len() == 1 && self.out.text()[values[0].clone()].starts_with(b"[");
            let wraps = values.len() > 1 || (listed && !is_list);
            text.extend_from_slice(if wraps { b"[" } else { b"" });
            values.iter().for_each(|value| text.extend_from_slice(&self.out.text()[value.clone()]));
            if wraps {
                text.pop();
                text.extend_from_slice(b"],");
            }
        }
        for entry in entries {
            if let Some(slot) = slots.get_mut(entry.name.0 as usize) {
                *slot = NONE;
            }
        }
        self.out.truncate(level.start as usize + 1);
        self.out.push(text);
        self.scratch = scratch;
    }
}
