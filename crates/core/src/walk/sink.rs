//! Sinks: the receivers of a walk's events.

use std::ops::BitOr;

use crate::error::Result;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};

/// The form in which a sink needs its events. [`Walker`](crate::tools::adapt::Walker) inserts the
/// adapters that provide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u8);

impl Needs {
    /// Any events in any order.
    pub const NONE: Needs = Needs(0);
    /// Repeated fields come once, as one list.
    pub const GROUPED: Needs = Needs(1);
    /// Fields come in the order of their schema's slots.
    pub const SCHEMA_ORDER: Needs = Needs(2);
    /// Text and bytes come whole, never in parts.
    pub const WHOLE_TEXT: Needs = Needs(4);
    /// Values that no schema describes come as the format's best guess, not as bytes. Adapters do
    /// not pass this on.
    pub const GUESSES: Needs = Needs(8);

    /// Returns whether all of `other` is needed.
    pub const fn has(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Needs {
    type Output = Needs;

    fn bitor(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }
}

/// Receives the events of messages. `'m` is the lifetime of the message: a sink may keep what
/// borrows from it.
///
/// A reader guarantees well-formed sequences: each `open` that was entered has its `close`, and
/// each `field` its value. An error from a sink ends the walk, and the walk returns it.
pub trait Sink<'m> {
    /// Returns the form in which this sink needs its events.
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// Receives the start of a container; `at` spans the bytes that open it, such as a brace, a
    /// header or a start tag.
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next>;

    /// Receives the name of the value that follows; `at` spans the name as written.
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next>;

    /// Receives a whole scalar; `at` spans all its bytes, quotes and headers included.
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()>;

    /// Receives a piece of a scalar that comes in parts.
    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()>;

    /// Receives the end of the innermost open container; `at` spans the bytes that close it. It is
    /// empty for containers that end by count or length.
    fn close(&mut self, at: Span) -> Result<()>;

    /// Receives a note: something that is not a value.
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let _ = (note, at);
        Ok(())
    }
}
