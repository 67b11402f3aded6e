//! Brings the fields of each record into the order and number that a sink needs.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::error::Result;
use crate::tools::adapt::key::KeyText;
use crate::value::tree::Tree;
use crate::walk::event::{Field, Len, Next, Note, Open, Part, Scalar, Span};
use crate::walk::sink::Sink;

/// Treatment of several fields of one name in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They stay as they are.
    Keep,
    /// One field with the list of their values, where the first stood.
    Group,
    /// The first one's value.
    First,
    /// The last one's value, where the first stood.
    Last,
}

/// Holds a message back, flat, and emits it arranged: fields of one name by [`Order`] and, if asked
/// for, fields in the order of their schema's slots. Memory and time are linear in the message.
pub struct Arrange<'m> {
    tree: Tree<'m>,
    order: Order,
    by_slot: bool,
    by_name: bool,
    /// Entries of the records that are being handed over, innermost last.
    entries: Vec<Slot>,
    /// Names are the sender's: a random key keeps them from being made to collide.
    hasher: RandomState,
}

/// Most entries that are compared one by one; with more, hashing is faster.
const FEW: usize = 16;

/// One entry of a record that is being emitted. There may be millions, so indices are short: a tree
/// has fewer than 2³² nodes.
#[derive(Clone, Copy)]
struct Slot {
    /// Node of the field, or of the key.
    node: u32,
    /// The next entry of the same name, counted in `entries`, or [`NONE`].
    next: u32,
    /// The last of them.
    last: u32,
    /// The number of entries of the name; 0 in all but the first.
    count: u32,
    /// The schema's slot, or [`NONE`].
    slot: u32,
}

const NONE: u32 = u32::MAX;

/// Memory of an [`Arrange`] between messages.
#[derive(Default)]
pub(crate) struct Spare {
    tree: Tree<'static>,
    entries: Vec<Slot>,
}

impl<'m> Arrange<'m> {
    /// Makes an adapter that emits a message in `order`; `by_slot` sorts fields by their schema's
    /// slots, those without one last.
    pub fn new(order: Order, by_slot: bool) -> Arrange<'m> {
        Arrange { tree: Tree::new(), order, by_slot, by_name: false, entries: Vec::new(), hasher: RandomState::new() }
    }

    /// Makes an adapter that emits the fields of each record and map in the order of their names'
    /// bytes, which is that of their Unicode scalar values. Keys that are no text come last, as
    /// they stood, and fields of one name keep their order.
    pub fn by_name() -> Arrange<'m> {
        Arrange { by_name: true, ..Arrange::new(Order::Keep, false) }
    }

    /// Makes an adapter as [`Arrange::new`] does, in the memory of one before it.
    pub(crate) fn reusing(order: Order, by_slot: bool, spare: &mut Spare) -> Arrange<'m> {
        let Spare { tree, entries } = std::mem::take(spare);
        Arrange { tree: tree.recycle(), entries, ..Arrange::new(order, by_slot) }
    }

    /// Emits the message.
    pub fn finish(mut self, sink: &mut dyn Sink<'m>) -> Result<()> {
        let tree = std::mem::take(&mut self.tree);
        self.all(&tree, sink)
    }

    /// Emits the message as [`Arrange::finish`] does, and leaves the memory in `spare`.
    pub(crate) fn finish_to(mut self, sink: &mut dyn Sink<'m>, spare: &mut Spare) -> Result<()> {
        let tree = std::mem::take(&mut self.tree);
        let outcome = self.all(&tree, sink);
        self.entries.clear();
        *spare = Spare { tree: tree.recycle(), entries: self.entries };
        outcome
    }

    fn all(&mut self, tree: &Tree<'m>, sink: &mut dyn Sink<'m>) -> Result<()> {
        let mut at = 0;
        while at < tree.node_count() {
            if !self.value(tree, at, sink)? {
                return Ok(());
            }
            at = tree.after_value(at);
        }
        Ok(())
    }

    /// Emits a value; returns false after [`Next::Stop`]. Recursion is bounded by the depth that
    /// the reader's budget allows.
    fn value(&mut self, tree: &Tree<'m>, at: usize, sink: &mut dyn Sink<'m>) -> Result<bool> {
        let Some(close) = tree.close_of_named(at) else {
            if tree.after_value(at) == at + 1 {
                tree.emit_node(at, sink)?;
                return Ok(true);
            }
            let close = tree.after_value(at) - 1;
            match tree.emit_node(at, sink)? {
                Next::Enter => {}
                next => return Ok(next == Next::Skip),
            }
            let mut child = at + 1;
            while child < close {
                if !self.value(tree, child, sink)? {
                    return Ok(false);
                }
                child = tree.after_value(child);
            }
            sink.close(tree.span(close))?;
            return Ok(true);
        };
        let start = self.entries.len();
        self.collect(tree, at, close);
        let groups = self.entries[start..].iter().filter(|entry| entry.count > 0).count() as u64;
        let open = match tree.open_at(at) {
            Open::Record { name, .. } => Open::Record { name, len: Len::Claimed(groups) },
            _ => Open::Map(Len::Claimed(groups)),
        };
        let go = match sink.open(open, tree.span(at))? {
            Next::Enter => {
                self.notes(tree, at, close, sink)?;
                self.groups(tree, start, sink)?
            }
            next => {
                self.entries.truncate(start);
                return Ok(next == Next::Skip);
            }
        };
        self.entries.truncate(start);
        if go {
            sink.close(tree.span(close))?;
        }
        Ok(go)
    }

    /// Lists the entries of the record at `at`, those of one name chained.
    fn collect(&mut self, tree: &Tree<'m>, at: usize, close: usize) {
        let start = self.entries.len();
        // Takes over in large records, where comparing with each name would take quadratic time.
        let mut many: HashTable<u32> = HashTable::new();
        let hashed = |key: &Key<'_>| self.hasher.hash_one(key);
        let keys = if self.order == Order::Keep { Keys::default() } else { Keys::of(tree, at, close) };
        let entries = &mut self.entries;
        let mut node = at + 1;
        while node < close {
            if tree.is_note(node) {
                node += 1;
                continue;
            }
            let is_field = tree.is_field(node);
            let entry = entries.len() as u32;
            let slot = if is_field { tree.field_at(node).slot } else { None };
            let mut this = Slot { node: node as u32, next: NONE, last: entry, count: 1, slot: slot.unwrap_or(NONE) };
            if self.order != Order::Keep
                && let Some(key) = keys.key(tree, node)
            {
                let key_at = |entries: &[Slot], head: u32| keys.key(tree, entries[head as usize].node as usize);
                let is_same = |head: &u32| entries[*head as usize].count > 0 && key_at(entries, *head).as_ref() == Some(&key);
                let head = if entries.len() - start < FEW {
                    (start as u32..entry).find(is_same)
                } else {
                    let rehash = |head: &u32| key_at(entries, *head).map_or(0, |key| hashed(&key));
                    if many.is_empty() {
                        for head in (start as u32..entry).filter(|head| entries[*head as usize].count > 0) {
                            many.insert_unique(rehash(&head), head, rehash);
                        }
                    }
                    let hash = hashed(&key);
                    let head = many.find(hash, is_same).copied();
                    if head.is_none() {
                        many.insert_unique(hash, entry, |head| if *head == entry { hash } else { rehash(head) });
                    }
                    head
                };
                if let Some(head) = head {
                    let last = std::mem::replace(&mut entries[head as usize].last, entry);
                    entries[last as usize].next = entry;
                    entries[head as usize].count += 1;
                    this.count = 0;
                }
            }
            entries.push(this);
            node = tree.after_value(value_of(tree, node));
        }
        if self.by_slot {
            self.by_slots(start);
        } else if self.by_name {
            let name = |head: &Slot| tree.is_field(head.node as usize).then(|| tree.field_at(head.node as usize).name.get());
            let order = |one: &Slot, other: &Slot| (name(one).is_none(), name(one)).cmp(&(name(other).is_none(), name(other)));
            self.entries[start..].sort_by(order);
        }
    }

    /// Moves the heads behind all other entries, by their slots, so that chains keep their indices.
    fn by_slots(&mut self, start: usize) {
        let end = self.entries.len();
        for index in start..end {
            let head = self.entries[index];
            if head.count > 0 {
                self.entries[index].count = 0;
                self.entries.push(head);
            }
        }
        self.entries[end..].sort_by_key(|head| head.slot);
    }

    fn groups(&mut self, tree: &Tree<'m>, start: usize, sink: &mut dyn Sink<'m>) -> Result<bool> {
        let end = self.entries.len();
        for index in start..end {
            let head = self.entries[index];
            if head.count == 0 {
                continue;
            }
            let shown = if self.order == Order::Last { self.entries[head.last as usize] } else { head };
            let node = shown.node as usize;
            if tree.is_field(node) {
                match tree.emit_node(node, sink)? {
                    Next::Enter => {}
                    Next::Skip => continue,
                    Next::Stop => return Ok(false),
                }
            } else if !self.value(tree, node, sink)? {
                return Ok(false);
            }
            if head.count == 1 || self.order != Order::Group {
                if !self.value(tree, value_of(tree, node), sink)? {
                    return Ok(false);
                }
                continue;
            }
            let at = tree.span(head.node as usize).start;
            match sink.open(Open::List(Len::Claimed(u64::from(head.count))), Span::new(at, at))? {
                Next::Enter => {}
                Next::Skip => continue,
                Next::Stop => return Ok(false),
            }
            let mut next = Some(head);
            while let Some(entry) = next {
                if !self.value(tree, value_of(tree, entry.node as usize), sink)? {
                    return Ok(false);
                }
                next = (entry.next != NONE).then(|| self.entries[entry.next as usize]);
            }
            sink.close(Span::new(at, at))?;
        }
        Ok(true)
    }

    /// Emits the notes that stand directly in the record at `at`. They come first, since the fields
    /// that they stood before may move.
    fn notes(&self, tree: &Tree<'m>, at: usize, close: usize, sink: &mut dyn Sink<'m>) -> Result<()> {
        let mut node = at + 1;
        while node < close {
            if tree.is_note(node) {
                tree.emit_node(node, sink)?;
            }
            node = tree.after_value(node);
        }
        Ok(())
    }
}

/// Returns the node of the value that belongs to the field or key at `node`.
fn value_of(tree: &Tree<'_>, node: usize) -> usize {
    tree.skip_notes(if tree.is_field(node) { node + 1 } else { tree.after_value(node) })
}

/// A key, and true if it came as a name: the text `"1"` and the number 1 are two keys.
type Key<'t> = (bool, Cow<'t, str>);

/// The keys of one record.
#[derive(Default)]
struct Keys {
    /// Numbers of nodes of the keys that are containers, sorted. Only keys of one number can be
    /// equal, so that keys in keys are not spelled out level by level.
    sizes: Vec<usize>,
}

impl Keys {
    fn of(tree: &Tree<'_>, at: usize, close: usize) -> Keys {
        let mut sizes = Vec::new();
        if matches!(tree.open_at(at), Open::Map(_)) {
            let mut node = at + 1;
            while node < close {
                if tree.is_note(node) {
                    node += 1;
                    continue;
                }
                let size = tree.after_value(node) - node;
                if size > 1 && !tree.is_field(node) {
                    sizes.push(size);
                }
                node = tree.after_value(value_of(tree, node));
            }
            sizes.sort_unstable();
        }
        Keys { sizes }
    }

    /// Returns a key, or `None` for a container that no other key can be equal to.
    fn key<'t, 'm: 't>(&self, tree: &'t Tree<'m>, node: usize) -> Option<Key<'t>> {
        if tree.is_field(node) {
            return Some((true, Cow::Borrowed(tree.field_at(node).name.get())));
        }
        let size = tree.after_value(node) - node;
        if size == 1 {
            return Some((false, Cow::Owned(KeyText::of_scalar(&tree.scalar_at(node)))));
        }
        let first = self.sizes.partition_point(|known| *known < size);
        (self.sizes.get(first + 1) == Some(&size)).then(|| (false, Cow::Owned(container(tree, node))))
    }
}

/// Returns the text of a key that is a container.
fn container(tree: &Tree<'_>, start: usize) -> String {
    let mut text = KeyText::default();
    let mut node = start;
    let end = tree.after_value(start);
    while node < end {
        if tree.is_note(node) {
        } else if tree.is_close(node) {
            text.close();
        } else if tree.is_field(node) {
            text.field(tree.field_at(node).name.get());
        } else if tree.after_value(node) == node + 1 {
            text.scalar(&tree.scalar_at(node));
        } else {
            text.open(tree.open_at(node));
        }
        node += 1;
    }
    text.finish()
}

impl<'m> Sink<'m> for Arrange<'m> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tree.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tree.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tree.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tree.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.tree.note(note, at)
    }
}
