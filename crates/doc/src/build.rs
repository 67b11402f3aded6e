//! Putting a document together, entry by entry.

use bytes::Bytes;

use super::json;
use super::member::{Member, Repeated};
use super::names::NameId;
use super::nodes::{Doc, Node, Tag};
use super::writing::Writing;
use polywire_core::bytes::offset_in;
use polywire_core::{Error, ErrorKind, Fault, Limits, Result, Scalar};

/// Makes a [`Doc`]: containers are opened and closed, values put between. Entries of the containers that are open wait on a stack; when a container
/// closes, they move to their place side by side, members of one name grouped.
#[derive(Debug, Default)]
pub struct Builder {
    doc: Doc,
    repeated: Repeated,
    pending: Vec<Node>,
    levels: Vec<OpenContainer>,
    groups: Groups,
    writing: Writing,
    /// Where the object goes that is being written.
    object: Member,
    /// A guess at the bytes of all such objects.
    room: Option<usize>,
}

/// More text than this gets memory as it comes.
const MOST_ROOM: usize = 256 << 10;

#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    member: Member,
    tag: Tag,
    /// Its first entry in `pending`.
    start: u32,
}

/// Memory for grouping, reused from object to object.
#[derive(Debug, Default)]
struct Groups {
    /// Per name: the object that had it last, and its place among the members there.
    seen: Vec<(u32, u32)>,
    stamp: u32,
    members: Vec<Node>,
    counts: Vec<u32>,
}

impl Builder {
    /// A builder of a document that keeps `source`, the message, so that texts in it need no copy. Without one, an empty `Bytes`.
    pub fn new(source: Bytes, repeated: Repeated) -> Builder {
        // A guess: messages of many small values have about one for thirty bytes.
        let nodes = (source.len() / 24).min(1 << 16);
        let doc = Doc { source, nodes: Vec::with_capacity(nodes), ..Doc::default() };
        Builder { doc, repeated, pending: Vec::with_capacity(64), levels: Vec::with_capacity(16), ..Builder::default() }
    }

    /// Takes memory for so many bytes of [`Builder::write_object`]'s text, once the first comes; else as many as the message has.
    #[must_use]
    pub fn room_for_text(mut self, bytes: usize) -> Builder {
        self.room = Some(bytes);
        self
    }

    /// Makes a new member name, or finds a known one.
    #[inline]
    pub fn name(&mut self, name: &str) -> NameId {
        self.doc.names.intern(name)
    }

    /// The name that a number stands for.
    pub fn name_of(&self, name: NameId) -> &str {
        self.doc.names.get(name)
    }

    /// Number of containers that are open.
    pub fn depth(&self) -> usize {
        self.levels.len() + self.writing.depth()
    }

    /// Number of entries of the innermost open container so far, members of one name counted each.
    pub fn entries(&self) -> usize {
        if self.writing.is_on() {
            return self.writing.entries();
        }
        self.pending.len() - self.levels.last().map_or(0, |level| level.start as usize)
    }

    /// Opens a list.
    ///
    /// # Errors
    /// It is nested deeper than [`Limits::MAX_DEPTH`].
    pub fn open_list(&mut self, member: Member) -> Result<()> {
        self.open(member, Tag::List)
    }

    /// Opens an object.
    ///
    /// # Errors
    /// It is nested deeper than [`Limits::MAX_DEPTH`].
    #[inline]
    pub fn open_object(&mut self, member: Member) -> Result<()> {
        self.open(member, Tag::Object)
    }

    /// Opens an object that nobody will look into, but who writes it as JSON: it and all below become text at once. Within such an object it is opened as
    /// any other.
    ///
    /// # Errors
    /// It is nested deeper than [`Limits::MAX_DEPTH`].
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

    /// Whether such an object is open.
    #[inline(always)]
    pub fn is_writing(&self) -> bool {
        self.writing.is_on()
    }

    /// Puts what is from `start` to `end` of the message into the object that is being written, as text. False if none is, or if it is no UTF-8; nothing is put then.
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

    /// Ends the innermost open container.
    ///
    /// # Errors
    /// The document has more than 2³² values.
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

    /// Ends the innermost open container, whose members, if it has any, are known to have a name of their own each, and not to be [`Member::listed`].
    ///
    /// # Errors
    /// The document has more than 2³² values.
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

    /// Ends the innermost open container, which has one entry, and puts that entry in its place.
    pub fn unwrap(&mut self) {
        if self.writing.is_on() {
            return self.writing.unwrap(&self.doc.names);
        }
        if let (Some(level), Some(node)) = (self.levels.pop(), self.pending.last_mut()) {
            (node.name, node.listed) = (level.member.name, level.member.listed);
        }
    }

    /// Forgets the innermost open container and what is in it; the place it was for.
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
    /// Texts and values of the document are more than 2³².
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
            Scalar::F64(value, _) => Node::wide(Tag::F64, name, value.to_bits()),
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
            // Behind the last byte the arena begins.
            Some(start) if start < self.doc.source.len() => start,
            _ => self.copied(bytes),
        };
        index(start + bytes.len())?;
        Ok(Node::new(tag, name, start as u32, bytes.len() as u32))
    }

    /// Copies bytes that are no part of the message, and says where they are.
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

    /// The JSON text of the entry that was put last, without quotes, which is taken away: for keys that are no text.
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
                    // Times and bytes: nothing in them is escaped.
                    Some(inner) => inner.to_string(),
                    None => text,
                }
            }
        }
    }

    /// The document, of what was put.
    ///
    /// # Errors
    /// A container is still open: a broken promise of the caller.
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

    /// Whether members from `start` on have to be put together.
    #[inline]
    fn has_repeats(&mut self, start: usize) -> bool {
        let members = &self.pending[start..];
        // Names are numbered as they come: in a list of like records, those of each ascend.
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

    /// The members from `start` on, one of each name, into `groups.members`.
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
            // A list that came as such is one already.
            let is_list = member.listed && !(*count == 1 && member.tag == Tag::List);
            if self.repeated == Repeated::Group && (*count > 1 || is_list) {
                let first = index(nodes.len())?;
                nodes.resize(nodes.len() + *count as usize, Node::new(Tag::Null, NameId::NONE, 0, 0));
                *member = Node::new(Tag::List, member.name, first, *count);
                // From here on: where the next element goes, counted from 1.
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
    /// A new object, of a document with so many names.
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
    Error::new(ErrorKind::Limit, Fault::Data).seen("a message of more than 2^32 values, or bytes of text")
}

#[cold]
fn too_deep() -> Error {
    Error::new(ErrorKind::Limit, Fault::Data).seen(format!("more than {} containers within each other", Limits::MAX_DEPTH))
}

#[inline]
fn index(n: usize) -> Result<u32> {
    // The last number stands for none.
    u32::try_from(n).ok().filter(|n| *n < u32::MAX).ok_or_else(too_large)
}
