//! SEQUENCE OF and SET OF (X.691 20, X.696 17).

use polywire_core::{Len, Open, Result, Sink};

use super::super::layout::Size;
use super::{EMPTY_ELEMENT, Frame, Walk};
use crate::model::{Kind, TypeId};

impl<'x, 'm, S: Sink<'m> + ?Sized> Walk<'_, 'x, 'm, S> {
    pub(super) fn list(&mut self, ty: TypeId, element: TypeId, size: u32, start: u64) -> Result<()> {
        let mut size = &self.layout.sizes[size as usize];
        self.budget.enter(self.base + (start >> 3))?;
        if size.extensible && self.bits.flag()? {
            size = &Size::ANY;
        }
        let (left, more) = if self.layout.octets { (self.quantity()?, false) } else { self.sized(size)? };
        if size.high.is_none() || self.layout.octets && !more {
            self.check_size(start, left, size)?;
        }
        self.open(Open::List(if more { Len::Unknown } else { Len::Claimed(left) }), start)?;
        let sorted = self.layout.canonical && matches!(self.layout.plan.model().ty(ty).kind, Kind::SetOf(_));
        if !sorted && !self.stopped && self.layout.row(element).is_some() {
            // Rows have no lists in them: this is no recursion.
            return self.elements(element, left, more, u64::MAX, u64::MAX, sorted);
        }
        self.frames.push(Frame::List { element, left, more, last: u64::MAX, before: u64::MAX, sorted });
        Ok(())
    }

    pub(super) fn elements(
        &mut self,
        element: TypeId,
        mut left: u64,
        mut more: bool,
        mut last: u64,
        mut before: u64,
        sorted: bool,
    ) -> Result<()> {
        let row = if sorted { None } else { self.layout.row(element) };
        loop {
            if sorted && before != u64::MAX {
                self.ascends(before, last)?;
            }
            while left == 0 {
                if !more {
                    self.budget.leave();
                    return self.close();
                }
                (left, more) = self.length()?;
            }
            left -= 1;
            let (frames, at) = (self.frames.len(), self.bits.at());
            if at == last {
                // The element before had no bits.
                self.budget.decode(EMPTY_ELEMENT, self.offset(at))?;
            }
            (before, last) = (last, at);
            if let Some(index) = row
                && self.row(index)?
            {
                if self.stopped {
                    return Ok(());
                }
                continue;
            }
            self.frames.push(Frame::List { element, left, more, last, before, sorted });
            self.value(element)?;
            if self.frames.len() > frames + 1 || self.stopped {
                return Ok(());
            }
            self.frames.pop();
        }
    }

    /// Checks that the element from `last` up to here follows the one before (X.696 18).
    pub(super) fn ascends(&self, before: u64, last: u64) -> Result<()> {
        let bytes = self.bits.bytes();
        let [before, start, end] = [before, last, self.bits.at()].map(|at| (at >> 3) as usize);
        if bytes[before..start] <= bytes[start..end] {
            return Ok(());
        }
        self.not_canonical(last, "an element of a SET OF behind a greater one", "elements in ascending order (X.696 18)")
    }
}
