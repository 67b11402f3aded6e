//! Messages whose fields come in the order of their numbers.

use polywire_core::{Error, Next, Result};

use super::course::Course;
use super::state::{EMPTY, Flow, LevelKind, NONE, Walk};
use super::visit::Visitor;
use crate::plan::{Field, FieldStep, Message};
use crate::wire::{self, Tag, known, length};

/// The state behind the start of a repeated field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    /// Values: its list is open.
    Values,
    /// Entries: its map is open and has a level of its own.
    Entries,
    /// Nothing: no value was visited; the offset is that of what follows.
    Nothing(usize),
    /// Nothing: the visitor skips the field; the offset is that of what follows.
    Skipped(usize),
    /// Nothing: the visitor wants no more.
    Stop,
}

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Visits the fields of messages as they stand, until a level that is not straight is on top.
    pub(super) fn straight(&mut self) -> Result<Flow> {
        let plan = self.plan;
        let msg = self.msg;
        'levels: loop {
            let level = match self.scratch.levels.last() {
                Some(level) if level.kind == LevelKind::Straight => level,
                _ => return Ok(Flow::On),
            };
            let ty = plan.message(level.message);
            let window = &msg[..level.end];
            let (mut at, mut list, mut course) = (level.at, level.list, level.course);
            while at < window.len() {
                if V::TAKES_FIELDS && list == NONE {
                    at = self.taken_at_once(ty, window, at, &mut course);
                    if at == window.len() {
                        break;
                    }
                }
                let Some((tag, next)) = known::tag(window, at).or_else(|| wire::bare_tag(window, at).ok()) else {
                    return Err(self.changed(at));
                };
                let other;
                let step = match ty.next_step(course.least, tag) {
                    Some(step) => step,
                    None => {
                        other = ty.other_step(tag);
                        if !other.is(FieldStep::UNKNOWN | FieldStep::CLOSED) && other.index < course.least {
                            return Err(self.out_of_order(ty, at));
                        }
                        &other
                    }
                };
                if step.is(FieldStep::UNKNOWN | FieldStep::CLOSED | FieldStep::ONEOF) {
                    if step.is(FieldStep::UNKNOWN | FieldStep::CLOSED) {
                        let after = self.step_over(window, tag, at, next)?;
                        if step.is(FieldStep::UNKNOWN) || self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, after)
                        {
                            // An open list may go on behind it.
                            self.unknown(at, after)?;
                            at = after;
                            continue;
                        }
                        if step.index < course.least {
                            return Err(self.out_of_order(ty, at));
                        }
                    }
                    if step.is(FieldStep::ONEOF) && !course.is_first_of(ty.fields[step.index as usize].oneof) {
                        return Err(self.out_of_order(ty, at));
                    }
                }
                course.least = step.next;
                course.required += step.required;
                let field = &ty.fields[step.index as usize];
                if list != NONE && list != step.index {
                    let close = self.span(at, at);
                    self.list_end(close)?;
                    list = NONE;
                }
                if !step.is(FieldStep::REPEATED) {
                    let head = self.span(at, next);
                    self.budget.item(head.start)?;
                    match self.visitor.field(field, head)? {
                        Next::Enter => {}
                        Next::Stop => return Ok(Flow::Stop),
                        Next::Skip => {
                            at = self.over(window, tag, at, next)?;
                            if course.unwanted != 0 {
                                at = self.over_unwanted(ty, window.len(), at, &mut course);
                            }
                            continue;
                        }
                    }
                } else if list == NONE {
                    if course.skipped == step.index {
                        at = self.over(window, tag, at, next)?;
                        continue;
                    }
                    match self.repeated(field, step, window, at, next, &course)? {
                        Run::Values => list = step.index,
                        Run::Entries => return Ok(Flow::On),
                        Run::Nothing(after) => {
                            at = after;
                            continue;
                        }
                        Run::Skipped(after) => {
                            course.skipped = step.index;
                            at = after;
                            continue;
                        }
                        Run::Stop => return Ok(Flow::Stop),
                    }
                }
                if step.is(FieldStep::MESSAGE) {
                    let (body, head, after, close) = self.bounds(field, window, next)?;
                    self.keep(after, list, &course);
                    match self.open_inside(step.message, body, head, close)? {
                        Flow::On => continue 'levels,
                        Flow::Stop => return Ok(Flow::Stop),
                    }
                }
                at = if step.is(FieldStep::PACKED) { self.packed(field, window, next)? } else { self.scalar(field, window, next)? };
            }
            if at > window.len() || course.required < ty.required {
                return Err(self.changed(at));
            }
            if list != NONE {
                let close = self.span(at, at);
                self.list_end(close)?;
            }
            if self.end()? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
    }

    /// Visits the strings and truth values from `at` on that come in the expected order and that
    /// the visitor takes at once. Returns the offset of the next field.
    #[inline(always)]
    fn taken_at_once(&mut self, ty: &Message, window: &[u8], mut at: usize, course: &mut Course) -> usize {
        // One for the field, one for its value.
        const ITEMS: u64 = 2;
        while let [step, ..] = ty.course_from(course.least)
            && step.is(FieldStep::TEXT | FieldStep::TRUTH)
            && step.bit != 0
            && let Some(&[low, high]) = window.get(at..).and_then(|bytes| bytes.first_chunk())
            && u16::from_le_bytes([low, high]) & step.mask == step.head
            && self.budget.has_items(ITEMS)
        {
            let value = at + usize::from(step.tag_len);
            let end = match step.is(FieldStep::TEXT) {
                true => known::length(window, value).filter(|(from, to)| self.visitor.takes_text(step.bit, *from, *to)).map(|(_, to)| to),
                false => known::byte(window, value).filter(|byte| self.visitor.takes_truth(step.bit, *byte != 0)).map(|_| value + 1),
            };
            let Some(end) = end else { break };
            self.budget.all_items(ITEMS);
            at = end;
            course.least = step.next;
            course.required += step.required;
        }
        at
    }

    /// Steps over the fields from `at` on that the visitor is known not to want. Returns the offset
    /// of the next field.
    #[inline(always)]
    fn over_unwanted(&mut self, ty: &Message, end: usize, at: usize, course: &mut Course) -> usize {
        let before = *course;
        let (behind, fields) = course.over_unwanted(ty, self.msg, end, at);
        if self.budget.all_items(fields) {
            return behind;
        }
        // Going field by field finds the one that exceeds the limit.
        *course = before;
        course.unwanted = 0;
        at
    }

    /// Returns the error for a field at `at` that comes too late. In a walk without surveys,
    /// messages of this type are surveyed from here on.
    #[cold]
    fn out_of_order(&self, ty: &Message, at: usize) -> Error {
        ty.came_shuffled();
        self.changed(at)
    }

    /// Returns the end of a value whose framing was checked.
    #[inline(always)]
    fn over(&mut self, window: &[u8], tag: Tag, at: usize, value: usize) -> Result<usize> {
        let end = match tag.0 & 7 {
            2 => known::length(window, value).map(|(_, to)| to),
            0 => known::varint_end(self.msg, value, window.len()),
            _ => None,
        };
        match end {
            Some(end) => Ok(end),
            None => self.step_over(window, tag, at, value),
        }
    }

    /// Starts the repeated field at `at`, whose first value is at `value`; `course` is that of its
    /// message.
    fn repeated(&mut self, field: &Field, step: &FieldStep, window: &'m [u8], at: usize, value: usize, course: &Course) -> Result<Run> {
        if step.is(FieldStep::PACKED) {
            let (from, to) = length(window, value).map_err(|error| self.located(error))?;
            if from == to {
                let span = self.span(at, to);
                self.visitor.remark(EMPTY, span)?;
                return Ok(Run::Nothing(to));
            }
        }
        let (base, pieces) = (self.scratch.entries.len(), self.scratch.pieces.len());
        let mut after = at;
        if step.is(FieldStep::MAP) {
            after = self.run_of_entries(field, window, at)?;
            if self.are_strays(base)? {
                return Ok(Run::Nothing(after));
            }
        }
        let head = self.span(at, value);
        self.budget.item(head.start)?;
        match self.visitor.field(field, head)? {
            Next::Enter => {}
            Next::Stop => return Ok(Run::Stop),
            Next::Skip => {
                self.scratch.entries.truncate(base);
                self.scratch.pieces.truncate(pieces);
                return Ok(Run::Skipped(after));
            }
        }
        if step.is(FieldStep::MAP) {
            self.keep(after, NONE, course);
            return Ok(match self.open_map(field, at, base, pieces, after)? {
                Flow::On => Run::Entries,
                Flow::Stop => Run::Stop,
            });
        }
        Ok(match self.open_list(field, at)? {
            Next::Enter => Run::Values,
            Next::Skip => Run::Skipped(at),
            Next::Stop => Run::Stop,
        })
    }
}
