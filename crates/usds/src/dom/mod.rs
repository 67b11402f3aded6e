//! A document in memory.
//!
//! An [`Arena`] holds the values of one document after another, as flat words: a structure is a run of them, one per field in the order of ids, so that a field is
//! found by its number without a search. Text stays where it is in the input. Nothing is allocated once the arena is as large as its largest document.

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

use crate::events::MAX_DEPTH;
use crate::failure::{Failure, Problem};
use crate::plan::Plan;
use arena::take;
use view::View;

impl Arena {
    /// An arena for documents of that dictionary.
    pub fn new(plan: Arc<Plan>) -> Arena {
        Arena { plan, words: Vec::new(), used: 0, text: Vec::new(), roots: Vec::new(), depth: MAX_DEPTH }
    }

    /// Sets how many containers may be within each other: 512, which is the most.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Arena {
        self.depth = depth.min(MAX_DEPTH);
        self
    }

    /// The dictionary.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Changes to another dictionary, with the same memory.
    pub fn switch(&mut self, plan: Arc<Plan>) {
        self.clear();
        self.plan = plan;
    }

    /// An empty document.
    pub fn start(&mut self) -> Document<'_, 'static> {
        self.clear();
        Document { arena: self, input: &[] }
    }

    /// The document of the entries of a body: of what follows its signature.
    ///
    /// # Errors
    /// Bytes that are none. Offsets count from the start of `entries`.
    pub fn decode<'m>(&mut self, entries: &'m [u8]) -> Result<Document<'_, 'm>, Failure> {
        self.clear();
        match decode::entries(self, entries) {
            Ok(()) => Ok(Document { arena: self, input: entries }),
            Err(failure) => {
                self.clear();
                Err(failure)
            }
        }
    }

    /// Forgets the document and keeps the memory.
    fn clear(&mut self) {
        self.used = 0;
        self.text.clear();
        self.roots.clear();
    }

    /// Makes room for `count` words, whatever they hold.
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

    /// The dictionary.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.arena.plan
    }

    /// Number of roots.
    pub fn len(&self) -> usize {
        self.arena.roots.len()
    }

    /// Whether there are no roots.
    pub fn is_empty(&self) -> bool {
        self.arena.roots.is_empty()
    }

    /// A root: the id of its tag, and its value.
    #[inline]
    pub fn root(&self, index: usize) -> Option<(u32, Value<'_>)> {
        let root = self.arena.roots.get(index)?;
        let op = self.arena.plan.tag_op(root.tag)?;
        Some((root.tag, self.view().value(op, root.word)))
    }

    /// A root of a document that is not needed otherwise: its value lives as long as the arena and the input.
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

    /// All roots in their order.
    pub fn roots(&self) -> impl Iterator<Item = (u32, Value<'_>)> {
        (0..self.len()).filter_map(|index| self.root(index))
    }

    /// The first root of the tag of that name.
    pub fn first(&self, tag: &str) -> Option<Value<'_>> {
        let id = self.arena.plan.dictionary().tag_id(tag)?;
        self.roots().find(|(tag, _)| *tag == id).map(|(_, value)| value)
    }

    /// Appends a body to `out`, its signature first.
    ///
    /// # Errors
    /// A field that is not set (14004); the path says which.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.push(crate::wire::signature::signature(self.arena.plan.wire()));
        self.encode_entries(out)
    }

    /// Appends the entries of a body to `out`.
    ///
    /// # Errors
    /// As [`Document::encode`].
    pub fn encode_entries(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        encode::entries(&self.view(), &self.arena.roots, self.arena.depth, out)
    }

    /// Forgets all roots and keeps the memory.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.input = &[];
    }

    /// The document as JSON in the original's layout (docs/spec/usds.md 6), its faults mended: text is escaped, and empty arrays and documents have brackets of their own.
    /// Numbers of floating point are printed with six decimals. Fields that are null or not set are left out.
    ///
    /// # Errors
    /// Text in no encoding that JSON has.
    pub fn to_legacy_json(&self) -> Result<String, Failure> {
        legacy(self)
    }

    fn failure(&self, problem: Problem) -> Failure {
        Failure::new(problem, self.arena.plan.wire(), 0)
    }
}
