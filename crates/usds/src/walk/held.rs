//! A message that a writer holds until it ends.

use polywire_core::{Field, Losses, Lost, Needs, Next, Note, Open, Part, Result, Scalar, Sink, Span, Tree};

/// The values of one message, and its losses so far. Writers of dictionaries collect a message in
/// it, since fields may come in any order, but the bytes have a fixed one.
#[derive(Debug)]
pub struct Held {
    pub(crate) tree: Tree<'static>,
    pub(crate) losses: Losses,
}

impl Held {
    pub(crate) fn new() -> Held {
        Held { tree: Tree::new(), losses: Losses::default() }
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
        self.losses.note(note, at);
        Ok(())
    }
}
