//! A message that a writer holds until it ends.

use crate::error::Result;
use crate::value::tree::Tree;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span, Str};
use crate::walk::loss::{Losses, Lost};
use crate::walk::sink::{Needs, Sink};

/// The values of one message, and its losses so far. Some encodings need a message whole: fields
/// may come in any order, but the bytes have a fixed one, or lengths come before contents.
#[derive(Debug)]
pub struct Held {
    /// The message.
    pub tree: Tree<'static>,
    /// Its losses.
    pub losses: Losses,
    /// Name of the fields that unknown parts become, if they are kept.
    unknown: Option<&'static str>,
}

impl Held {
    /// Makes an empty one. Unknown parts are losses, or fields of the name `unknown`.
    pub fn new(unknown: Option<&'static str>) -> Held {
        Held { tree: Tree::new(), losses: Losses::default(), unknown }
    }

    /// Forgets the message and its losses.
    pub fn reset(&mut self) {
        self.tree = std::mem::take(&mut self.tree).recycle();
        self.losses.clear();
    }

    /// Returns the losses, and is left without.
    pub fn losses(&mut self) -> Vec<Lost> {
        self.losses.take()
    }
}

impl<'m> Sink<'m> for Held {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tree.open(open, at)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tree.field(Field::named(field.name.scratch()), at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tree.scalar(value.scratch(), at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tree.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tree.close(at)
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        match (note, self.unknown) {
            (Note::Unknown(bytes), Some(name)) => {
                self.tree.field(Field::named(Str::Scratch(name)), at)?;
                self.tree.scalar(Scalar::Bytes(Str::Scratch(bytes)), at)
            }
            (note, _) => {
                self.losses.note(note, at);
                Ok(())
            }
        }
    }
}
