//! SEQUENCE OF and SET OF (X.690 8.10 and 8.12).

use polywire_core::{Error, Len, Open, Result, Sink};

use super::super::Rules;
use super::super::header::{Head, is_end, refused};
use super::{Level, LevelKind, Walk};
use crate::model::{Kind, TypeId};
use crate::walk::checks;

impl<'m, S: Sink<'m> + ?Sized> Walk<'_, 'm, S> {
    pub(super) fn list(&mut self, ty: TypeId, element: TypeId, head: &Head) -> Result<()> {
        if self.is_plain
            && head.constructed
            && !head.is_indefinite()
            && let Some(index) = self.row_of(self.plan.node(element))
        {
            return self.rows(ty, element, index, head);
        }
        let set = self.rules != Rules::Basic && matches!(self.plan.model().ty(ty).kind, Kind::SetOf(_));
        let level = LevelKind::List { ty, element, set, from: 0, to: 0, count: 0 };
        self.container(ty, Open::List(Len::Unknown), level, head).map(|_| ())
    }

    /// Reads the next element of the innermost list, all rows that come, or its end.
    pub(super) fn element(&mut self) -> Result<()> {
        let Some(&Level { kind: LevelKind::List { ty, element, set, from, to, mut count }, end, .. }) = self.scratch.levels.last() else {
            return Err(Error::internal("an element outside of all lists"));
        };
        if set && to > from {
            self.sorted(from, to)?;
        }
        if !set && let Some(index) = self.row_of(self.plan.node(element)) {
            while self.at < end.min(self.limit) && !(end == Head::INDEFINITE && is_end(self.msg, self.at)) {
                if !self.row(self.plan.node(element), index)? {
                    break;
                }
                if self.stopped {
                    return Ok(());
                }
                count = count.saturating_add(1);
            }
        }
        if let Some(octets) = self.ended()? {
            if self.checked && self.plan.node(ty).constrained {
                let outside = checks::size(&self.plan.model().ty(ty).constraints, u64::from(count));
                self.check(outside, self.at)?;
            }
            let span = self.span(self.at, self.at + octets);
            self.at += octets;
            self.pop();
            return self.sink.close(span);
        }
        if let Some(Level { kind: LevelKind::List { count: known, .. }, .. }) = self.scratch.levels.last_mut() {
            *known = count.saturating_add(1);
        }
        if set && let Some(Level { kind: LevelKind::List { from: before, to: start, .. }, .. }) = self.scratch.levels.last_mut() {
            // The element before, up to this one.
            (*before, *start) = (to.max(*before), self.at);
            if to == 0 {
                *before = self.at;
            }
        }
        self.value(element)
    }

    /// Checks that an element at `to` does not sort before the one at `from` (X.690 11.6).
    fn sorted(&self, from: usize, to: usize) -> Result<()> {
        if self.at <= to || self.msg[from..to] <= self.msg[to..self.at] {
            return Ok(());
        }
        let rule = "elements in the order of their encodings (X.690 11.6)";
        Err(refused(self.rules, "an element that sorts before the one in front", rule, self.offset(to)))
    }
}
