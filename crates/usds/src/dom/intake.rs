//! Events to arenas: messages of other formats become documents in memory.

use std::sync::Arc;

use polywire_core::walk::Forward;
use polywire_core::{Error, ErrorKind, Fault, Lost, Needs, Result, Sink, Writer};

use super::arena::{Arena, Document};
use crate::document::Form;
use crate::plan::Plan;
use crate::walk::{NAME, UsdsWriter};

/// Sink that turns each message into a document of an arena.
///
/// The message is a record of roots, named by their tags, or the value of a root, as [`UsdsWriter`]
/// accepts it. Fields may come in any order, absent fields are null or take their defaults, and
/// numbers are exact or refused. The values are encoded once as the bytes of a body, which the
/// document borrows.
#[derive(Debug)]
pub struct Intake {
    writer: UsdsWriter,
    body: Vec<u8>,
}

impl Intake {
    /// Returns an intake for messages that are whole documents.
    ///
    /// # Errors
    /// The dictionary has types without an encoding.
    pub fn documents(plan: Arc<Plan>) -> Result<Intake> {
        Ok(Intake { writer: UsdsWriter::documents(plan, Form::Body)?, body: Vec::new() })
    }

    /// Returns an intake for messages that are the value of one root of that tag.
    pub fn roots(plan: Arc<Plan>, tag: u32) -> Intake {
        Intake { writer: UsdsWriter::roots(plan, tag), body: Vec::new() }
    }

    /// Returns the document of the received message, in an arena of the same dictionary. The memory
    /// of both is reused for the next message.
    ///
    /// # Errors
    /// A value does not fit its type, or a field is missing. The error has the place in the
    /// message, and the path.
    pub fn document<'a, 'm>(&'m mut self, arena: &'a mut Arena) -> Result<Document<'a, 'm>> {
        self.body.clear();
        if let Err(error) = self.writer.finish(&mut self.body) {
            self.writer.reset();
            return Err(error);
        }
        let entries = self.body.get(1..).unwrap_or_default();
        arena.decode(entries).map_err(|failure| {
            // Written bytes can be read, unless they are too large for the arena, or the arena has
            // another dictionary.
            Error::new(ErrorKind::Unsupported, Fault::Caller)
                .seen(failure.to_string())
                .expected("an arena of the same dictionary")
                .format_is(NAME)
        })
    }

    /// Returns the losses since the last call: fields unknown to the dictionary, and numbers that
    /// became floats.
    pub fn losses(&mut self) -> Vec<Lost> {
        self.writer.losses()
    }
}

impl<'m> Forward<'m> for Intake {
    type To = UsdsWriter;

    fn to(&mut self) -> &mut UsdsWriter {
        &mut self.writer
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.writer)
    }
}
