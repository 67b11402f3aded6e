//! A message that a writer holds until it ends.

use polywire_core::{Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Str, Tree};

use super::UNKNOWN;

/// The values of one message, and its losses so far. Encodings need a message whole: components may
/// come in any order, and lengths come before contents.
#[derive(Debug)]
pub struct Held {
    pub(crate) tree: Tree<'static>,
    pub(crate) losses: Losses,
    /// Keep unknown additions, as fields of the name [`UNKNOWN`].
    pub(crate) keeps: bool,
}

impl Held {
    pub(crate) fn new(keeps: bool) -> Held {
        Held { tree: Tree::new(), losses: Losses::default(), keeps }
    }

    /// Forgets the message and its losses.
    pub(crate) fn reset(&mut self) {
        self.tree = std::mem::take(&mut self.tree).recycle();
        self.losses.clear();
    }

    /// Returns the losses, and is left without.
    pub(crate) fn losses(&mut self) -> Vec<Lost> {
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
        match note {
            Note::Unknown(bytes) if self.keeps => {
                self.tree.field(Field::named(Str::Scratch(UNKNOWN)), at)?;
                self.tree.scalar(Scalar::Bytes(Str::Scratch(bytes)), at)
            }
            note => {
                self.losses.note(note, at);
                Ok(())
            }
        }
    }
}
