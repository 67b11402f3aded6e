//! The position in a message that is visited as it stands, and steps over unwanted fields.

use crate::plan::{FieldStep, Message};
use crate::wire::known;

/// The position in a message, by its fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    /// Least index of the next field.
    pub(super) least: u32,
    /// Number of required fields so far.
    pub(super) required: u32,
    /// Bits of the oneofs so far.
    oneofs: u64,
    /// Fields that the visitor is known not to want, by their [`FieldStep::bit`].
    pub(super) unwanted: u64,
    /// Index of the repeated field that the visitor skips, or `u32::MAX`.
    pub(super) skipped: u32,
}

impl Course {
    /// Returns the start of a message.
    #[inline(always)]
    pub(super) const fn new(unwanted: u64) -> Course {
        Course { least: 0, required: 0, oneofs: 0, unwanted, skipped: u32::MAX }
    }

    /// Records a member of a oneof, and returns whether it is the first one.
    pub(super) fn is_first_of(&mut self, oneof: Option<u32>) -> bool {
        let bit = oneof.and_then(|oneof| 1u64.checked_shl(oneof)).unwrap_or(0);
        let first = bit != 0 && self.oneofs & bit == 0;
        self.oneofs |= bit;
        first
    }

    /// Steps over the unwanted fields that follow each other from `at` on, in a message that ends
    /// at `end`. Returns the offset of the next field, and the number of fields, a list counted as
    /// one. An offset beyond `end` means that the last value is cut off.
    #[inline(never)]
    pub(super) fn over_unwanted(&mut self, ty: &Message, msg: &[u8], end: usize, mut at: usize) -> (usize, u64) {
        let Some(window) = msg.get(..end) else { return (at, 0) };
        let Course { least, mut required, unwanted, mut skipped, .. } = *self;
        let mut fields = 0;
        let mut coming = ty.course_from(least);
        loop {
            // Nearly all fields are strings, messages or truth values, and come where they are
            // expected.
            if let [first, rest @ ..] = coming
                && first.is(FieldStep::PLAIN)
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
            if step.is(FieldStep::REPEATED) {
                if skipped == step.index {
                    continue;
                }
                skipped = step.index;
            }
            fields += 1;
        }
        // The first of the steps that no tag has, has the index behind the last field's.
        let least = coming.first().map_or(least, |step| step.index);
        (self.least, self.required, self.skipped) = (least, required, skipped);
        (at, fields)
    }
}

/// Returns the end of the value at `value`, of a field that is no group. The end may lie behind
/// that of `window`. Returns `None` where a careful look is needed.
#[inline(always)]
pub(super) fn behind(step: &FieldStep, msg: &[u8], window: &[u8], value: usize) -> Option<usize> {
    if step.is(FieldStep::LENGTH) {
        known::end_of_length(window, value)
    } else if step.is(FieldStep::VARINT) {
        match step.is(FieldStep::BYTE) && known::byte(window, value).is_some() {
            true => Some(value + 1),
            false => known::varint_end(msg, value, window.len()),
        }
    } else {
        Some(value + if step.is(FieldStep::EIGHT) { 8 } else { 4 })
    }
}
