//! The state of a walk, and the steps that all its parts share.

use polywire_core::{Budget, Error, Result, Span};

use super::course::Course;
use super::visit::Visitor;
use crate::plan::{Layout, Plan};
use crate::wire::{self, Broken, Groups, Tag, WireError, WireType, skip, wire_error};

/// The remark about a value that does not count.
pub(super) const REPLACED: &str = "replaced by a later value of the field, or of its oneof";

/// The remark about a list without elements.
pub(super) const EMPTY: &str = "a packed list without elements";

/// Memory that walks reuse.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) levels: Vec<WalkLevel>,
    /// Fields of the open messages that are visited out of order, innermost last.
    pub(super) gathered: Vec<Gathered>,
    /// Entries of the maps that are open.
    pub(super) entries: Vec<Entry>,
    /// Bounds of the parts of messages that come in several, start and end.
    pub(super) pieces: Vec<(usize, usize)>,
    pub(super) groups: Groups,
    /// Visit messages without a survey.
    pub(super) at_once: bool,
}

/// No index.
pub(super) const NONE: u32 = u32::MAX;

/// An open container.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkLevel {
    pub(super) kind: LevelKind,
    /// Type of the message; of a map, that of its entries.
    pub(super) message: u32,
    /// Offset of the next field (straight); index of the next item (gathered, map).
    pub(super) at: usize,
    /// The end, as an offset or an index like `at`.
    pub(super) end: usize,
    /// Range of the bytes that close the container.
    pub(super) close: (usize, usize),
    /// Index of the repeated field whose list is open.
    pub(super) list: u32,
    /// Lengths of `gathered` (of a map: `entries`) and `pieces` when the container was opened.
    pub(super) base: (usize, usize),
    pub(super) course: Course,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LevelKind {
    Straight,
    Gathered,
    Map,
}

/// A field of a message that is visited out of order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gathered {
    /// Index in its message, or [`NONE`].
    pub(super) field: u32,
    /// Position among the fields of the message.
    pub(super) order: u32,
    /// Position of the first occurrence of the same field.
    pub(super) group: u32,
    /// A later value replaces this one.
    pub(super) replaced: bool,
    pub(super) layout: Layout,
    /// Offsets of the tag, of the value, and behind the value.
    pub(super) start: usize,
    pub(super) at: usize,
    pub(super) end: usize,
}

/// An entry of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Offsets of the field's tag and value, and behind the value.
    pub(super) start: usize,
    pub(super) at: usize,
    pub(super) end: usize,
    /// Offset of the key, if there is one.
    pub(super) key: Option<usize>,
    /// Offset of the value, if there is one. `pieces` has the parts of a message in several.
    pub(super) value: Option<usize>,
    pub(super) pieces: (u32, u32),
    /// The entry is an unknown field, because its value is a number that a closed enum does not
    /// have.
    pub(super) stray: bool,
    /// The entry has fields besides key and value.
    pub(super) more: bool,
    /// A later entry has the same key.
    pub(super) replaced: bool,
}

/// The bytes of a message that is about to be opened.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// One piece, start and end.
    Whole(usize, usize),
    /// A range of [`Scratch::pieces`].
    Pieces(usize, usize),
}

/// A message as a field's value: its body, the range of its head, its end, and the range of its
/// close.
pub(super) type Bounds = (Body, (usize, usize), usize, (usize, usize));

/// The next step of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Continues with the innermost level.
    On,
    /// Ends, because the visitor wants no more.
    Stop,
}

/// A walk over one message.
pub(crate) struct Walk<'w, 'm, V: ?Sized> {
    pub(crate) plan: &'w Plan,
    pub(crate) msg: &'m [u8],
    pub(crate) base: u64,
    pub(crate) visitor: &'w mut V,
    pub(crate) budget: &'w mut Budget,
    pub(crate) scratch: &'w mut Scratch,
}

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    #[inline(always)]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    #[cold]
    pub(super) fn located(&self, error: WireError) -> Error {
        error.into_error(self.base)
    }

    /// Returns the end of the value at `at`, whether or not the window was checked before.
    #[inline(always)]
    pub(super) fn skip(&mut self, window: &[u8], at: usize, tag: Tag, wire: WireType) -> Result<usize> {
        let depth = self.budget.limits().depth;
        match wire {
            WireType::Start => self.scratch.groups.end(window, at, tag.number(), depth).map(|(_, end)| end),
            _ => skip::value(window, at, tag, wire, depth),
        }
        .map_err(|error| self.located(error))
    }

    /// Checks the field at `at`, whose value is at `value`, and returns its end. For fields that
    /// the schema does not have, and values of rare wire types.
    #[inline(never)]
    pub(super) fn step_over(&mut self, window: &[u8], tag: Tag, at: usize, value: usize) -> Result<usize> {
        match wire::wire_of(tag, at).map_err(|error| self.located(error))? {
            WireType::End => Err(self.located(wire_error(Broken::Unopened(tag.number()), at))),
            wire => self.skip(window, value, tag, wire),
        }
    }

    /// Saves the position in the innermost level.
    #[inline(always)]
    pub(super) fn keep(&mut self, at: usize, list: u32, course: &Course) {
        if let Some(level) = self.scratch.levels.last_mut() {
            (level.at, level.list, level.course) = (at, list, *course);
        }
    }

    /// Returns the error for a value that changed between its check and its reading.
    #[cold]
    pub(super) fn changed(&self, at: usize) -> Error {
        Error::internal("a field that is broken behind its check").at(self.base + at as u64)
    }

    #[cold]
    pub(super) fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        self.budget.item(self.base + start as u64)?;
        self.visitor.unknown(start, end)
    }
}
