//! A document in memory.
//!
//! An [`Arena`] holds the values of one document after another, as flat words: a structure is a run of them, one per field in the order of ids, so that a field is
//! found by its number without a search. Text stays where it is in the input. Nothing is allocated once the arena is as large as its largest document.

mod decode;
mod edit;
mod emit;
mod encode;
mod json;
mod value;

use std::sync::Arc;

pub use edit::{ArrayMut, StructureMut};
pub use json::legacy;
pub use value::{Array, Structure, Value};

use crate::events::MAX_DEPTH;
use crate::failure::{Failure, Problem};
use crate::plan::{Op, Plan};
use value::View;

/// The memory of documents of one dictionary.
///
/// A structure is its presence words, one bit a field, and a word per field. A word is a scalar; where text starts and how long it is; the number of the word at which a structure
/// or an array starts. An array is a word of count and capacity, and its elements; structures among them lie there themselves.
#[derive(Debug)]
pub struct Arena {
    plan: Arc<Plan>,
    words: Vec<u64>,
    /// Words that the document takes.
    used: usize,
    /// Text that does not lie in the input.
    text: Vec<u8>,
    roots: Vec<Root>,
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
struct Root {
    tag: u32,
    word: u64,
}

/// A document in an arena.
#[derive(Debug)]
pub struct Document<'a, 'm> {
    arena: &'a mut Arena,
    input: &'m [u8],
}

/// Fields of a structure per presence word.
const BITS: usize = 64;

impl Plan {
    /// Presence words of a structure.
    #[inline(always)]
    fn presence_words(&self, shape: u32) -> usize {
        (self.shapes[shape as usize].len as usize).div_ceil(BITS)
    }

    /// Words that a structure takes.
    #[inline(always)]
    fn words_of(&self, shape: u32) -> usize {
        self.presence_words(shape) + self.shapes[shape as usize].len as usize
    }

    /// Words from one element of an array to the next.
    #[inline(always)]
    fn stride(&self, element: Op) -> usize {
        match element {
            Op::Structure(shape) => self.words_of(shape),
            _ => 1,
        }
    }
}

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
        let start = self.used;
        let end = start + count;
        if end > self.words.len() {
            self.grow(end)?;
        }
        self.used = end;
        Ok(start)
    }

    #[cold]
    fn grow(&mut self, end: usize) -> Result<(), Problem> {
        if end > u32::MAX as usize {
            return Err(Problem::Limit);
        }
        self.words.resize(end.next_power_of_two().max(64), 0);
        Ok(())
    }

    fn text_at(&self, boundary: usize) -> usize {
        boundary + self.text.len()
    }
}

impl<'m> Document<'_, 'm> {
    fn view(&self) -> View<'_> {
        View { plan: &self.arena.plan, words: &self.arena.words[..self.arena.used], text: &self.arena.text, input: self.input }
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
        out.push(crate::document::signature(self.arena.plan.wire()));
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

    /// The document as JSON in the original's layout (section 6), its faults mended: text is escaped, and empty arrays and documents have brackets of their own.
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
