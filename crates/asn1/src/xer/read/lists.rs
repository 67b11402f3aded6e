//! SEQUENCE OF and SET OF (X.680 26 and 28).

use polywire_core::{Len, Open, Result};

use super::super::is_bare;
use super::{Around, Frame, Walk};
use crate::model::TypeId;
use crate::walk::checks;

impl<'m> Walk<'_, 'm> {
    pub(super) fn list(&mut self, ty: TypeId, element: TypeId, around: Around<'m>) -> Result<()> {
        self.budget.enter(self.offset(around.start))?;
        let span = self.span(around.start);
        if !self.open(Open::List(Len::Unknown), around, span)? {
            self.budget.leave();
            return Ok(());
        }
        self.elements(ty, element, 0, around)
    }

    /// Reads elements up to the first that is under way. `count` were read.
    pub(super) fn elements(&mut self, ty: TypeId, element: TypeId, mut count: u64, around: Around<'m>) -> Result<()> {
        let is_bare = is_bare(self.plan.node(element).op);
        while let Some(tag) = self.next_in(around)? {
            // The name of an element has no meaning here: it is that of the type, or one that the
            // module gives the elements.
            let inner = if is_bare {
                Around { name: "", start: tag.start, empty: false }
            } else {
                self.markup.tag()?;
                Around::of(tag)
            };
            count += 1;
            let before = self.frames.len();
            self.frames.push(Frame::List { ty, element, count, around });
            self.value(element, inner)?;
            if self.frames.len() > before + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
        let at = self.markup.at;
        if self.checked && self.plan.node(ty).constrained {
            let outside = checks::size(&self.plan.model().ty(ty).constraints, count);
            self.check(outside, at)?;
        }
        let span = self.end(around)?;
        self.budget.leave();
        self.sink.close(span)
    }
}
