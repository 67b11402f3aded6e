//! What a walk is told to.

use std::ops::BitOr;

use crate::error::Result;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};

/// What a sink asks of the events that reach it. [`Walker`](crate::tools::adapt::Walker) puts the adapters between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u8);

impl Needs {
    /// Any events in any order.
    pub const NONE: Needs = Needs(0);
    /// Fields of one name come once: repeated ones as one list.
    pub const GROUPED: Needs = Needs(1);
    /// Fields come in the order of their schema's slots.
    pub const SCHEMA_ORDER: Needs = Needs(2);
    /// Text and bytes come whole, never in parts.
    pub const WHOLE_TEXT: Needs = Needs(4);
    /// What a schema does not explain comes as what it is likely to be, and not as bytes of unknown meaning, where the format can tell. Adapters do not pass this on.
    pub const GUESSES: Needs = Needs(8);

    /// Whether all of `other` is asked for.
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

/// Receives the events of messages. `'m` is how long the message lives: what borrows from it may be kept.
///
/// A reader promises well-formed sequences: each `open` that was entered has its `close`, each `field` its value. An error from a sink
/// ends the walk and is handed to its caller.
pub trait Sink<'m> {
    /// What this sink asks of the events that reach it.
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// A container starts; `at` spans the bytes that say so (a brace, a header, a start tag).
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next>;

    /// The name of the value that follows; `at` spans the name as it is written.
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next>;

    /// A whole scalar; `at` spans all its bytes, quotes and headers included.
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()>;

    /// A piece of a scalar that comes in parts.
    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()>;

    /// The innermost open container ends; `at` spans the bytes that say so, and is empty where it ends by count or length.
    fn close(&mut self, at: Span) -> Result<()>;

    /// Something that is no value.
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        let _ = (note, at);
        Ok(())
    }
}
