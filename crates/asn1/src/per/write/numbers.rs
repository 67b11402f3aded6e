//! Whole numbers and enumerators (X.691 13 and 14, X.696 10 and 11).

use polywire_core::{Error, ErrorKind, Fault, Result};

use super::super::layout::{Form, Number, Size};
use super::{Encode, beyond};
use crate::model::TypeId;
use crate::walk::lower::{self, Enumerator, Value};
use crate::walk::octets;

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn integer(&mut self, ty: TypeId, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let number = &layout.numbers[index as usize];
        let found = match &layout.plan.model().ty(ty).kind {
            crate::model::Kind::Integer(names) => lower::integer(item, names, self.losses, &mut self.octets)?,
            _ => lower::integer(item, &[], self.losses, &mut self.octets)?,
        };
        self.keyed();
        self.whole(number, found, item)
    }

    /// Puts a number, whose octets in two's complement are at hand.
    pub(super) fn whole(&mut self, number: &Number, found: Option<i128>, item: Value<'t>) -> Result<()> {
        let inside = match found {
            Some(found) => number.range.contains(found),
            // Beyond 128 bits, a bound on its side excludes it.
            None if self.octets.first().is_some_and(|first| *first >= 0x80) => number.range.low.is_none(),
            None => number.range.high.is_none(),
        };
        if number.extensible {
            self.out.flag(!inside);
            if !inside {
                self.counted_octets(&Size::ANY);
                return Ok(());
            }
        }
        if !inside {
            let bound = |bound: Option<i128>, open: &str| bound.map_or_else(|| open.to_string(), |bound| bound.to_string());
            let expected = format!("{} to {}", bound(number.range.low, "MIN"), bound(number.range.high, "MAX"));
            let seen = found.map_or_else(|| "a number beyond 128 bits".to_string(), |found| found.to_string());
            return Err(beyond(seen, expected, item));
        }
        match (number.form, found) {
            (Form::Field(field), Some(found)) => {
                self.field(field, found.wrapping_sub(number.low) as u128);
                Ok(())
            }
            (Form::Octets(field), Some(found)) => {
                let above = found.wrapping_sub(number.low) as u128;
                let octets = (128 - above.leading_zeros()).div_ceil(8).max(1);
                self.field(field, u128::from(octets - 1));
                self.align();
                self.out.put_wide(above, octets * 8);
                Ok(())
            }
            (Form::Plain(bits, _), Some(found)) => {
                self.out.put(found as u64, bits);
                Ok(())
            }
            (Form::Semi, Some(found)) => {
                let above = (found.wrapping_sub(number.low) as u128).to_be_bytes();
                let zeros = above.iter().take_while(|octet| **octet == 0).count().min(15);
                self.octets.clear();
                self.octets.extend_from_slice(&above[zeros..]);
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (Form::Semi, None) if number.low == 0 => {
                if self.octets.first() == Some(&0) {
                    self.octets.remove(0);
                }
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (Form::Free, _) => {
                self.counted_octets(&Size::ANY);
                Ok(())
            }
            (_, None) => Err(beyond("a number beyond 128 bits".into(), "a smaller one".into(), item)),
        }
    }

    pub(super) fn enumerated(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let known = &layout.plan.enumerations[index as usize];
        match lower::enumerator(known, item)? {
            Enumerator::Known(found) if layout.octets => {
                octets::put_integer(known.items[found as usize].1, &mut self.octets);
                self.keyed();
                self.number();
                Ok(())
            }
            Enumerator::Number(number) if layout.octets => {
                octets::put_integer(number, &mut self.octets);
                self.number();
                Ok(())
            }
            Enumerator::Addition(_) if layout.octets => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen("the place of an unknown enumerator");
                Err(error.expected("an enumerator that the module has, or a number").at(item.opening().start))
            }
            Enumerator::Known(found) => {
                if self.keys.is_open() {
                    octets::put_integer(known.items[found as usize].1, &mut self.octets);
                    self.keyed();
                }
                if known.extensible {
                    self.out.flag(found >= known.root);
                }
                if found < known.root {
                    self.field(layout.enumerations[index as usize], u128::from(found));
                } else {
                    self.small(u64::from(found - known.root));
                }
                Ok(())
            }
            Enumerator::Addition(addition) => {
                self.out.flag(true);
                self.small(u64::from(addition));
                Ok(())
            }
            Enumerator::Number(number) => {
                let error = Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("the number {number} of an unknown enumerator"));
                let error = error.expected("an enumerator that the module has").at(item.opening().start);
                Err(error.hint("PER writes the place of an enumerator, not its number"))
            }
        }
    }

    /// Puts the number of an enumerator, whose octets are at hand (X.696 11).
    pub(super) fn number(&mut self) {
        match self.octets[..] {
            [octet] if octet < 0x80 => self.out.put(u64::from(octet), 8),
            _ => {
                self.out.put(0x80 | self.octets.len() as u64, 8);
                self.out.copy(&self.octets, self.octets.len() as u64 * 8);
            }
        }
    }
}
