//! Sinks that hand events on to another sink.

use crate::error::Result;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};
use crate::walk::sink::{Needs, Sink};

/// A sink that hands events on to another one, and changes few of them. Implement this instead of
/// [`Sink`], and only the methods that differ.
///
/// ```
/// use polywire_core::walk::Forward;
/// use polywire_core::{Note, Result, Sink, Span, Tree};
///
/// /// Keeps a message without its comments.
/// struct Uncommented<'m>(Tree<'m>);
///
/// impl<'m> Forward<'m> for Uncommented<'m> {
///     type To = Tree<'m>;
///
///     fn to(&mut self) -> &mut Tree<'m> {
///         &mut self.0
///     }
///
///     fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
///         Ok(())
///     }
/// }
///
/// let mut sink = Uncommented(Tree::new());
/// Sink::note(&mut sink, Note::Comment("gone"), Span::NONE).unwrap();
/// ```
pub trait Forward<'m> {
    /// The other sink's type.
    type To: Sink<'m> + ?Sized;

    /// Returns the sink that events are handed on to.
    fn to(&mut self) -> &mut Self::To;

    /// As [`Sink::needs`]; the other sink's needs are not asked for.
    #[inline]
    fn needs(&self) -> Needs {
        Needs::NONE
    }

    /// As [`Sink::open`].
    #[inline]
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.to().open(open, at)
    }

    /// As [`Sink::field`].
    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.to().field(field, at)
    }

    /// As [`Sink::scalar`].
    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.to().scalar(value, at)
    }

    /// As [`Sink::part`].
    #[inline]
    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.to().part(part, at)
    }

    /// As [`Sink::close`].
    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        self.to().close(at)
    }

    /// As [`Sink::note`].
    #[inline]
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.to().note(note, at)
    }
}

impl<'m, F: Forward<'m>> Sink<'m> for F {
    #[inline]
    fn needs(&self) -> Needs {
        Forward::needs(self)
    }

    #[inline]
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        Forward::open(self, open, at)
    }

    #[inline]
    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        Forward::field(self, field, at)
    }

    #[inline]
    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        Forward::scalar(self, value, at)
    }

    #[inline]
    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        Forward::part(self, part, at)
    }

    #[inline]
    fn close(&mut self, at: Span) -> Result<()> {
        Forward::close(self, at)
    }

    #[inline]
    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        Forward::note(self, note, at)
    }
}
