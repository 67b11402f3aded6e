//! Arenas: documents as flat words.

use std::sync::Arc;

use crate::error::Problem;
use crate::plan::{Op, Plan};

/// Memory for documents of one dictionary.
///
/// A structure is its presence words, with one bit per field, and then one word per field. A word
/// is a scalar, the start and length of text, or the index of the word at which a structure or an
/// array starts. An array is a word of count and capacity, and then its elements, with structures
/// inline.
#[derive(Debug)]
pub struct Arena {
    pub(super) plan: Arc<Plan>,
    pub(super) words: Vec<u64>,
    /// Number of words in use.
    pub(super) used: usize,
    /// Text that is not in the input.
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

/// Fields per presence word of a structure.
pub(super) const BITS: usize = 64;

impl Plan {
    /// Returns the number of presence words of a structure.
    #[inline(always)]
    pub(super) fn presence_words(&self, shape: u32) -> usize {
        (self.shapes[shape as usize].len as usize).div_ceil(BITS)
    }

    /// Returns the number of words of a structure.
    #[inline(always)]
    pub(super) fn words_of(&self, shape: u32) -> usize {
        self.presence_words(shape) + self.shapes[shape as usize].len as usize
    }

    /// Returns whether a structure has one presence word and scalars that are not nullable.
    #[inline(always)]
    pub(super) fn is_row(&self, shape: u32) -> bool {
        self.shapes[shape as usize].flat && self.presence_words(shape) == 1
    }

    /// Returns the distance in words between elements of an array.
    #[inline(always)]
    pub(super) fn stride(&self, element: Op) -> usize {
        match element {
            Op::Structure(shape) => self.words_of(shape),
            _ => 1,
        }
    }
}

/// Reserves `count` words after those in use, with arbitrary contents.
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
