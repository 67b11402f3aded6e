//! The state of a writer: what is open, what comes next, and what is held.

use polywire_core::bytes::{Mark, OutBuf, Piece};
use polywire_core::value::{Entry, Item, Tree, View};
use polywire_core::{Losses, Open, Span};

use super::slots::Index;
use crate::plan::{Plan, Run};
use crate::walk::unknown::Unknown;

pub(super) const CHOICE: &str = "a value of one of the types of its samples";

/// One event on its way to the bytes.
pub(super) struct Write<'w> {
    pub(super) plan: &'w Plan,
    pub(super) index: &'w Index,
    pub(super) s: &'w mut State,
}

/// What may come next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Want {
    /// A value of that type.
    Value(u32),
    /// The fields of that variant.
    Fields { case: u32, tag: u64 },
    /// The one argument of a constructor, or a list of all of them.
    Arguments { case: u32, tag: u64 },
    /// What stands for no argument.
    NoArgument,
    /// A name, or the end.
    Name,
    /// A value that has no place, for that reason.
    Dropped(&'static str),
    /// Only the end.
    End,
}

/// A container that is open, or a composite around a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// The gap of its length, where it is a composite.
    pub(super) length: Option<Mark>,
    /// The gap of a count that is not known beforehand.
    pub(super) count: Option<Mark>,
    /// Elements so far; of a record, slots that were written or skipped.
    pub(super) number: u64,
    /// What it was opened as, and where.
    pub(super) opened: &'static str,
    pub(super) at: Span,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum FrameKind {
    /// Fields of a record.
    Record {
        slots: Run,
        /// Number of the one that comes.
        field: u32,
        /// Where its skipped slots start.
        skipped: usize,
        /// The one that comes out of order, among those.
        late: Option<usize>,
    },
    /// Elements of a tuple, or arguments.
    Row {
        slots: Run,
        constructor: Option<u32>,
    },
    List {
        element: u32,
        claimed: Option<u64>,
    },
    /// A map as a list of pairs.
    Pairs {
        key: u32,
        value: u32,
        claimed: Option<u64>,
    },
    /// A key and its value; where the key was written, if it is text.
    Pair {
        value: u32,
        named: Option<Text>,
    },
    /// A composite around one value, which ends with it.
    One,
    /// A record of one field that names a case.
    Naming {
        node: u32,
        case: Option<u32>,
    },
    /// A variant, and its record inside.
    Variant {
        case: u32,
    },
    /// A constructor without arguments.
    Constant,
}

/// Where a text was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) start: usize,
    pub(super) len: usize,
}

/// A slot before one that was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skipped {
    pub(super) slot: u32,
    pub(super) mark: Mark,
    pub(super) piece: Option<Piece>,
}

/// The message so far.
#[derive(Debug)]
pub(super) struct State {
    pub(super) out: OutBuf,
    pub(super) losses: Losses,
    pub(super) want: Want,
    pub(super) frames: Vec<Frame>,
    /// Slots of open records that lie before one that was written; those of the innermost record last.
    pub(super) skipped: Vec<Skipped>,
    /// A value that is held until its type is known.
    pub(super) held: Tree<'static>,
    /// Containers of it that are open; 0 if none is held.
    pub(super) depth: u32,
    /// A value in parts, and where it starts.
    pub(super) parts: Vec<u8>,
    pub(super) from: Option<u64>,
    /// Whether unknown elements are kept.
    pub(super) keeps: bool,
    pub(super) unknown: Unknown,
}

/// Name of a record's only entry.
pub(super) fn only_field<'t>(item: Item<'t, 'static>) -> Option<&'t str> {
    let View::Open(Open::Record { .. } | Open::Map(_)) = item.view() else { return None };
    let mut entries = item.entries();
    match (entries.next(), entries.next()) {
        (Some(Entry::Field(name, _)), None) => Some(name),
        _ => None,
    }
}
