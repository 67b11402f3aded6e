//! Puts a document together, entry by entry.

use bytes::Bytes;

use super::json;
use super::member::{Member, Repeated};
use super::names::NameId;
use super::nodes::{Doc, Node, Tag};
use super::writing::Writing;
use polywire_core::bytes::offset_in;
use polywire_core::{Error, ErrorKind, Fault, Limits, Result, Scalar};

/// Builder of a [`Doc`]: the caller opens and closes containers and puts values between.
///
/// Entries of open containers wait on a stack. When a container closes, its entries move to their
/// final place side by side, and members of the same name are merged as [`Repeated`] says.
#[derive(Debug, Default)]
pub struct Builder {
    doc: Doc,
    repeated: Repeated,
    pending: Vec<Node>,
    levels: Vec<OpenContainer>,
    groups: Groups,
    writing: Writing,
    /// Destination of the written object that is open.
    object: Member,
    /// Expected size of all written objects, in bytes.
    room: Option<usize>,
}

/// Largest reservation for written objects, in bytes. Longer text grows as it comes.
const MOST_ROOM: usize = 256 << 10;

#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    member: Member,
    tag: Tag,
    /// Index in `pending` of its first entry.
    start: u32,
}

/// Buffers for merging members, reused from object to object.
#[derive(Debug, Default)]
struct Groups {
    /// Per name: the stamp of the object that had it last, and its index in `members`.
    seen: Vec<(u32, u32)>,
    stamp: u32,
    members: Vec<Node>,
    counts: Vec<u32>,
}

impl Builder {
    /// Creates a builder of a document that keeps `source`, the message, so that texts in it need
    /// no copy. An empty `source` means that there is no message.
    pub fn new(source: Bytes, repeated: Repeated) -> Builder {
        // A guess: messages of many small values have about one per thirty bytes.
        let nodes = (source.len() / 24).min(1 << 16);
        let doc = Doc { source, nodes: Vec::with_capacity(nodes), ..Doc::default() };
        Builder { doc, repeated, pending: Vec::with_capacity(64), levels: Vec::with_capacity(16), ..Builder::default() }
    }

    /// Reserves `bytes` for the text of [`Builder::write_object`] on first use. Without this call,
    /// reserves the message's length.
    #[must_use]
    pub fn room_for_text(mut self, bytes: usize) -> Builder {
        self.room = Some(bytes);
        self
    }

    /// Returns the id of a member name, a new one if the document lacks it.
    #[inline]
    pub fn name(&mut self, name: &str) -> NameId {
        self.doc.names.intern(name)
    }

    /// Returns the name of an id.
    pub fn name_of(&self, name: NameId) -> &str {
        self.doc.names.get(name)
    }

    /// Returns the number of open containers.
    pub fn depth(&self) -> usize {
        self.levels.len() + self.writing.depth()
    }

    /// Returns the number of entries in the innermost open container so far. A repeated member
    /// counts each time.
    pub fn entries(&self) -> usize {
        if self.writing.is_on() {
            return self.writing.entries();
        }
        self.pending.len() - self.levels.last().map_or(0, |level| level.start as usize)
    }

    /// Opens a list.
    ///
    /// # Errors
    /// The list is nested deeper than [`Limits::MAX_DEPTH`].
    pub fn open_list(&mut self, member: Member) -> Result<()> {
        self.open(member, Tag::List)
    }

    /// Opens an object.
    ///
    /// # Errors
    /// The object is nested deeper than [`Limits::MAX_DEPTH`].
    #[inline]
    pub fn open_object(&mut self, member: Member) -> Result<()> {
        self.open(member, Tag::Object)
    }

    /// Opens an object that is only ever written as JSON: it and everything below become text at
    /// once. Within such an object, opens a plain object.
    ///
    /// # Errors
    /// The object is nested deeper than [`Limits::MAX_DEPTH`].
    #[inline]
    pub fn write_object(&mut self, member: Member) -> Result<()> {
        if self.writing.is_on() {
            return self.open(member, Tag::Object);
        }
        if self.levels.len() >= Limits::MAX_DEPTH as usize {
            return Err(too_deep());
        }
        self.writing.reserve(self.room.unwrap_or(self.doc.source.len()).min(MOST_ROOM));
        self.object = member;
        self.writing.start();
        Ok(())
    }

    /// Returns true while an object of [`Builder::write_object`] is open.
    #[inline(always)]
    pub fn is_writing(&self) -> bool {
        self.writing.is_on()
    }

    /// Puts bytes `start..end` of the message into the open written object, as text. Returns false
    /// and puts nothing if no such object is open or the bytes are not UTF-8.
    #[inline(always)]
    pub fn write_text(&mut self, member: Member, start: usize, end: usize) -> bool {
        let source = &self.doc.source;
        let fits = self.writing.is_on() && start <= end && end <= source.len() && index(self.writing.len()).is_ok();
        fits && self.writing.text(member, &self.doc.names, source, start, end)
    }

    #[inline]
    fn open(&mut self, member: Member, tag: Tag) -> Result<()> {
        if self.depth() >= Limits::MAX_DEPTH as usize {
            return Err(too_deep());
        }
        if self.writing.is_on() {
            index(self.writing.len())?;
            self.writing.open(member, tag == Tag::Object, &self.doc.names);
            return Ok(());
        }
        self.levels.push(OpenContainer { member, tag, start: index(self.pending.len())? });
        Ok(())
    }

    /// Closes the innermost open container.
    ///
    /// # Errors
    /// The document has more than 2³² values, or no container is open.
    pub fn close(&mut self) -> Result<()> {
        if self.writing.is_on() {
            return self.close_written(false);
        }
        let Some(level) = self.levels.last().copied() else { return Err(unopened()) };
        let start = level.start as usize;
        if level.tag != Tag::Object || !self.has_repeats(start) {
            return self.close_distinct();
        }
        self.group(start)?;
        self.levels.pop();
        self.end(level, true)
    }

    /// Closes the innermost open container, whose members must have distinct names and must not be
    /// [`Member::listed`]. A list has no members and always qualifies.
    ///
    /// # Errors
    /// The document has more than 2³² values, or no container is open.
    #[inline]
    pub fn close_distinct(&mut self) -> Result<()> {
        if self.writing.is_on() {
            return self.close_written(true);
        }
        let Some(level) = self.levels.pop() else { return Err(unopened()) };
        self.end(level, false)
    }

    #[inline]
    fn close_written(&mut self, distinct: bool) -> Result<()> {
        if let Some((start, len)) = self.writing.close(&self.doc.names, self.repeated, distinct) {
            index(self.writing.len())?;
            let Member { name, listed } = self.object;
            self.push(Node { name, listed, tag: Tag::Written, a: start, b: len });
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self, OpenContainer { member, tag, start }: OpenContainer, grouped: bool) -> Result<()> {
        let start = start as usize;
        let entries = if grouped { &self.groups.members[..] } else { &self.pending[start..] };
        let first = index(self.doc.nodes.len())?;
        let count = index(entries.len())?;
        self.doc.nodes.extend_from_slice(entries);
        self.pending.truncate(start);
        self.push(Node { name: member.name, tag, listed: member.listed, a: first, b: count });
        Ok(())
    }

    /// Replaces the innermost open container, which has one entry, by that entry.
    pub fn unwrap(&mut self) {
        if self.writing.is_on() {
            return self.writing.unwrap(&self.doc.names);
        }
        if let (Some(level), Some(node)) = (self.levels.pop(), self.pending.last_mut()) {
            (node.name, node.listed) = (level.member.name, level.member.listed);
        }
    }

    /// Drops the innermost open container with its entries. Returns the place that it was meant
    /// for.
    pub fn cancel(&mut self) -> Member {
        if self.writing.is_on() {
            return self.writing.cancel().unwrap_or(self.object);
        }
        let Some(level) = self.levels.pop() else { return Member::ELEMENT };
        self.pending.truncate(level.start as usize);
        level.member
    }

    /// Puts a scalar.
    ///
    /// # Errors
    /// The document has more than 2³² values or bytes of text.
    #[inline(always)]
    pub fn scalar(&mut self, member: Member, value: Scalar<'_, '_>) -> Result<()> {
        if self.writing.is_on() {
            index(self.writing.len())?;
            self.writing.scalar(member, value, &self.doc.names, &self.doc.source);
            return Ok(());
        }
        let name = member.name;
        let mut node = match value {
            Scalar::Text(text) => self.text(name, text.get())?,
            Scalar::Null => Node::new(Tag::Null, name, 0, 0),
            Scalar::Bool(false) => Node::new(Tag::False, name, 0, 0),
            Scalar::Bool(true) => Node::new(Tag::True, name, 0, 0),
            Scalar::Int(value, _) => Node::wide(Tag::Int, name, value as u64),
            Scalar::UInt(value, _) => Node::wide(Tag::UInt, name, value),
            Scalar::F32(value, _) => Node::wide(Tag::F32, name, u64::from(value.to_bits())),
            Scalar::F64(value, hint) => match json::longer(value, hint) {
                Some(digits) => self.kept(Tag::Spelled, name, digits.as_bytes())?,
                None => Node::wide(Tag::F64, name, value.to_bits()),
            },
            Scalar::Big(text, _) => self.kept(Tag::Big, name, text.get().as_bytes())?,
            Scalar::Decimal(text, _) => self.kept(Tag::Decimal, name, text.get().as_bytes())?,
            Scalar::Bytes(bytes) => self.kept(Tag::Bytes, name, bytes.get())?,
            Scalar::Octets(bytes) => {
                let tag = if std::str::from_utf8(bytes.get()).is_ok() { Tag::Text } else { Tag::Bytes };
                self.kept(tag, name, bytes.get())?
            }
            Scalar::Time(moment) => {
                self.doc.times.push(moment);
                Node::new(Tag::Time, name, index(self.doc.times.len() - 1)?, 0)
            }
            other => return Err(Error::unknown_event(other.kind())),
        };
        node.listed = member.listed;
        self.push(node);
        Ok(())
    }

    #[inline]
    fn text(&mut self, name: NameId, text: &str) -> Result<Node> {
        self.kept(Tag::Text, name, text.as_bytes())
    }

    #[inline(always)]
    fn kept(&mut self, tag: Tag, name: NameId, bytes: &[u8]) -> Result<Node> {
        let start = match offset_in(&self.doc.source, bytes) {
            // The arena begins behind the last byte of the message.
            Some(start) if start < self.doc.source.len() => start,
            _ => self.copied(bytes),
        };
        index(start + bytes.len())?;
        Ok(Node::new(tag, name, start as u32, bytes.len() as u32))
    }

    /// Copies bytes from outside the message into the arena, and returns their offset.
    #[inline(never)]
    fn copied(&mut self, bytes: &[u8]) -> usize {
        let start = self.doc.source.len() + self.doc.arena.len();
        self.doc.arena.extend_from_slice(bytes);
        start
    }

    #[inline]
    fn push(&mut self, node: Node) {
        self.pending.push(node);
    }

    /// Takes the last entry away and returns its JSON text without quotes. Serves map keys that are
    /// not text.
    pub fn take_as_key(&mut self) -> String {
        if self.writing.is_on() {
            return self.writing.take_as_key();
        }
        let Some(node) = self.pending.pop() else { return String::new() };
        match node.tag {
            Tag::Text => self.doc.text(node).to_string(),
            _ => {
                let text = String::from_utf8(json::text_of(&self.doc, node)).unwrap_or_default();
                match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    // Times and bytes have no escapes.
                    Some(inner) => inner.to_string(),
                    None => text,
                }
            }
        }
    }

    /// Returns the document.
    ///
    /// # Errors
    /// A container is still open: the caller has a bug.
    pub fn finish(mut self) -> Result<Doc> {
        if self.depth() > 0 {
            return Err(Error::internal("a document whose containers are not closed"));
        }
        if let Some(root) = self.pending.pop() {
            self.doc.nodes.push(root);
        }
        self.doc.written = self.writing.finish();
        Ok(self.doc)
    }

    /// Returns true if members from `start` on must be merged.
    #[inline]
    fn has_repeats(&mut self, start: usize) -> bool {
        let members = &self.pending[start..];
        // Names are numbered in order of arrival: in a list of like records, those of each ascend.
        let (mut ascends, mut listed, mut next) = (true, false, 0);
        for member in members {
            ascends &= member.name.0 >= next;
            listed |= member.listed;
            next = member.name.0.saturating_add(1);
        }
        if ascends {
            return listed;
        }
        self.groups.next(self.doc.names.len());
        let Groups { seen, stamp, .. } = &mut self.groups;
        let mut repeats = false;
        for member in members {
            repeats |= member.listed;
            if let Some(seen) = seen.get_mut(member.name.0 as usize) {
                repeats |= seen.0 == *stamp;
                seen.0 = *stamp;
            }
        }
        repeats
    }

    /// Merges the members from `start` on into `groups.members`, one per name.
    fn group(&mut self, start: usize) -> Result<()> {
        self.groups.next(self.doc.names.len());
        let Groups { seen, stamp, members, counts } = &mut self.groups;
        members.clear();
        counts.clear();
        for &member in &self.pending[start..] {
            let Some(seen) = seen.get_mut(member.name.0 as usize) else { continue };
            if seen.0 != *stamp {
                *seen = (*stamp, members.len() as u32);
                members.push(member);
                counts.push(1);
            } else {
                counts[seen.1 as usize] += 1;
                members[seen.1 as usize].listed |= member.listed;
                if self.repeated == Repeated::Last {
                    let listed = members[seen.1 as usize].listed;
                    members[seen.1 as usize] = Node { listed, ..member };
                }
            }
        }
        let nodes = &mut self.doc.nodes;
        for (member, count) in members.iter_mut().zip(counts.iter_mut()) {
            // A single value that is a list already is not wrapped.
            let is_list = member.listed && !(*count == 1 && member.tag == Tag::List);
            if self.repeated == Repeated::Group && (*count > 1 || is_list) {
                let first = index(nodes.len())?;
                nodes.resize(nodes.len() + *count as usize, Node::new(Tag::Null, NameId::NONE, 0, 0));
                *member = Node::new(Tag::List, member.name, first, *count);
                // From here on: the index of the next element, counted from 1.
                *count = first + 1;
            } else {
                if is_list && member.tag != Tag::List {
                    let first = index(nodes.len())?;
                    nodes.push(Node { name: NameId::NONE, listed: false, ..*member });
                    *member = Node::new(Tag::List, member.name, first, 1);
                }
                *count = 0;
            }
            member.listed = false;
        }
        for &member in &self.pending[start..] {
            let Some(&(_, slot)) = seen.get(member.name.0 as usize) else { continue };
            let next = &mut counts[slot as usize];
            if *next > 0 {
                nodes[*next as usize - 1] = Node { name: NameId::NONE, listed: false, ..member };
                *next = next.saturating_add(1);
            }
        }
        Ok(())
    }
}

impl Groups {
    /// Begins a new object, of a document with `names` names.
    #[inline]
    fn next(&mut self, names: usize) {
        if self.seen.len() < names {
            self.seen.resize(names, (0, 0));
        }
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.seen.fill((0, 0));
            self.stamp = 1;
        }
    }
}

#[cold]
fn unopened() -> Error {
    Error::internal("a close without its open")
}

#[cold]
fn too_large() -> Error {
    Error::new(ErrorKind::Limit, Fault::Data).seen("a message of more than 2^32 values or bytes of text")
}

#[cold]
fn too_deep() -> Error {
    Error::new(ErrorKind::Limit, Fault::Data).seen(format!("more than {} containers within each other", Limits::MAX_DEPTH))
}

#[inline]
fn index(n: usize) -> Result<u32> {
    // The largest `u32` means "none".
    u32::try_from(n).ok().filter(|n| *n < u32::MAX).ok_or_else(too_large)
}
