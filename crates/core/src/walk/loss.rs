//! What a writer could not keep of a message.

use crate::walk::event::{Note, Span};

/// What a conversion does to a value or remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// A value changed.
    Value,
    /// A remark beside the values went: a comment, bytes of unknown meaning.
    Remark,
    /// Nothing is lost, but other programs of the format may not be able to read it.
    Caution,
}

/// Something that the target could not keep, or that others may stumble over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// What happened to it, for people: `bytes became base64 text`.
    pub what: &'static str,
    /// Where it was in the input.
    pub at: Span,
    /// How bad that is.
    pub kind: LossKind,
}

impl Lost {
    /// Whether a value changed.
    pub fn is_value(&self) -> bool {
        self.kind == LossKind::Value
    }
}

/// The losses of one message, as a writer notes them.
#[derive(Debug, Clone, Default)]
pub struct Losses(Vec<Lost>);

impl Losses {
    /// A value could not be kept as it was.
    pub fn value(&mut self, what: &'static str, at: Span) {
        self.0.push(Lost { what, at, kind: LossKind::Value });
    }

    /// A value is kept, and other programs of the format may not be able to read it.
    pub fn caution(&mut self, what: &'static str, at: Span) {
        self.0.push(Lost { what, at, kind: LossKind::Caution });
    }

    /// For writers without a place for remarks: notes the loss of those that count as one.
    pub fn note(&mut self, note: Note<'_>, at: Span) {
        let what = match note {
            Note::Comment(_) => "comment dropped",
            Note::Directive(_) => "head, processing instruction or document type dropped",
            Note::Unknown(_) => "bytes of unknown meaning dropped",
            Note::Layout(_) | Note::Frame(_) | Note::Coerced(_) => return,
        };
        self.0.push(Lost { what, at, kind: LossKind::Remark });
    }

    /// Hands the losses over and is empty again.
    pub fn take(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.0)
    }
}
