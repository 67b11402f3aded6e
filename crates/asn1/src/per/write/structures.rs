//! SEQUENCE and SET: preambles, components, extension additions (X.691 19, X.696 16).

use polywire_core::value::View;
use polywire_core::walk::PathStep;
use polywire_core::{Error, Losses, Result, Scalar};

use super::super::EXTENSIONS;
use super::super::layout::{Coded, Extra, Part, Size, Step};
use super::Encode;
use crate::model::TypeId;
use crate::walk::lower::{self, Value, below};

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn structure(&mut self, index: u32, item: Value<'t>) -> Result<()> {
        let layout = self.layout;
        let (known, structure) = (&layout.structures[index as usize], layout.plan.structure(index));
        self.enter(item)?;
        let start = self.given.len();
        let mut unknown = Vec::new();
        lower::components(&layout.plan, structure, item, &mut self.given, &mut unknown, self.losses)?;
        self.drop_defaults(index, start);
        let bitmap = match unknown.first().map(|first| first.view()) {
            Some(View::Scalar(Scalar::Text(text))) => text.get().strip_prefix(EXTENSIONS),
            _ => None,
        };
        let is_there = |encode: &Self, step: &Step| encode.given[start + step.component as usize].is_some();
        let has = |encode: &Self, extra: &Extra| match extra {
            Extra::One(step) => is_there(encode, step),
            Extra::Group(part) => part.steps.iter().any(|step| is_there(encode, step)),
        };
        let any = known.additions.iter().any(|extra| has(self, extra)) || bitmap.is_some();
        if known.extensible {
            self.out.flag(any);
        } else if any {
            return Err(Error::internal("additions of a type that is not extensible"));
        }
        self.keys.enter();
        self.part(index, &known.root, start, item)?;
        if any {
            let was = |at: usize| bitmap.is_some_and(|bitmap| bitmap.as_bytes().get(at) == Some(&b'1'));
            let last = (0..known.additions.len()).rev().find(|at| has(self, &known.additions[*at])).map_or(0, |last| last + 1);
            let count = bitmap.map_or(known.additions.len(), |bitmap| bitmap.len().max(last));
            if layout.octets {
                let octets = count.div_ceil(8) as u64;
                self.length(octets + 1);
                self.out.put(octets * 8 - count as u64, 8);
            } else if count <= 64 {
                self.out.put(count as u64 - 1, 7);
            } else {
                self.out.flag(true);
                self.length(count as u64);
            }
            for at in 0..count {
                let there = match known.additions.get(at) {
                    Some(extra) => has(self, extra) || matches!(extra, Extra::Group(_)) && was(at),
                    None => was(at),
                };
                self.out.flag(there);
            }
            if layout.octets {
                self.out.align();
            }
            let mut kept = unknown.iter().skip(1);
            for at in 0..count {
                match known.additions.get(at) {
                    Some(Extra::One(step)) => {
                        if let Some(value) = self.given[start + step.component as usize] {
                            self.component(index, step, value, true)?;
                        }
                    }
                    Some(extra @ Extra::Group(part)) if has(self, extra) || was(at) => self.group(index, part, start, item)?,
                    Some(Extra::Group(_)) => {}
                    None if was(at) => {
                        let bytes = kept.next().ok_or_else(|| Error::internal("an addition without its bytes"))?;
                        self.octets.clear();
                        lower::bytes(*bytes, self.losses, &mut self.octets)?;
                        self.counted_octets(&Size::ANY);
                    }
                    None => {}
                }
            }
        }
        self.keys.leave();
        self.given.truncate(start);
        self.depth += 1;
        Ok(())
    }

    /// Leaves out components whose value is their default.
    fn drop_defaults(&mut self, index: u32, start: usize) {
        if self.relay {
            return;
        }
        let known = &self.layout.structures[index as usize];
        let groups = known.additions.iter().flat_map(|extra| match extra {
            Extra::One(step) => std::slice::from_ref(step),
            Extra::Group(part) => &part.steps,
        });
        for step in known.root.steps.iter().chain(groups) {
            let (Some(default), Some(value)) = (&step.default, self.given[start + step.component as usize]) else { continue };
            if self.is_default(step.ty, value, default) {
                self.given[start + step.component as usize] = None;
            }
        }
    }

    /// Returns whether a value would be written as a default. It looks at no more values than the
    /// default has, so that defaults within defaults cost no more.
    fn is_default(&mut self, ty: TypeId, value: Value<'t>, default: &Coded) -> bool {
        let mut losses = Losses::default();
        let mut encode = Encode::new(self.layout, &mut losses, false);
        encode.depth = self.depth;
        encode.left = Some(default.values.min(self.left.unwrap_or(u64::MAX)));
        let same = encode.value(ty, value).is_ok() && encode.out == default.bits;
        let spent = encode.left.map_or(0, |left| default.values.saturating_sub(left));
        self.left = self.left.map(|left| left.saturating_sub(spent));
        same
    }

    /// Puts a preamble and the components behind it.
    pub(super) fn part(&mut self, structure: u32, part: &'w Part, start: usize, item: Value<'t>) -> Result<()> {
        for step in part.steps.iter().filter(|step| step.bit.is_some()) {
            self.out.flag(self.given[start + step.component as usize].is_some());
        }
        if self.layout.octets {
            self.out.align();
        }
        for step in &part.steps {
            match self.given[start + step.component as usize] {
                Some(value) => self.component(structure, step, value, false)?,
                None if step.bit.is_some() => {}
                None => return Err(lower::absent(&self.layout.plan, self.layout.plan.structure(structure), step.component, item)),
            }
        }
        Ok(())
    }

    /// Puts the components of `[[ ]]`, which are one open type (X.691 19.9).
    fn group(&mut self, structure: u32, part: &'w Part, start: usize, item: Value<'t>) -> Result<()> {
        let mut inside = self.spare.pop().unwrap_or_default();
        inside.clear();
        let outside = std::mem::replace(&mut self.out, inside);
        let result = self.part(structure, part, start, item);
        let inside = std::mem::replace(&mut self.out, outside);
        result?;
        self.octets.clear();
        let octets = if inside.bytes().is_empty() && !self.layout.octets { &[0][..] } else { inside.bytes() };
        self.octets.extend_from_slice(octets);
        self.spare.push(inside);
        self.counted_octets(&Size::ANY);
        Ok(())
    }

    fn component(&mut self, structure: u32, step: &Step, value: Value<'t>, open: bool) -> Result<()> {
        let component = &self.layout.plan.structure(structure).components[step.component as usize];
        if component.is_key {
            self.keys.begin(step.component);
        }
        let result = if open { self.within_open(step.ty, value) } else { self.value(step.ty, value) };
        if component.is_key {
            self.keys.end();
        }
        result.map_err(|error| below(error, PathStep::Name(component.name.to_string())))
    }
}
