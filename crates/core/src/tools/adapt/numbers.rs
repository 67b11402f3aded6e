//! The treatment of decimals that no binary64 number is, for formats without decimals.

use crate::error::Result;
use crate::walk::event::{Hint, Scalar, Span, Spelling};
use crate::walk::forward::Forward;
use crate::walk::sink::{Needs, Sink};

/// The treatment of decimals that no binary64 number is, where a format has no decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// They become the nearest number, a loss of kind [`Rounded`](crate::LossKind::Rounded).
    #[default]
    Nearest,
    /// They become text with all their digits, where the format can hold text in their place.
    Text,
}

/// Marks all decimals as ones that writers do not round: see [`Hint::is_exact`].
pub struct Unrounded<'s, S: ?Sized> {
    sink: &'s mut S,
}

impl<'s, S: ?Sized> Unrounded<'s, S> {
    /// Makes an adapter before `sink`.
    pub fn new(sink: &'s mut S) -> Unrounded<'s, S> {
        Unrounded { sink }
    }
}

impl<'m, S: Sink<'m> + ?Sized> Forward<'m> for Unrounded<'_, S> {
    type To = S;

    fn to(&mut self) -> &mut S {
        self.sink
    }

    fn needs(&self) -> Needs {
        self.sink.needs()
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        let Scalar::Decimal(text, hint) = value else { return self.sink.scalar(value, at) };
        let spelling = Spelling { exact: true, ..hint.spelling().copied().unwrap_or_default() };
        self.sink.scalar(Scalar::Decimal(text, Hint::new(&spelling)), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Tree;
    use crate::walk::event::{Field, Next, Note, Open, Part, Str};

    /// Collects whether numbers may be rounded.
    #[derive(Default)]
    struct Exact(Vec<bool>);

    impl<'m> Sink<'m> for Exact {
        fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
            Ok(Next::Enter)
        }

        fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
            Ok(Next::Enter)
        }

        fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
            self.0.push(matches!(value, Scalar::Decimal(_, hint) | Scalar::F64(_, hint) if hint.is_exact()));
            Ok(())
        }

        fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
            Ok(())
        }

        fn close(&mut self, _: Span) -> Result<()> {
            Ok(())
        }

        fn note(&mut self, _: Note<'_>, _: Span) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn decimals_are_exact_and_trees_keep_that() {
        let mut tree = Tree::new();
        let mut unrounded = Unrounded::new(&mut tree);
        let typed = Spelling::decimal("0.10000000000000000001", -20);
        let open = Open::List(crate::walk::event::Len::Unknown);
        Sink::open(&mut unrounded, open, Span::NONE).unwrap();
        for value in [
            Scalar::f64(1.5),
            Scalar::decimal(Str::Input("0.10000000000000000001")),
            Scalar::Decimal(Str::Input("0.10000000000000000001"), Hint::new(&typed)),
            Scalar::F64(1.5, Hint::new(&Spelling::decimal("1.5", -1))),
        ] {
            Sink::scalar(&mut unrounded, value, Span::NONE).unwrap();
        }
        Sink::close(&mut unrounded, Span::NONE).unwrap();
        let mut sink = Exact::default();
        tree.emit(&mut sink).unwrap();
        assert_eq!(sink.0, [false, true, true, true]);
    }
}
