//! Whether the fields of a message can be told as they stand.

use super::course::behind;
use crate::plan::{Message, Step};
use crate::wire::known;

/// Whether the fields from `start` to `end` are framed, known, each in one run in the order of their numbers, and all there that have to be. It says no also where
/// telling takes a closer look.
pub(super) fn in_order(ty: &Message, msg: &[u8], start: usize, end: usize) -> bool {
    fields_in_order(ty, msg, start, end).is_some_and(|required| required >= ty.required)
}

/// How many required fields there are, if all is in order.
#[inline(always)]
fn fields_in_order(ty: &Message, msg: &[u8], start: usize, end: usize) -> Option<u32> {
    let window = msg.get(..end)?;
    let (mut at, mut least, mut required, mut oneofs) = (start, 0, 0, 0u64);
    while at < window.len() {
        let (tag, value) = known::tag(window, at)?;
        let step = ty.next_step(least, tag)?;
        if step.is(Step::UNKNOWN | Step::CLOSED | Step::GROUP) {
            return None;
        }
        // What lies behind the end is found when all is done.
        at = behind(step, msg, window, value)?;
        least = step.next;
        required += step.required;
        if step.is(Step::MAP | Step::ONEOF) {
            if step.is(Step::MAP) {
                // Another entry.
                least = step.index;
            }
            if step.is(Step::ONEOF) {
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
