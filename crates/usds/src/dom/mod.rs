//! Documents in memory.
//!
//! An [`Arena`] holds the values of one document after another as flat words. A structure is a run
//! of words, one per field in the order of ids, so a field is found by its number without a search.
//! Text stays in the input. Nothing is allocated once the arena is as large as its largest
//! document.

mod arena;
mod decode;
mod edit;
mod emit;
mod encode;
mod intake;
mod json;
mod row;
mod value;
mod view;
mod word;

use std::sync::Arc;

pub use arena::{Arena, Document};
pub use edit::{ArrayMut, StructureMut};
pub use intake::Intake;
pub use json::legacy;
pub use row::{Row, RowMut};
pub use value::{Array, Structure, Value};

use crate::error::{DecodeError, Problem};
use crate::events::MAX_DEPTH;
use crate::plan::Plan;
use arena::take;
use view::View;

impl Arena {
    /// Returns an arena for documents of that dictionary.
    pub fn new(plan: Arc<Plan>) -> Arena {
        Arena { plan, words: Vec::new(), used: 0, text: Vec::new(), roots: Vec::new(), depth: MAX_DEPTH }
    }

    /// Sets the maximum nesting of containers. The default and the maximum are 512.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Arena {
        self.depth = depth.min(MAX_DEPTH);
        self
    }

    /// Returns the dictionary.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Changes to another dictionary and keeps the memory.
    pub fn switch(&mut self, plan: Arc<Plan>) {
        self.clear();
        self.plan = plan;
    }

    /// Returns an empty document.
    pub fn start(&mut self) -> Document<'_, 'static> {
        self.clear();
        Document { arena: self, input: &[] }
    }

    /// Decodes the entries of a body, which follow its signature.
    ///
    /// # Errors
    /// The bytes are invalid. Offsets count from the start of `entries`.
    pub fn decode<'m>(&mut self, entries: &'m [u8]) -> Result<Document<'_, 'm>, DecodeError> {
        self.clear();
        match decode::entries(self, entries) {
            Ok(()) => Ok(Document { arena: self, input: entries }),
            Err(failure) => {
                self.clear();
                Err(failure)
            }
        }
    }

    /// Discards the document and keeps the memory.
    fn clear(&mut self) {
        self.used = 0;
        self.text.clear();
        self.roots.clear();
    }

    /// Reserves `count` words with arbitrary contents.
    #[inline]
    fn take(&mut self, count: usize) -> Result<usize, Problem> {
        take(&mut self.words, &mut self.used, count)
    }
}

impl<'a, 'm> Document<'a, 'm> {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View { arena: self.arena, input: self.input }
    }

    /// Returns the dictionary.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.arena.plan
    }

    /// Returns the number of roots.
    pub fn len(&self) -> usize {
        self.arena.roots.len()
    }

    /// Returns whether there are no roots.
    pub fn is_empty(&self) -> bool {
        self.arena.roots.is_empty()
    }

    /// Returns the id of a root's tag, and its value.
    #[inline]
    pub fn root(&self, index: usize) -> Option<(u32, Value<'_>)> {
        let root = self.arena.roots.get(index)?;
        let op = self.arena.plan.tag_op(root.tag)?;
        Some((root.tag, self.view().value(op, root.word)))
    }

    /// Returns a root and consumes the document. The value lives as long as the arena and the
    /// input.
    #[inline]
    pub fn into_root(self, index: usize) -> Option<(u32, Value<'a>)>
    where
        'm: 'a,
    {
        let arena: &'a Arena = self.arena;
        let root = arena.roots.get(index)?;
        let op = arena.plan.tag_op(root.tag)?;
        Some((root.tag, View { arena, input: self.input }.value(op, root.word)))
    }

    /// Returns all roots in order.
    pub fn roots(&self) -> impl Iterator<Item = (u32, Value<'_>)> {
        (0..self.len()).filter_map(|index| self.root(index))
    }

    /// Returns the first root of the tag with that name.
    pub fn first(&self, tag: &str) -> Option<Value<'_>> {
        let id = self.arena.plan.dictionary().tag_id(tag)?;
        self.roots().find(|(tag, _)| *tag == id).map(|(_, value)| value)
    }

    /// Appends a body to `out`, signature first.
    ///
    /// # Errors
    /// A field is not set (14004); the path names it.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        out.push(crate::wire::signature::signature(self.arena.plan.wire()));
        self.encode_entries(out)
    }

    /// Appends the entries of a body to `out`.
    ///
    /// # Errors
    /// As [`Document::encode`].
    pub fn encode_entries(&self, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        encode::entries(&self.view(), &self.arena.roots, self.arena.depth, out)
    }

    /// Removes all roots and keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.input = &[];
    }

    /// Returns the document as JSON in the original's layout (docs/spec/usds.md 6), with its faults
    /// corrected: text is escaped, and empty arrays and documents have their brackets. Floats have
    /// six decimals. Fields that are null or not set are left out.
    ///
    /// # Errors
    /// Text whose encoding JSON does not have.
    pub fn to_legacy_json(&self) -> Result<String, DecodeError> {
        legacy(self)
    }

    fn failure(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.arena.plan.wire(), 0)
    }
}
