//! CHOICE and open types (X.691 11.2 and 23, X.696 20 and 30).

use polywire_core::Result;
use polywire_core::walk::PathStep;

use super::super::layout::Size;
use super::Encode;
use crate::model::TypeId;
use crate::walk::lower::{self, Chosen, Value, below};

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn choice(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let (known, choice) = (&layout.choices[index as usize], layout.plan.choice(index));
        self.enter(item)?;
        let chosen = lower::chosen(&layout.plan, choice, item)?;
        if layout.octets {
            self.tag(choice, &chosen);
        }
        match chosen {
            Chosen::Known(alternative, value) => {
                let found = &choice.alternatives[alternative as usize];
                self.key(&[alternative as u8]);
                let root = known.index.get(alternative as usize);
                if known.extensible && !layout.octets {
                    self.out.flag(root.is_none());
                }
                let down = |error| below(error, PathStep::Name(found.name.to_string()));
                match root {
                    Some(at) => {
                        if let Some(field) = known.field.filter(|_| !layout.octets) {
                            self.field(field, u128::from(*at));
                        }
                        if let Some(value) = value {
                            self.value(found.ty, value).map_err(down)?;
                        }
                    }
                    None => {
                        if !layout.octets {
                            self.small(u64::from(alternative) - known.order.len() as u64);
                        }
                        match value {
                            Some(value) => self.within_open(found.ty, value).map_err(down)?,
                            None => {
                                self.octets.clear();
                                if !layout.octets {
                                    self.octets.push(0);
                                }
                                self.counted_octets(&Size::ANY);
                            }
                        }
                    }
                }
            }
            Chosen::Unknown(extra, bytes) => {
                if !layout.octets {
                    self.out.flag(true);
                    self.small(u64::from(extra));
                }
                self.octets.clear();
                self.octets.extend_from_slice(bytes);
                self.counted_octets(&Size::ANY);
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Puts the tag of an alternative (X.696 8.7). One that is a choice without a tag has that of
    /// its own alternative.
    fn tag(&mut self, choice: &crate::walk::plan::Choice, chosen: &Chosen<'t>) {
        let (class, number) = match chosen {
            Chosen::Known(alternative, _) => match self.layout.plan.node(choice.alternatives[*alternative as usize].ty).tags.first() {
                Some(tag) => (u64::from(tag.class()), tag.number()),
                None => return,
            },
            Chosen::Unknown(tag, _) => (u64::from(tag >> 30), u64::from(tag & 0x3fff_ffff)),
        };
        if number < 0x3f {
            self.out.put(class << 6 | number, 8);
            return;
        }
        self.out.put(class << 6 | 0x3f, 8);
        let groups = (64 - number.leading_zeros()).div_ceil(7);
        for group in (0..groups).rev() {
            self.out.put(number >> (group * 7) & 0x7f | if group > 0 { 0x80 } else { 0 }, 8);
        }
    }

    pub(super) fn open_type(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        match self.keys.resolve(&layout.plan, layout.plan.node(ty)) {
            Some(found) => self.within_open(found, item),
            None => {
                lower::bytes(item, self.losses, &mut self.octets)
                    .map_err(|error| error.expected("bytes, since no table has the type of this value"))?;
                self.counted_octets(&Size::ANY);
                Ok(())
            }
        }
    }

    /// Puts a value as an open type (X.691 11.2).
    pub(super) fn within_open(&mut self, ty: TypeId, item: Value<'t>) -> Result<()> {
        self.contained(ty, item)?;
        self.counted_octets(&Size::ANY);
        Ok(())
    }
}
