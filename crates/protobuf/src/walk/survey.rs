//! Whether the fields of a message can be told as they stand.

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
        let step = ty.usual_step(tag)?;
        // Tests in the order of how common they are take less time than a jump by a table.
        let wire = tag.0 & 7;
        at = if wire == 2 {
            known::length(window, value)?.1
        } else if wire == 0 {
            known::varint_end(msg, value, window.len())?
        } else if wire == 3 {
            return None;
        } else {
            // Of eight bytes is wire type 1, of four 5.
            value + if wire == 1 { 8 } else { 4 }
        };
        if step.is(Step::UNKNOWN | Step::CLOSED | Step::MAP) || step.index < least {
            return None;
        }
        // A repeated field may come again.
        least = step.index + u32::from(!step.is(Step::REPEATED));
        required += u32::from(step.is(Step::REQUIRED));
        if step.is(Step::ONEOF) {
            let bit = 1u64.checked_shl(ty.fields[step.index as usize].oneof?)?;
            if oneofs & bit != 0 {
                return None;
            }
            oneofs |= bit;
        }
    }
    // A number of fixed size may go beyond the end.
    (at == window.len()).then_some(required)
}
