//! Losses: the parts of a message that a writer could not keep.

use crate::walk::event::{Note, Scalar, Span};

/// The effect of a conversion on a value or note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// A value changed.
    Value,
    /// A number became the nearest one that the format holds.
    Rounded,
    /// A note was dropped: a comment, a directive, bytes of unknown meaning.
    Remark,
    /// The value is kept, but other programs may fail to read it.
    Caution,
}

impl LossKind {
    /// The kinds that are losses, in the order in which lists show them.
    pub const LOSSES: &[LossKind] = &[LossKind::Value, LossKind::Rounded, LossKind::Remark];

    /// Returns its name, which stays the same.
    pub const fn name(self) -> &'static str {
        match self {
            LossKind::Value => "value",
            LossKind::Rounded => "rounded",
            LossKind::Remark => "remark",
            LossKind::Caution => "caution",
        }
    }
}

/// A part of the input that the target could not keep, or that other programs may fail to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Description for people: `bytes became base64 text`.
    pub what: &'static str,
    /// Byte range in the input.
    pub at: Span,
    /// Kind of the loss.
    pub kind: LossKind,
}

impl Lost {
    /// Returns whether a value changed.
    pub fn is_value(&self) -> bool {
        matches!(self.kind, LossKind::Value | LossKind::Rounded)
    }
}

/// The losses and cautions of a writer since they were last taken.
#[derive(Debug, Clone, Default)]
pub struct Losses(Vec<Lost>);

impl Losses {
    /// Records a value that could not be kept as it was.
    pub fn value(&mut self, what: &'static str, at: Span) {
        self.0.push(Lost { what, at, kind: LossKind::Value });
    }

    /// Records a number that became the nearest one that the format holds.
    pub fn rounded(&mut self, what: &'static str, at: Span) {
        self.0.push(Lost { what, at, kind: LossKind::Rounded });
    }

    /// Records the loss of a float that is whole, for a type whose whole numbers are integers.
    pub fn whole(&mut self, scalar: &Scalar<'_, '_>, at: Span) {
        let value = match *scalar {
            Scalar::F64(value, _) => value,
            Scalar::F32(value, _) => f64::from(value),
            _ => return,
        };
        if !matches!(Scalar::number(value), Scalar::F64(..)) {
            self.integer(at);
        }
    }

    /// Records the loss of a float that is whole, in a format that reads its text as an integer.
    pub fn integer(&mut self, at: Span) {
        self.value("whole float became an integer", at);
    }

    /// Records a value that is kept but that other programs may fail to read.
    pub fn caution(&mut self, what: &'static str, at: Span) {
        self.0.push(Lost { what, at, kind: LossKind::Caution });
    }

    /// Records the loss of a note that the writer does not keep. Layout, frames and coercions are
    /// no loss.
    pub fn note(&mut self, note: Note<'_>, at: Span) {
        let what = match note {
            Note::Comment(_) => "comment dropped",
            Note::Directive(_) => "head, processing instruction or document type dropped",
            Note::Unknown(_) => "bytes of unknown meaning dropped",
            Note::Layout(_) | Note::Frame(_) | Note::Coerced(_) | Note::Meaning(_) => return,
        };
        self.0.push(Lost { what, at, kind: LossKind::Remark });
    }

    /// Empties the list.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the losses and empties the list.
    pub fn take(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.0)
    }
}
