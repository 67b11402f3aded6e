//! Comparison of a walk with a tree as it goes, for messages that are equal in the same order.

use crate::error::Result;
use crate::tools::diff::values::alike;
use crate::value::same::same;
use crate::value::tree::Tree;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::sink::{Needs, Sink};

/// A sink that follows a tree: each event must be the tree's next one. It makes nothing, so that
/// proving equality costs little; that it was not followed does not mean that the values differ.
///
/// ```
/// use polywire_core::tools::diff::Lockstep;
/// use polywire_core::{Tree, Value};
///
/// let value = Value::record([("id", Value::int(7))]);
/// let mut tree = Tree::new();
/// value.emit(&mut tree)?;
/// let mut lockstep = Lockstep::new(&tree);
/// value.emit(&mut lockstep)?;
/// assert!(lockstep.is_equal());
/// # Ok::<(), polywire_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Lockstep<'t, 'm> {
    tree: &'t Tree<'m>,
    at: usize,
    differs: bool,
}

impl<'t, 'm> Lockstep<'t, 'm> {
    /// Makes a sink that follows `tree`.
    pub fn new(tree: &'t Tree<'m>) -> Lockstep<'t, 'm> {
        Lockstep { tree, at: 0, differs: false }
    }

    /// Returns true if all events came as the tree has them, to its end.
    pub fn is_equal(&self) -> bool {
        !self.differs && self.tree.skip_notes(self.at) == self.tree.node_count() && self.at > 0
    }

    /// Steps to the next node that is no note, if the walk was as the tree so far.
    fn node(&mut self) -> Option<usize> {
        let at = self.tree.skip_notes(self.at);
        if self.differs || at >= self.tree.node_count() {
            self.differs = true;
            return None;
        }
        self.at = at + 1;
        Some(at)
    }

    fn agrees(&mut self, agrees: bool) -> Next {
        self.differs |= !agrees;
        // A walk that differs is of no use any more.
        if self.differs { Next::Stop } else { Next::Enter }
    }
}

impl<'n> Sink<'n> for Lockstep<'_, '_> {
    fn needs(&self) -> Needs {
        Needs::GROUPED | Needs::WHOLE_TEXT
    }

    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let Some(at) = self.node() else { return Ok(Next::Stop) };
        let agrees = self.tree.is_open(at) && alike(&self.tree.open_at(at), &open);
        Ok(self.agrees(agrees))
    }

    fn field(&mut self, field: Field<'n, '_>, _: Span) -> Result<Next> {
        let Some(at) = self.node() else { return Ok(Next::Stop) };
        let agrees = self.tree.is_field(at) && self.tree.field_at(at).name.get() == field.name.get();
        Ok(self.agrees(agrees))
    }

    fn scalar(&mut self, value: Scalar<'n, '_>, _: Span) -> Result<()> {
        if let Some(at) = self.node() {
            let agrees = self.tree.is_scalar(at) && same(&self.tree.scalar_at(at), &value);
            self.differs |= !agrees;
        }
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        self.differs = true;
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        if let Some(at) = self.node() {
            self.differs |= !self.tree.is_close(at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::owned::Value;

    #[test]
    fn only_equal_values_in_the_same_order_are_followed() {
        let list = |values: &[u64]| Value::List(values.iter().map(|n| Value::UInt(*n)).collect());
        let value = Value::record([("a", list(&[1, 2])), ("b", Value::text("x")), ("c", Value::F64(0.5))]);
        let map =
            Value::Map(vec![(Value::text("a"), list(&[1, 2])), (Value::text("b"), Value::text("x")), (Value::text("c"), Value::F32(0.5))]);
        let mut tree = Tree::new();
        value.emit(&mut tree).unwrap();
        let follows = |value: &Value| {
            let mut lockstep = Lockstep::new(&tree);
            value.emit(&mut lockstep).unwrap();
            lockstep.is_equal()
        };
        assert!(follows(&value) && follows(&map));
        for other in [
            Value::record([("a", list(&[1, 2])), ("b", Value::text("x"))]),
            Value::record([("a", list(&[1, 2])), ("b", Value::text("x")), ("c", Value::F64(0.5)), ("d", Value::Null)]),
            Value::record([("b", Value::text("x")), ("a", list(&[1, 2])), ("c", Value::F64(0.5))]),
            Value::record([("a", list(&[1, 3])), ("b", Value::text("x")), ("c", Value::F64(0.5))]),
            Value::record([("a", list(&[1])), ("b", Value::text("x")), ("c", Value::F64(0.5))]),
            Value::Null,
        ] {
            assert!(!follows(&other), "{other:?}");
        }
        assert!(!Lockstep::new(&Tree::new()).is_equal());
    }
}
