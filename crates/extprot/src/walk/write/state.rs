//! State of a writer: open containers, what comes next, and held values.

use polywire_core::bytes::{Mark, OutBuf, Piece};
use polywire_core::value::{Entry, Item, Tree, View};
use polywire_core::{Losses, Open, Span};

use super::slots::Index;
use crate::plan::{Plan, Run};
use crate::walk::unknown::Unknown;

pub(super) const CHOICE: &str = "a value of one of the types of its samples";

/// One event in progress.
pub(super) struct Write<'w> {
    pub(super) plan: &'w Plan,
    pub(super) index: &'w Index,
    pub(super) s: &'w mut State,
}

/// Items that may come next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Want {
    /// A value of this type.
    Value(u32),
    /// The fields of this variant.
    Fields { case: u32, tag: u64 },
    /// The only argument of a constructor, or a list of all arguments.
    Arguments { case: u32, tag: u64 },
    /// The placeholder for no argument.
    NoArgument,
    /// A field name, or the end.
    Name,
    /// A value that is dropped, with the reason.
    Dropped(&'static str),
    /// Only the end.
    End,
}

/// An open container, or a composite around a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// Gap of the length, if it is a composite.
    pub(super) length: Option<Mark>,
    /// Gap of a count that is not known in advance.
    pub(super) count: Option<Mark>,
    /// Number of elements so far; in a record, of slots written or skipped.
    pub(super) number: u64,
    /// Kind of the container as it was opened, and its span.
    pub(super) opened: &'static str,
    pub(super) at: Span,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum FrameKind {
    /// Fields of a record.
    Record {
        slots: Run,
        /// Number of the next field.
        field: u32,
        /// Index of its first skipped slot.
        skipped: usize,
        /// Index of the skipped slot that comes out of order.
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
    /// A key and its value, and where the key was written if it is text.
    Pair {
        value: u32,
        named: Option<Text>,
    },
    /// A composite around one value, which closes with that value.
    One,
    /// A string around one value, which closes with that value.
    Nested,
    /// A record of one field, the name of a case.
    Naming {
        node: u32,
        case: Option<u32>,
    },
    /// A variant around its record.
    Variant {
        case: u32,
    },
    /// A constructor without arguments.
    Constant,
    /// A mark around its value.
    Marked,
}

/// Range of a written text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) start: usize,
    pub(super) len: usize,
}

/// Slot before one that was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skipped {
    pub(super) slot: u32,
    pub(super) mark: Mark,
    pub(super) piece: Option<Piece>,
}

/// State of the message so far.
#[derive(Debug)]
pub(super) struct State {
    pub(super) out: OutBuf,
    pub(super) losses: Losses,
    pub(super) want: Want,
    pub(super) frames: Vec<Frame>,
    /// Skipped slots of open records, those of the innermost record last.
    pub(super) skipped: Vec<Skipped>,
    /// Value held until its type is known.
    pub(super) held: Tree<'static>,
    /// Number of its open containers; 0 if none is held.
    pub(super) depth: u32,
    /// Parts of a value, and its start.
    pub(super) parts: Vec<u8>,
    pub(super) from: Option<u64>,
    /// True if unknown elements are kept.
    pub(super) keeps: bool,
    pub(super) unknown: Unknown,
}

/// Returns the name of a record's only entry.
pub(super) fn only_field<'t>(item: Item<'t, 'static>) -> Option<&'t str> {
    let View::Open(Open::Record { .. } | Open::Map(_)) = item.view() else { return None };
    let mut entries = item.entries();
    match (entries.next(), entries.next()) {
        (Some(Entry::Field(name, _)), None) => Some(name),
        _ => None,
    }
}
