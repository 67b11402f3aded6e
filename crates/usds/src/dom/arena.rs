//! Words, and the documents that they make up.

use std::sync::Arc;

use crate::failure::Problem;
use crate::plan::{Op, Plan};

/// The memory of documents of one dictionary.
///
/// A structure is its presence words, one bit a field, and a word per field. A word is a scalar; where text starts and how long it is; the number of the word at which a structure
/// or an array starts. An array is a word of count and capacity, and its elements; structures among them lie there themselves.
#[derive(Debug)]
pub struct Arena {
    pub(super) plan: Arc<Plan>,
    pub(super) words: Vec<u64>,
    /// Words that the document takes.
    pub(super) used: usize,
    /// Text that does not lie in the input.
    pub(super) text: Vec<u8>,
    pub(super) roots: Vec<Root>,
    pub(super) depth: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) tag: u32,
    pub(super) word: u64,
}

/// A document in an arena.
#[derive(Debug)]
pub struct Document<'a, 'm> {
    pub(super) arena: &'a mut Arena,
    pub(super) input: &'m [u8],
}

/// Fields of a structure per presence word.
pub(super) const BITS: usize = 64;

impl Plan {
    /// Presence words of a structure.
    #[inline(always)]
    pub(super) fn presence_words(&self, shape: u32) -> usize {
        (self.shapes[shape as usize].len as usize).div_ceil(BITS)
    }

    /// Words that a structure takes.
    #[inline(always)]
    pub(super) fn words_of(&self, shape: u32) -> usize {
        self.presence_words(shape) + self.shapes[shape as usize].len as usize
    }

    /// Whether it is one presence word and scalars, none of which may be null.
    #[inline(always)]
    pub(super) fn is_row(&self, shape: u32) -> bool {
        self.shapes[shape as usize].flat && self.presence_words(shape) == 1
    }

    /// Words from one element of an array to the next.
    #[inline(always)]
    pub(super) fn stride(&self, element: Op) -> usize {
        match element {
            Op::Structure(shape) => self.words_of(shape),
            _ => 1,
        }
    }
}

/// Makes room for `count` words behind those that are used, whatever they hold.
#[inline(always)]
pub(super) fn take(words: &mut Vec<u64>, used: &mut usize, count: usize) -> Result<usize, Problem> {
    let start = *used;
    let end = start + count;
    if end > words.len() {
        grow(words, end)?;
    }
    *used = end;
    Ok(start)
}

#[cold]
fn grow(words: &mut Vec<u64>, end: usize) -> Result<(), Problem> {
    if end > u32::MAX as usize {
        return Err(Problem::Limit);
    }
    words.resize(end.next_power_of_two().max(64), 0);
    Ok(())
}
