//! Events into an arena: how messages of other formats become documents in memory.

use std::sync::Arc;

use polywire_core::{Error, ErrorKind, Fault, Field, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Writer};

use super::arena::{Arena, Document};
use crate::document::Form;
use crate::plan::Plan;
use crate::walk::{NAME, UsdsWriter};

/// Takes the events of one message after another, and fills an arena with each.
///
/// The message is a record of roots by the names of their tags, or the value of a root, as [`UsdsWriter`] takes it: fields in any order, those that are missing null or with
/// their defaults, numbers exact or refused. The values are held against the dictionary once, as bytes of a body, which are what the document borrows from.
#[derive(Debug)]
pub struct Intake {
    writer: UsdsWriter,
    body: Vec<u8>,
}

impl Intake {
    /// Of messages that are whole documents.
    ///
    /// # Errors
    /// The dictionary has types without bytes.
    pub fn documents(plan: Arc<Plan>) -> Result<Intake> {
        Ok(Intake { writer: UsdsWriter::documents(plan, Form::Body)?, body: Vec::new() })
    }

    /// Of messages that are the value of one root of that tag.
    pub fn roots(plan: Arc<Plan>, tag: u32) -> Intake {
        Intake { writer: UsdsWriter::roots(plan, tag), body: Vec::new() }
    }

    /// The document of the message that was told, in an arena of the same dictionary. The memory of both is used again for the next message.
    ///
    /// # Errors
    /// A value that does not fit its type, or a field that is missing: with its place in the message, and its path.
    pub fn document<'a, 'm>(&'m mut self, arena: &'a mut Arena) -> Result<Document<'a, 'm>> {
        self.body.clear();
        if let Err(error) = self.writer.finish(&mut self.body) {
            self.writer.reset();
            return Err(error);
        }
        let entries = self.body.get(1..).unwrap_or_default();
        arena.decode(entries).map_err(|failure| {
            // What was written is read, unless it is too large for an arena or the arena is of another dictionary.
            Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(failure.to_string())
                .expected("an arena of the same dictionary")
                .format_is(NAME)
        })
    }

    /// What of the message the dictionary has no place for, since the last call: fields that it does not have, and numbers that became floats.
    pub fn losses(&mut self) -> Vec<Lost> {
        self.writer.losses()
    }
}

impl<'m> Sink<'m> for Intake {
    fn needs(&self) -> Needs {
        self.writer.needs()
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.writer.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.writer.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.writer.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.writer.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.writer.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}
