//! A document: values in one vector, the entries of each container side by side.

use std::sync::Arc;

use bytes::Bytes;

use super::names::{NameId, Names};
use polywire_core::Timestamp;

/// One decoded message. Shared as `Arc<Doc>`; `Datum::from` returns its root value.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    /// All values. The entries of a container lie side by side, before the container itself. The
    /// last node is the root value.
    pub(super) nodes: Vec<Node>,
    /// The message, in which texts may lie.
    pub(super) source: Bytes,
    /// Texts outside the message. Their offsets count on from the end of `source`.
    pub(super) arena: Vec<u8>,
    /// JSON text of written objects.
    pub(super) written: Vec<u8>,
    pub(super) names: Names,
    pub(super) times: Vec<Timestamp>,
}

/// A value, in sixteen bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) name: NameId,
    pub(super) tag: Tag,
    /// True if a member is a list even if it occurs once.
    pub(super) listed: bool,
    /// Texts, digits, bytes and written objects: offset. Containers: index of the first entry.
    /// Numbers: the lower half.
    pub(super) a: u32,
    /// Texts, digits, bytes and written objects: length. Containers: number of entries. Numbers:
    /// the upper half.
    pub(super) b: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    Int,
    UInt,
    F32,
    F64,
    /// An F64 whose digits as they came are kept as a text.
    Spelled,
    /// Index into `times`.
    Time,
    Text,
    Big,
    Decimal,
    Bytes,
    List,
    Object,
    /// An object that is kept as JSON text, in `written`.
    Written,
}

/// A value in a shared document.
#[derive(Clone)]
pub struct DocNode {
    pub(super) doc: Arc<Doc>,
    pub(super) at: u32,
}

impl Node {
    pub(super) const fn new(tag: Tag, name: NameId, a: u32, b: u32) -> Node {
        Node { name, tag, listed: false, a, b }
    }

    #[inline]
    pub(super) const fn wide(tag: Tag, name: NameId, bits: u64) -> Node {
        Node::new(tag, name, bits as u32, (bits >> 32) as u32)
    }

    #[inline]
    pub(super) const fn bits(&self) -> u64 {
        self.a as u64 | (self.b as u64) << 32
    }
}

impl Doc {
    /// Returns the number of values, containers included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the document has no value. It reads as null.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the memory that the document keeps, in bytes, including the message if texts lie in
    /// it.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.source.len()
            + self.arena.capacity()
            + self.written.capacity()
            + self.names.bytes()
            + self.names.len() * 64
    }

    pub(super) fn root(&self) -> u32 {
        self.nodes.len().saturating_sub(1) as u32
    }

    #[inline]
    pub(super) fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or(Node::new(Tag::Null, NameId::NONE, 0, 0))
    }

    /// Returns the bytes of a text or byte string.
    #[inline]
    pub(super) fn slice(&self, node: Node) -> &[u8] {
        let (bytes, start) = self.lies_in(node);
        bytes.get(start..start + node.b as usize).unwrap_or_default()
    }

    /// Returns the buffer that holds a text or byte string, and the offset there.
    #[inline]
    pub(super) fn lies_in(&self, node: Node) -> (&[u8], usize) {
        let start = node.a as usize;
        match start.checked_sub(self.source.len()) {
            None => (&self.source, start),
            Some(start) => (&self.arena, start),
        }
    }

    #[inline]
    pub(super) fn text(&self, node: Node) -> &str {
        // Text enters as text, so this never fails.
        std::str::from_utf8(self.slice(node)).unwrap_or_default()
    }

    /// Returns the JSON text of a written object.
    #[inline]
    pub(super) fn json(&self, node: Node) -> &[u8] {
        self.written.get(node.a as usize..node.a as usize + node.b as usize).unwrap_or_default()
    }

    pub(super) fn time(&self, node: Node) -> Option<Timestamp> {
        self.times.get(node.a as usize).copied()
    }

    /// Returns the entries of a container.
    #[inline]
    pub(super) fn entries(&self, node: Node) -> &[Node] {
        self.nodes.get(node.a as usize..node.a as usize + node.b as usize).unwrap_or_default()
    }
}

impl DocNode {
    /// Returns the document.
    pub fn doc(&self) -> &Arc<Doc> {
        &self.doc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_sixteen_bytes() {
        assert_eq!(size_of::<Node>(), 16);
        assert_eq!(Node::wide(Tag::F64, NameId::NONE, 1.5f64.to_bits()).bits(), 1.5f64.to_bits());
    }
}
