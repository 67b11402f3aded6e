//! What a format does to be written.

use crate::error::Result;
use crate::event::{Note, Span};
use crate::sink::Sink;

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

/// Writes one format: a sink that makes bytes of a message.
pub trait Writer: for<'m> Sink<'m> + Send {
    /// The messages from here on follow each other in one stream, with the format's separator between them: what a stream says once for all of
    /// them, as a table does its header, comes with the first only. Without this call each message stands alone.
    fn begin_stream(&mut self) {}

    /// Set where nothing in a stream tells the end of a message, so that a second one would become part of the first: what to do instead, for people.
    fn only_one(&self) -> Option<&'static str> {
        None
    }

    /// Appends the message to `out` and is ready for the next one.
    ///
    /// After an error, from here or from an event, [`Writer::reset`] must come before the next message.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()>;

    /// Forgets an unfinished message.
    fn reset(&mut self);

    /// What the messages since the last call lost, and what is to be cautioned of.
    fn losses(&mut self) -> Vec<Lost>;
}
