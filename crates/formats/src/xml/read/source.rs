//! Sources of the text of a walk.

use std::cell::RefCell;
use std::marker::PhantomData;

use polywire_core::{Span, Str};

use super::super::encoding::Offsets;

/// The source of a walk's text: what text events borrow from, and the meaning of offsets.
pub(super) trait Source<'m, 't, 'd> {
    /// Returns text for the sink.
    fn lend(text: &'t str) -> Str<'m, 't, str>;
    /// Returns the offset in the stream of `text[at..]`.
    fn offset(&self, at: usize) -> u64;
    /// Returns the range in the stream of `text[start..end]`.
    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset(start), self.offset(end))
    }
    /// True if the walk can continue in entities: if [`nest`](Source::nest) ever returns a text.
    const NESTS: bool;
    /// Returns an entity's text as text to continue in, if the source can do that.
    fn nest(text: &'d str) -> Option<&'t str>;
}

/// The message itself. Its entities, if it has any, have no markup in them.
pub(super) struct Direct<'d> {
    base: u64,
    dtd: PhantomData<&'d str>,
}

impl Direct<'_> {
    /// Creates a source for text at `base` of the stream.
    pub(super) fn new(base: u64) -> Self {
        Direct { base, dtd: PhantomData }
    }
}

impl<'m, 'd> Source<'m, 'm, 'd> for Direct<'d> {
    #[inline(always)]
    fn lend(text: &'m str) -> Str<'m, 'm, str> {
        Str::Input(text)
    }

    #[inline(always)]
    fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    const NESTS: bool = false;

    fn nest(_: &'d str) -> Option<&'m str> {
        None
    }
}

/// Text that lives no longer than the walk: decoded, or with the texts of entities in between.
pub(super) struct Derived<'t> {
    decoded: Option<&'t RefCell<Offsets<'t>>>,
    base: u64,
}

impl<'t> Derived<'t> {
    /// Creates a source for text at `base` of the stream, or that was `decoded`.
    pub(super) fn new(decoded: Option<&'t RefCell<Offsets<'t>>>, base: u64) -> Derived<'t> {
        Derived { decoded, base }
    }
}

impl<'m, 't> Source<'m, 't, 't> for Derived<'t> {
    fn lend(text: &'t str) -> Str<'m, 't, str> {
        Str::Scratch(text)
    }

    fn offset(&self, at: usize) -> u64 {
        match self.decoded {
            Some(offsets) => offsets.borrow_mut().find(at),
            None => self.base + at as u64,
        }
    }

    const NESTS: bool = true;

    fn nest(text: &'t str) -> Option<&'t str> {
        Some(text)
    }
}

/// The places in a stream that a made text comes from: each from an offset of the text on.
#[cfg(feature = "exi")]
#[derive(Debug, Default)]
pub struct Places(Vec<(usize, u64)>);

#[cfg(feature = "exi")]
impl Places {
    /// Forgets all places.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the place of the text from `at` on, behind all others. Places do not go back: a text
    /// from before the last place counts as there.
    pub fn push(&mut self, at: usize, place: u64) {
        let last = self.0.last().map_or(0, |(_, place)| *place);
        self.0.push((at, place.max(last)));
    }

    /// Returns the place of `text[at..]`.
    pub fn find(&self, at: usize) -> u64 {
        let next = self.0.partition_point(|(start, _)| *start <= at);
        self.0.get(next.wrapping_sub(1)).map_or(0, |(_, place)| *place)
    }
}

/// A text that was made from a stream in another format.
#[cfg(feature = "exi")]
pub(super) struct Placed<'t>(pub &'t Places);

#[cfg(feature = "exi")]
impl<'m, 't> Source<'m, 't, 't> for Placed<'t> {
    fn lend(text: &'t str) -> Str<'m, 't, str> {
        Str::Scratch(text)
    }

    fn offset(&self, at: usize) -> u64 {
        self.0.find(at)
    }

    const NESTS: bool = true;

    fn nest(text: &'t str) -> Option<&'t str> {
        Some(text)
    }
}
