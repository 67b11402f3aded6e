//! Surveys: whether the fields of a message can be visited as they stand.

use polywire_core::{Error, ErrorKind, Result};

use super::course::behind;
use super::state::{NONE, Walk};
use super::visit::Visitor;
use crate::model::Presence;
use crate::plan::{Field, FieldStep, Layout, Message};
use crate::wire::{self, known, length, skip, varint};

/// Returns whether the fields from `start` to `end` are framed, known, each in one run in the order
/// of their numbers, and include all required ones. `false` also means that a careful survey has to
/// decide.
pub(super) fn in_order(ty: &Message, msg: &[u8], start: usize, end: usize) -> bool {
    fields_in_order(ty, msg, start, end).is_some_and(|required| required >= ty.required)
}

/// Returns the number of required fields, if all is in order.
#[inline(always)]
fn fields_in_order(ty: &Message, msg: &[u8], start: usize, end: usize) -> Option<u32> {
    let window = msg.get(..end)?;
    let (mut at, mut least, mut required, mut oneofs) = (start, 0, 0, 0u64);
    while at < window.len() {
        let (tag, value) = known::tag(window, at)?;
        let step = ty.next_step(least, tag)?;
        if step.is(FieldStep::UNKNOWN | FieldStep::CLOSED | FieldStep::GROUP) {
            return None;
        }
        // A value beyond the end is noticed after the last field.
        at = behind(step, msg, window, value)?;
        least = step.next;
        required += step.required;
        if step.is(FieldStep::MAP | FieldStep::ONEOF) {
            if step.is(FieldStep::MAP) {
                // Another entry may follow.
                least = step.index;
            }
            if step.is(FieldStep::ONEOF) {
                let bit = 1u64.checked_shl(ty.fields[step.index as usize].oneof?)?;
                if oneofs & bit != 0 {
                    return None;
                }
                oneofs |= bit;
            }
        }
    }
    (at == window.len()).then_some(required)
}

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Checks the framing of all fields from `start` to `end`, and returns whether they can be
    /// visited as they stand; if they can, checks also that no required field is missing.
    #[inline(never)]
    pub(super) fn survey(&mut self, ty: &Message, start: usize, end: usize) -> Result<bool> {
        let window = &self.msg[..end];
        // Least index of the next field.
        let (mut at, mut least, mut required, mut oneofs) = (start, 0, 0, 0u64);
        // The last map, and the end of its entries so far.
        let mut map = (NONE, 0);
        while at < end {
            let field_at = at;
            let (tag, next) = wire::bare_tag(window, at).map_err(|error| self.located(error))?;
            let step = ty.step(tag);
            if step.is(FieldStep::UNKNOWN) {
                at = self.step_over(window, tag, at, next)?;
                continue;
            }
            at = self.step_over(window, tag, at, next)?;
            if step.is(FieldStep::CLOSED) && self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, at) {
                continue;
            }
            if step.index < least {
                return Ok(false);
            }
            if step.is(FieldStep::REPEATED) {
                // A list goes on behind unknown fields, but the entries of a map are visited in one
                // go.
                if step.is(FieldStep::MAP) {
                    if map.0 == step.index && map.1 < field_at {
                        return Ok(false);
                    }
                    map = (step.index, at);
                }
                least = step.index;
                continue;
            }
            least = step.index + 1;
            required += step.required;
            if step.is(FieldStep::ONEOF)
                && let Some(oneof) = ty.fields[step.index as usize].oneof
            {
                let bit = 1u64.checked_shl(oneof).unwrap_or(0);
                if bit == 0 || oneofs & bit != 0 {
                    return Ok(false);
                }
                oneofs |= bit;
            }
        }
        if required < ty.required {
            return Err(self.missing(ty, start, end));
        }
        Ok(true)
    }

    /// Returns whether the value of a closed enum's field counts as an unknown field: a number that
    /// the enum does not have, or a packed list of only such numbers.
    pub(super) fn is_stray(&self, field: &Field, layout: Layout, window: &[u8], at: usize, end: usize) -> bool {
        if layout == Layout::One {
            return self.plan.is_stray(field, window, at);
        }
        let Ok((mut at, _)) = length(window, at) else { return false };
        let mut any = false;
        while at < end {
            any = true;
            if !self.plan.is_stray(field, &window[..end], at) {
                return false;
            }
            match varint::read(&window[..end], at) {
                Ok((_, next)) => at = next,
                Err(_) => return false,
            }
        }
        any
    }

    /// Returns the error for a message in `start..end` that lacks a required field.
    #[cold]
    fn missing(&self, ty: &Message, start: usize, end: usize) -> Error {
        let window = &self.msg[..end];
        let mut seen = vec![false; ty.fields.len()];
        let mut at = start;
        while let Ok((tag, wire, next)) = wire::tag(window, at) {
            if let Some(index) = ty.find(tag.number()) {
                let field = &ty.fields[index];
                seen[index] |= field.layout(wire).is_some() && !(field.closed && self.plan.is_stray(field, window, next));
            }
            match skip::value(window, next, tag, wire, self.budget.limits().depth) {
                Ok(after) if after < end => at = after,
                _ => break,
            }
        }
        self.lacking(ty, &seen, end)
    }

    #[cold]
    pub(super) fn lacking(&self, ty: &Message, seen: &[bool], end: usize) -> Error {
        let name = ty
            .fields
            .iter()
            .zip(seen)
            .find(|(field, seen)| field.presence == Presence::Required && !**seen)
            .map_or("", |(field, _)| &*field.name);
        Error::data(ErrorKind::Truncated, self.base + end as u64)
            .seen(format!("a message {} without it", ty.name))
            .expected(format!("the required field `{name}`"))
    }
}
