//! How far a message is that is told as it stands, and the steps over what nobody wants of it.

use crate::plan::{Message, Step};
use crate::wire::known;

/// How far it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    /// The least index that the next field has.
    pub(super) least: u32,
    /// How many required fields there were.
    pub(super) required: u32,
    /// The oneofs that were there.
    oneofs: u64,
    /// The fields that the visitor is known not to want, by their [`Step::bit`].
    pub(super) unwanted: u64,
    /// Index of the repeated field that it was found not to want, or no index.
    pub(super) skipped: u32,
}

impl Course {
    /// That of a message of which nothing was told.
    #[inline(always)]
    pub(super) const fn new(unwanted: u64) -> Course {
        Course { least: 0, required: 0, oneofs: 0, unwanted, skipped: u32::MAX }
    }

    /// Whether no field of that oneof was there before; it is now.
    pub(super) fn is_first_of(&mut self, oneof: Option<u32>) -> bool {
        let bit = oneof.and_then(|oneof| 1u64.checked_shl(oneof)).unwrap_or(0);
        let first = bit != 0 && self.oneofs & bit == 0;
        self.oneofs |= bit;
        first
    }

    /// Steps over the unwanted fields that follow each other from `at` on, in a message that ends at `end`: where the first other field is, and how many fields there
    /// were, a list counted as one. It may lie behind the end: then the last value goes beyond it.
    #[inline(never)]
    pub(super) fn over_unwanted(&mut self, ty: &Message, msg: &[u8], end: usize, mut at: usize) -> (usize, u64) {
        let Some(window) = msg.get(..end) else { return (at, 0) };
        let Course { least, mut required, unwanted, mut skipped, .. } = *self;
        let mut fields = 0;
        let mut coming = ty.course_from(least);
        loop {
            // Nearly all fields are strings, messages or truth values, and come where they are expected.
            if let [first, rest @ ..] = coming
                && first.is(Step::PLAIN)
                && first.bit & unwanted != 0
                && let Some(&[low, high]) = window.get(at..).and_then(|bytes| bytes.first_chunk())
                && u16::from_le_bytes([low, high]) & first.mask == first.head
                && let value = at + usize::from(first.tag_len)
                && let Some(byte) = known::byte(window, value)
            {
                at = value + 1 + usize::from(byte & first.length);
                required += first.required;
                coming = rest;
                fields += 1;
                continue;
            }
            let Some((tag, value)) = known::tag(window, at) else { break };
            let step = match coming {
                [first, ..] if first.tag == tag.0 => first,
                [_, rest @ ..] if rest.first().is_some_and(|second| second.tag == tag.0) => {
                    coming = rest;
                    continue;
                }
                [first, ..] => match ty.later_step(first.index, tag) {
                    Some(step) => step,
                    None => break,
                },
                [] => break,
            };
            if step.bit & unwanted == 0 {
                break;
            }
            let Some(behind) = behind(step, msg, window, value) else { break };
            at = behind;
            required += step.required;
            coming = ty.course_from(step.next);
            if step.is(Step::REPEATED) {
                if skipped == step.index {
                    continue;
                }
                skipped = step.index;
            }
            fields += 1;
        }
        // Of the steps of no tag, the first has the index behind the last field's.
        let least = coming.first().map_or(least, |step| step.index);
        (self.least, self.required, self.skipped) = (least, required, skipped);
        (at, fields)
    }
}

/// Where the value at `value` ends of a field that is no group; that may lie behind the end of `window`. Nothing where it takes a closer look.
#[inline(always)]
pub(super) fn behind(step: &Step, msg: &[u8], window: &[u8], value: usize) -> Option<usize> {
    if step.is(Step::LENGTH) {
        known::end_of_length(window, value)
    } else if step.is(Step::VARINT) {
        match step.is(Step::BYTE) && known::byte(window, value).is_some() {
            true => Some(value + 1),
            false => known::varint_end(msg, value, window.len()),
        }
    } else {
        Some(value + if step.is(Step::EIGHT) { 8 } else { 4 })
    }
}
