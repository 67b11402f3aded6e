//! SEQUENCE OF and SET OF (X.691 20, X.696 17).

use polywire_core::walk::PathStep;
use polywire_core::{Error, Result};

use super::Encode;
use crate::model::TypeId;
use crate::walk::lower::{self, Value, below};

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn list(&mut self, ty: TypeId, element: TypeId, size: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let count = lower::elements(item)?.count() as u64;
        let size = self.sized(&layout.sizes[size as usize], count, item, "elements")?;
        self.enter(item)?;
        let order = if !self.relay && matches!(layout.plan.model().ty(ty).kind, crate::model::Kind::SetOf(_)) {
            Some(self.sorted(element, item)?)
        } else {
            None
        };
        let mut entries = lower::elements(item)?.enumerate();
        let mut one = |encode: &mut Self, at: u64| {
            let (index, value) = match &order {
                Some(order) => order.get(at as usize).copied(),
                None => entries.next().map(|(index, entry)| (index, entry.value())),
            }
            .ok_or_else(|| Error::internal("a list that got shorter"))?;
            encode.value(element, value).map_err(|error| below(error, PathStep::Index(index as u64)))
        };
        if layout.octets {
            let octets = (64 - count.leading_zeros()).div_ceil(8).max(1);
            self.length(u64::from(octets));
            self.out.put(count, octets * 8);
            for at in 0..count {
                one(self, at)?;
            }
            self.depth += 1;
            return Ok(());
        }
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                for at in 0..count {
                    one(self, at)?;
                }
            }
            None => self.fragments(count, |encode, from, count| (from..from + count).try_for_each(|at| one(encode, at)))?,
        }
        self.depth += 1;
        Ok(())
    }

    /// Returns the elements of a SET OF in the order of their encodings (X.691 22.1).
    fn sorted(&mut self, element: TypeId, item: Value<'t>) -> Result<Vec<(usize, Value<'t>)>> {
        let mut encoded = Vec::new();
        for (index, entry) in lower::elements(item)?.enumerate() {
            let outside = std::mem::take(&mut self.out);
            let result = self.value(element, entry.value());
            let inside = std::mem::replace(&mut self.out, outside);
            result.map_err(|error| below(error, PathStep::Index(index as u64)))?;
            encoded.push((inside, index, entry.value()));
        }
        encoded.sort_by(|one, two| one.0.bytes().cmp(two.0.bytes()));
        Ok(encoded.into_iter().map(|(_, index, value)| (index, value)).collect())
    }
}
