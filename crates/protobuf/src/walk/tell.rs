//! The walk: bytes to what they say, by the tables of a plan.
//!
//! Each message is surveyed before it is told: whether its fields come in the order of their numbers, each in one run, as all serialisers write them. If so they are told as they
//! stand. If not, they are gathered first, for the last value of a field counts, messages are merged, and elements of one list may stand apart (encoding guide,
//! "Last One Wins"). A survey steps over values, so that all surveys of a message together are linear in its fields.
//!
//! A visitor that can start over does without surveys: what a survey would find is then an error, and the message is walked once more, with them.

use std::collections::HashMap;

use polywire_core::bytes::{unzigzag, utf8};
use polywire_core::{Budget, Error, ErrorKind, Next, Result, Span};

use super::course::Course;
use super::survey::in_order;
use super::visit::{Inner, Value, Visitor, no_text};
use crate::model::{Cardinality, Kind, Presence};
use crate::plan::{Field, Layout, Message, Plan, Step};
use crate::wire::{self, Broken, Fault, Groups, Tag, WireType, array, fault, known, length, skip, varint};

/// The remark about a value that does not count.
const REPLACED: &str = "replaced by a later value of the field, or of its oneof";

/// The remark about a list without elements.
const EMPTY: &str = "a packed list without elements";

/// Working memory of walks.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    levels: Vec<Level>,
    /// Fields of the messages that are told out of order, innermost last.
    gathered: Vec<Gathered>,
    /// Entries of the maps that are open.
    entries: Vec<Entry>,
    /// Where the parts of messages lie that are told in several.
    pieces: Vec<(usize, usize)>,
    groups: Groups,
    /// Whether messages are told without a survey before.
    at_once: bool,
}

/// No index.
const NONE: u32 = u32::MAX;

/// A container that is being told.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: LevelKind,
    /// Type of the message; of a map, that of its entries.
    message: u32,
    /// Straight: where the next field is. Gathered, map: index of the next item.
    at: usize,
    /// Where, or at which item, it ends.
    end: usize,
    /// Bytes that say that it ends.
    close: (usize, usize),
    /// Index of the repeated field whose list is open.
    list: u32,
    /// How many gathered fields, entries and pieces are those of the levels around.
    base: (usize, usize),
    course: Course,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    Straight,
    Gathered,
    Map,
}

/// A field of a message that is told out of order.
#[derive(Debug, Clone, Copy)]
struct Gathered {
    /// Index in its message, or [`NONE`].
    field: u32,
    /// Place among the fields of the message.
    order: u32,
    /// The place of the first of the same field.
    group: u32,
    /// Whether it does not count.
    replaced: bool,
    layout: Layout,
    /// Where its tag, its value, and what follows it are.
    start: usize,
    at: usize,
    end: usize,
}

/// An entry of a map.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Tag and value of the field.
    start: usize,
    at: usize,
    end: usize,
    /// Where its key is, if it has one: before the value's own bytes.
    key: Option<usize>,
    /// The same of its value. Of a message that comes in several parts, these are among the pieces.
    value: Option<usize>,
    pieces: (u32, u32),
    /// Whether it is an unknown field, for its value is a number that a closed enum does not have.
    stray: bool,
    /// Whether it has fields beside key and value.
    more: bool,
    /// Whether a later entry has the same key.
    replaced: bool,
}

/// A map's key, to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key<'m> {
    Stray(usize),
    Number(i128),
    Text(&'m [u8]),
}

/// Up to so many entries, comparing with each is faster than hashing.
const FEW: usize = 16;

/// The bytes of a message that is about to be told.
#[derive(Clone, Copy)]
enum Body {
    /// In one piece.
    Whole(usize, usize),
    /// In those of [`Scratch::pieces`].
    Pieces(usize, usize),
}

/// Where a message lies that is a field's value: its body, what announces it, where it ends, and what closes it.
type Bounds = (Body, (usize, usize), usize, (usize, usize));

/// How the walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// With the innermost level.
    On,
    /// Not at all: the visitor wants no more.
    Stop,
}

/// How a repeated field goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    /// Its list is open: values follow.
    Values,
    /// Its map is open, and has a level of its own.
    Entries,
    /// There is none, and nothing was told but remarks; what follows is there.
    Nothing(usize),
    /// The visitor does not want it; what follows is there.
    Skipped(usize),
    /// The visitor wants no more.
    Stop,
}

/// One message that is being told.
pub(crate) struct Walk<'w, 'm, V: ?Sized> {
    pub(crate) plan: &'w Plan,
    pub(crate) msg: &'m [u8],
    pub(crate) base: u64,
    pub(crate) visitor: &'w mut V,
    pub(crate) budget: &'w mut Budget,
    pub(crate) scratch: &'w mut Scratch,
}

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    #[inline(always)]
    fn span(&self, start: usize, end: usize) -> Span {
        Span::at(self.base, start, end)
    }

    #[cold]
    fn broken(&self, fault: Fault) -> Error {
        fault.into_error(self.base)
    }

    /// Tells the message of type `root` whose first field is at `start`.
    pub(crate) fn run(self, root: u32, start: usize) -> Result<()> {
        self.tell(root, start, false)
    }

    /// The same in one pass, for visitors that can start over: an error may not be the one that [`Walk::run`] finds, and may come where it finds none.
    pub(crate) fn run_at_once(self, root: u32, start: usize) -> Result<()> {
        self.tell(root, start, true)
    }

    fn tell(mut self, root: u32, start: usize, at_once: bool) -> Result<()> {
        let end = self.msg.len();
        self.scratch.at_once = at_once;
        self.scratch.levels.clear();
        self.scratch.gathered.clear();
        self.scratch.entries.clear();
        self.scratch.pieces.clear();
        self.scratch.groups.clear();
        let mut flow = self.open(root, Body::Whole(start, end), (start, start), (end, end))?;
        while let (Flow::On, Some(level)) = (flow, self.scratch.levels.last().copied()) {
            flow = match level.kind {
                LevelKind::Straight => self.straight()?,
                LevelKind::Gathered => self.gathered(level)?,
                LevelKind::Map => self.entry(level)?,
            };
        }
        Ok(())
    }

    /// Says that a message starts, which is announced by the bytes `head`.
    #[inline(always)]
    fn start(&mut self, ty: &Message, head: (usize, usize)) -> Result<Next> {
        let at = self.span(head.0, head.1);
        self.budget.item(at.start)?;
        self.budget.enter(at.start)?;
        let next = self.visitor.message(ty, at)?;
        if next == Next::Skip {
            self.budget.leave();
        }
        Ok(next)
    }

    /// [`Walk::open`] for the value of a field of a message that is told as it stands.
    #[inline(always)]
    fn open_inside(&mut self, message: u32, body: Body, head: (usize, usize), close: (usize, usize)) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(message);
        let Body::Whole(at, end) = body else { return self.open(message, body, head, close) };
        if !self.scratch.at_once || ty.is_shuffled() {
            return self.open(message, body, head, close);
        }
        match self.start(ty, head)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let base = (self.scratch.gathered.len(), self.scratch.pieces.len());
        let course = Course::new(self.visitor.unwanted());
        self.scratch.levels.push(Level { kind: LevelKind::Straight, message, at, end, close, list: NONE, base, course });
        Ok(Flow::On)
    }

    /// Opens a message whose bytes are `body`, and which is announced by the bytes `head` and closed by `close`.
    fn open(&mut self, message: u32, body: Body, head: (usize, usize), close: (usize, usize)) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(message);
        match self.start(ty, head)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let base = (self.scratch.gathered.len(), self.scratch.pieces.len());
        let straight = match body {
            Body::Whole(..) if self.scratch.at_once && !ty.is_shuffled() => true,
            Body::Whole(start, end) => in_order(ty, self.msg, start, end) || self.survey(ty, start, end)?,
            Body::Pieces(..) => false,
        };
        let (kind, at_first, end) = match body {
            Body::Whole(start, end) if straight => (LevelKind::Straight, start, end),
            _ => {
                self.gather(ty, body, close.0)?;
                (LevelKind::Gathered, base.0, self.scratch.gathered.len())
            }
        };
        let course = Course::new(self.visitor.unwanted());
        self.scratch.levels.push(Level { kind, message, at: at_first, end, close, list: NONE, base, course });
        Ok(Flow::On)
    }

    /// Steps over the value of a field at `at`, in a window that was checked or not.
    #[inline(always)]
    fn skip(&mut self, window: &[u8], at: usize, tag: Tag, wire: WireType) -> Result<usize> {
        let depth = self.budget.limits().depth;
        match wire {
            WireType::Start => self.scratch.groups.end(window, at, tag.number(), depth).map(|(_, end)| end),
            _ => skip::value(window, at, tag, wire, depth),
        }
        .map_err(|fault| self.broken(fault))
    }

    /// Checks a field that the schema does not have, or whose value is not of the common wire types, at `at`; its value is at `value`. Where it ends.
    #[inline(never)]
    fn step_over(&mut self, window: &[u8], tag: Tag, at: usize, value: usize) -> Result<usize> {
        match wire::wire_of(tag, at).map_err(|fault| self.broken(fault))? {
            WireType::End => Err(self.broken(fault(Broken::Unopened(tag.number()), at))),
            wire => self.skip(window, value, tag, wire),
        }
    }

    /// Checks the framing of all fields from `start` to `end`, and whether they can be told as they stand; then also that none is missing.
    #[inline(never)]
    fn survey(&mut self, ty: &Message, start: usize, end: usize) -> Result<bool> {
        let window = &self.msg[..end];
        // The index that the next field has at least.
        let (mut at, mut least, mut required, mut oneofs) = (start, 0, 0, 0u64);
        // The last map, and where its entries so far end.
        let mut map = (NONE, 0);
        while at < end {
            let field_at = at;
            let (tag, next) = wire::bare_tag(window, at).map_err(|fault| self.broken(fault))?;
            let step = ty.step(tag);
            if step.is(Step::UNKNOWN) {
                at = self.step_over(window, tag, at, next)?;
                continue;
            }
            at = self.step_over(window, tag, at, next)?;
            if step.is(Step::CLOSED) && self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, at) {
                continue;
            }
            if step.index < least {
                return Ok(false);
            }
            if step.is(Step::REPEATED) {
                // A list goes on behind unknown fields, but the entries of a map are told at once.
                if step.is(Step::MAP) {
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
            if step.is(Step::ONEOF)
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

    /// Whether the value of a closed enum's field is an unknown field: a number that the enum does not have, or a packed list of nothing but such.
    fn is_stray(&self, field: &Field, layout: Layout, window: &[u8], at: usize, end: usize) -> bool {
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

    /// The error of a message in `start..end` that lacks a required field.
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
    fn lacking(&self, ty: &Message, seen: &[bool], end: usize) -> Error {
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

    /// Collects the fields of a message, in the order in which they are to be told, and what counts of them. `end` is where the message ends.
    fn gather(&mut self, ty: &Message, body: Body, end: usize) -> Result<()> {
        let first = self.scratch.gathered.len();
        match body {
            Body::Whole(start, end) => self.gather_piece(ty, start, end, first)?,
            Body::Pieces(from, to) => {
                for n in from..to {
                    let (start, end) = self.scratch.pieces[n];
                    self.gather_piece(ty, start, end, first)?;
                }
            }
        }
        // Of a oneof counts the member that came last, from where it came after another one.
        let fields = &mut self.scratch.gathered[first..];
        let mut members: HashMap<u32, (u32, usize)> = HashMap::new();
        for (n, found) in fields.iter().enumerate() {
            if let Some(oneof) = ty.fields.get(found.field as usize).and_then(|field| field.oneof) {
                let member = members.entry(oneof).or_insert((found.field, n));
                if member.0 != found.field {
                    *member = (found.field, n);
                }
            }
        }
        if !members.is_empty() {
            for (n, found) in fields.iter_mut().enumerate() {
                if let Some(oneof) = ty.fields.get(found.field as usize).and_then(|field| field.oneof) {
                    found.replaced = members.get(&oneof).is_some_and(|(field, since)| *field != found.field || n < *since);
                }
            }
        }
        // Those of one field together, where its first stood.
        fields.sort_by_key(|found| (found.field, found.order));
        let mut seen = vec![false; if ty.required > 0 { ty.fields.len() } else { 0 }];
        let mut n = 0;
        while n < fields.len() {
            let Gathered { field, order, .. } = fields[n];
            let same = if field == NONE { 1 } else { fields[n..].iter().take_while(|other| other.field == field).count() };
            let group = &mut fields[n..n + same];
            for found in &mut *group {
                found.group = order;
            }
            if let Some(known) = ty.fields.get(field as usize) {
                if known.cardinality == Cardinality::Singular && known.message().is_none() {
                    let last = same - 1;
                    group[..last].iter_mut().for_each(|found| found.replaced = true);
                }
                if let Some(seen) = seen.get_mut(field as usize) {
                    *seen = true;
                }
            }
            n += same;
        }
        fields.sort_by_key(|found| (found.group, found.order));
        if ty.fields.iter().zip(&seen).any(|(field, seen)| field.presence == Presence::Required && !*seen) {
            return Err(self.lacking(ty, &seen, end));
        }
        Ok(())
    }

    fn gather_piece(&mut self, ty: &Message, start: usize, end: usize, first: usize) -> Result<()> {
        let window = &self.msg[..end];
        let mut at = start;
        while at < end {
            let (tag, next) = wire::bare_tag(window, at).map_err(|fault| self.broken(fault))?;
            let after = self.step_over(window, tag, at, next)?;
            let step = ty.step(tag);
            let stray = step.is(Step::CLOSED) && self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, after);
            let (field, layout) = if stray || step.is(Step::UNKNOWN) { (NONE, Layout::One) } else { (step.index, step.layout()) };
            let order = (self.scratch.gathered.len() - first) as u32;
            self.scratch.gathered.push(Gathered { field, order, group: 0, replaced: false, layout, start: at, at: next, end: after });
            at = after;
        }
        Ok(())
    }

    /// Tells the fields of messages as they stand, down to a level that is told otherwise, or up to it.
    fn straight(&mut self) -> Result<Flow> {
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
                        if !other.is(Step::UNKNOWN | Step::CLOSED) && other.index < course.least {
                            return Err(self.out_of_order(ty, at));
                        }
                        &other
                    }
                };
                if step.is(Step::UNKNOWN | Step::CLOSED | Step::ONEOF) {
                    if step.is(Step::UNKNOWN | Step::CLOSED) {
                        let after = self.step_over(window, tag, at, next)?;
                        if step.is(Step::UNKNOWN) || self.is_stray(&ty.fields[step.index as usize], step.layout(), window, next, after) {
                            // A list that is open may go on behind it.
                            self.unknown(at, after)?;
                            at = after;
                            continue;
                        }
                        if step.index < course.least {
                            return Err(self.out_of_order(ty, at));
                        }
                    }
                    if step.is(Step::ONEOF) && !course.is_first_of(ty.fields[step.index as usize].oneof) {
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
                if !step.is(Step::REPEATED) {
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
                if step.is(Step::MESSAGE) {
                    let (body, head, after, close) = self.bounds(field, window, next)?;
                    self.keep(after, list, &course);
                    match self.open_inside(step.message, body, head, close)? {
                        Flow::On => continue 'levels,
                        Flow::Stop => return Ok(Flow::Stop),
                    }
                }
                at = if step.is(Step::PACKED) { self.packed(field, window, next)? } else { self.scalar(field, window, next)? };
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

    /// Tells the strings and truth values from `at` on that come where they are expected, and that the visitor takes at once. Where the first other field is.
    #[inline(always)]
    fn taken_at_once(&mut self, ty: &Message, window: &[u8], mut at: usize, course: &mut Course) -> usize {
        // A field and its value.
        const ITEMS: u64 = 2;
        while let [step, ..] = ty.course_from(course.least)
            && step.is(Step::TEXT | Step::TRUTH)
            && step.bit != 0
            && let Some(&[low, high]) = window.get(at..).and_then(|bytes| bytes.first_chunk())
            && u16::from_le_bytes([low, high]) & step.mask == step.head
            && self.budget.has_items(ITEMS)
        {
            let value = at + usize::from(step.tag_len);
            let end = match step.is(Step::TEXT) {
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

    /// Steps over the fields from `at` on that the visitor is known not to want. Where the first other one is.
    #[inline(always)]
    fn over_unwanted(&mut self, ty: &Message, end: usize, at: usize, course: &mut Course) -> usize {
        let before = *course;
        let (behind, fields) = course.over_unwanted(ty, self.msg, end, at);
        if self.budget.all_items(fields) {
            return behind;
        }
        // One by one, the field is found that goes beyond the limit.
        *course = before;
        course.unwanted = 0;
        at
    }

    /// The error of a field at `at` that comes too late: of a message that was surveyed, its own; otherwise such messages are surveyed from now on.
    #[cold]
    fn out_of_order(&self, ty: &Message, at: usize) -> Error {
        ty.came_shuffled();
        self.changed(at)
    }

    /// Steps over a value whose framing was checked.
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

    /// The error of a value that is not what it was when it was checked.
    #[cold]
    fn changed(&self, at: usize) -> Error {
        Error::internal("a field that is broken behind its check").at(self.base + at as u64)
    }

    /// Starts to tell the repeated field at `at` whose first value is at `value`; `course` is that of its message.
    fn repeated(&mut self, field: &Field, step: &Step, window: &'m [u8], at: usize, value: usize, course: &Course) -> Result<Run> {
        if step.is(Step::PACKED) {
            let (from, to) = length(window, value).map_err(|fault| self.broken(fault))?;
            if from == to {
                let span = self.span(at, to);
                self.visitor.remark(EMPTY, span)?;
                return Ok(Run::Nothing(to));
            }
        }
        let (base, pieces) = (self.scratch.entries.len(), self.scratch.pieces.len());
        let mut after = at;
        if step.is(Step::MAP) {
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
        if step.is(Step::MAP) {
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

    /// Remembers where the innermost level goes on.
    #[inline(always)]
    fn keep(&mut self, at: usize, list: u32, course: &Course) {
        if let Some(level) = self.scratch.levels.last_mut() {
            (level.at, level.list, level.course) = (at, list, *course);
        }
    }

    /// The bytes of the message at `at` that is the value of `field`: its body, what announces it, where it ends, and what closes it.
    #[inline(always)]
    fn bounds(&mut self, field: &Field, window: &[u8], at: usize) -> Result<Bounds> {
        if field.wire == WireType::Start {
            let depth = self.budget.limits().depth;
            let (inside, behind) = self.scratch.groups.end(window, at, field.number, depth).map_err(|fault| self.broken(fault))?;
            return Ok((Body::Whole(at, inside), (at, at), behind, (inside, behind)));
        }
        let (from, to) = self.length(window, at)?;
        Ok((Body::Whole(from, to), (at, from), to, (to, to)))
    }

    /// Tells the end of the innermost level, a message.
    #[inline(always)]
    fn end(&mut self) -> Result<Flow> {
        let plan = self.plan;
        let Some(level) = self.scratch.levels.pop() else { return Err(Error::internal("the end of a message that is not open")) };
        self.scratch.gathered.truncate(level.base.0);
        self.scratch.pieces.truncate(level.base.1);
        self.budget.leave();
        let close = self.span(level.close.0, level.close.1);
        let inner = self.visitor.message_end(plan.message(level.message), close)?;
        match inner {
            None => Ok(Flow::On),
            Some(Inner { message, start, end }) => self.open(message, Body::Whole(start, end), (start, start), (end, end)),
        }
    }

    /// Tells the fields of a message in the order in which they were gathered, up to its end or the next message in it.
    fn gathered(&mut self, level: Level) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(level.message);
        let Level { at: mut n, end, mut list, mut course, .. } = level;
        while n < end {
            let found = self.scratch.gathered[n];
            if list != NONE && list != found.field {
                let close = self.span(found.start, found.start);
                self.list_end(close)?;
                list = NONE;
            }
            if found.field == NONE {
                self.unknown(found.start, found.end)?;
                n += 1;
                continue;
            }
            if found.replaced {
                let span = self.span(found.start, found.end);
                self.visitor.remark(REPLACED, span)?;
                n += 1;
                continue;
            }
            if course.skipped == found.field {
                n += 1;
                continue;
            }
            let field = &ty.fields[found.field as usize];
            let window = &self.msg[..found.end];
            // The elements of a list come one by one.
            let run = match field.cardinality {
                Cardinality::Repeated => 1,
                _ => self.scratch.gathered[n..end].iter().take_while(|other| other.field == found.field).count(),
            };
            let (base, pieces) = (self.scratch.entries.len(), self.scratch.pieces.len());
            if field.cardinality == Cardinality::Map {
                for m in n..n + run {
                    let Gathered { start, at, end, .. } = self.scratch.gathered[m];
                    self.add_entry(field, start, at, end)?;
                }
                if self.are_strays(base)? {
                    n += run;
                    continue;
                }
            }
            if list == NONE {
                if found.layout == Layout::Packed {
                    let (from, to) = length(window, found.at).map_err(|fault| self.broken(fault))?;
                    if from == to {
                        let span = self.span(found.start, to);
                        self.visitor.remark(EMPTY, span)?;
                        n += 1;
                        continue;
                    }
                }
                let head = self.span(found.start, found.at);
                self.budget.item(head.start)?;
                match self.visitor.field(field, head)? {
                    Next::Enter => {}
                    Next::Stop => return Ok(Flow::Stop),
                    Next::Skip => {
                        self.scratch.entries.truncate(base);
                        self.scratch.pieces.truncate(pieces);
                        course.skipped = found.field;
                        n += 1;
                        continue;
                    }
                }
                if field.cardinality == Cardinality::Repeated {
                    match self.open_list(field, found.start)? {
                        Next::Enter => list = found.field,
                        Next::Stop => return Ok(Flow::Stop),
                        Next::Skip => {
                            course.skipped = found.field;
                            continue;
                        }
                    }
                }
            }
            if field.cardinality == Cardinality::Map {
                let close = self.scratch.gathered[n + run - 1].end;
                self.keep(n + run, NONE, &course);
                return self.open_map(field, found.start, base, pieces, close);
            }
            if found.layout == Layout::Packed {
                self.packed(field, window, found.at)?;
                n += 1;
            } else if let Some(message) = field.message() {
                let pieces = self.scratch.pieces.len();
                let (mut body, head, _, close) = self.bounds(field, window, found.at)?;
                if field.cardinality == Cardinality::Singular {
                    if run > 1 {
                        for m in n..n + run {
                            let Gathered { at, end, replaced, .. } = self.scratch.gathered[m];
                            if !replaced && let (Body::Whole(start, end), ..) = self.bounds(field, &self.msg[..end], at)? {
                                self.scratch.pieces.push((start, end));
                            }
                        }
                        body = Body::Pieces(pieces, self.scratch.pieces.len());
                    }
                    n += run;
                } else {
                    n += 1;
                }
                self.keep(n, list, &course);
                return self.open_in_pieces(message, body, head, close, pieces);
            } else {
                self.any_scalar(field, window, found.at)?;
                n += 1;
            }
        }
        if list != NONE {
            let close = self.span(level.close.0, level.close.0);
            self.list_end(close)?;
        }
        self.end()
    }

    /// Opens a message whose pieces, if it has several, are those from `pieces` on.
    fn open_in_pieces(&mut self, message: u32, body: Body, head: (usize, usize), close: (usize, usize), pieces: usize) -> Result<Flow> {
        let flow = self.open(message, body, head, close)?;
        // They are read; what the message gathered of them stays.
        self.scratch.pieces.truncate(pieces);
        if let Some(level) = self.scratch.levels.last_mut() {
            level.base.1 = level.base.1.min(pieces);
        }
        Ok(flow)
    }

    #[inline(always)]
    fn open_list(&mut self, field: &Field, at: usize) -> Result<Next> {
        let span = self.span(at, at);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let next = self.visitor.list(field, span)?;
        if next == Next::Skip {
            self.budget.leave();
        }
        Ok(next)
    }

    #[inline(always)]
    fn list_end(&mut self, at: Span) -> Result<()> {
        self.budget.leave();
        self.visitor.list_end(at)
    }

    #[cold]
    fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        self.budget.item(self.base + start as u64)?;
        self.visitor.unknown(start, end)
    }

    /// Tells the packed values whose length is at `at`; where they end.
    fn packed(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        let (mut at, to) = length(window, at).map_err(|fault| self.broken(fault))?;
        let window = &window[..to];
        if field.closed {
            while at < to {
                if self.plan.is_stray(field, window, at) {
                    let (_, next) = varint::read(window, at).map_err(|fault| self.broken(fault))?;
                    self.unknown(at, next)?;
                    at = next;
                } else {
                    at = self.scalar(field, window, at)?;
                }
            }
            return Ok(to);
        }
        while at < to {
            at = self.scalar(field, window, at)?;
        }
        Ok(to)
    }

    /// Tells the scalar at `at`; where it ends.
    #[inline(always)]
    fn scalar(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        // Each kind tells its own value, so that what a visitor does with it is decided once.
        macro_rules! varint {
            ($value:expr) => {{
                let Some((value, end)) = known::varint(self.msg, at, window.len()) else { return Err(self.bad_varint(window, at)) };
                self.told(field, $value(value), at, end)
            }};
        }
        macro_rules! fixed {
            ($value:path, $number:ty) => {{
                let Some(bytes) = window.get(at..).and_then(|rest| rest.first_chunk()) else { return Err(self.cut_off(window)) };
                self.told(field, $value(<$number>::from_le_bytes(*bytes)), at, at + size_of::<$number>())
            }};
        }
        match field.kind {
            Kind::String => {
                let (from, to) = self.length(window, at)?;
                let span = self.span(at, to);
                self.budget.item(span.start)?;
                self.visitor.string(field, &window[from..to], span)?;
                Ok(to)
            }
            // Numbers of 32 bits are cut from those of 64 (encoding guide, "Updating A Message Type").
            Kind::Int32 => varint!(|value| Value::I32(value as i32)),
            Kind::Int64 => varint!(|value| Value::I64(value as i64)),
            Kind::UInt32 => varint!(|value| Value::U32(value as u32)),
            Kind::UInt64 => varint!(Value::U64),
            Kind::SInt32 => varint!(|value| Value::I32(unzigzag(u64::from(value as u32)) as i32)),
            Kind::SInt64 => varint!(|value| Value::I64(unzigzag(value))),
            Kind::Bool => match known::byte(window, at) {
                Some(value) => self.told(field, Value::Bool(value != 0), at, at + 1),
                None => varint!(|value| Value::Bool(value != 0)),
            },
            Kind::Enum(_) => varint!(|value| Value::Enum(value as i32)),
            Kind::Double => fixed!(Value::F64, f64),
            Kind::Fixed64 => fixed!(Value::U64, u64),
            Kind::SFixed64 => fixed!(Value::I64, i64),
            Kind::Float => fixed!(Value::F32, f32),
            Kind::Fixed32 => fixed!(Value::U32, u32),
            Kind::SFixed32 => fixed!(Value::I32, i32),
            Kind::Bytes => {
                let (from, to) = self.length(window, at)?;
                self.told(field, Value::Bytes(&window[from..to]), at, to)
            }
            Kind::Message(_) | Kind::Group(_) => Err(Error::internal("a message as a scalar")),
        }
    }

    /// Where the value starts and ends whose length is at `at`.
    #[inline(always)]
    fn length(&self, window: &[u8], at: usize) -> Result<(usize, usize)> {
        match known::length(window, at) {
            Some(found) => Ok(found),
            None => self.careful_length(window, at),
        }
    }

    #[inline(never)]
    fn careful_length(&self, window: &[u8], at: usize) -> Result<(usize, usize)> {
        length(window, at).map_err(|fault| self.broken(fault))
    }

    #[cold]
    fn bad_varint(&self, window: &[u8], at: usize) -> Error {
        varint::read(window, at).map_or_else(|fault| self.broken(fault), |_| self.changed(at))
    }

    #[cold]
    fn cut_off(&self, window: &[u8]) -> Error {
        self.broken(fault(Broken::End, window.len()))
    }

    /// Tells the value that was read from `at` to `end`; gives back the end.
    #[inline(always)]
    fn told(&mut self, field: &Field, value: Value<'m>, at: usize, end: usize) -> Result<usize> {
        let span = self.span(at, end);
        self.budget.item(span.start)?;
        self.visitor.scalar(field, value, span)?;
        Ok(end)
    }

    /// [`Walk::scalar`] where it is not worth code of its own.
    #[inline(never)]
    fn any_scalar(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        self.scalar(field, window, at)
    }

    #[inline(always)]
    fn fixed<const N: usize>(&self, window: &[u8], at: usize) -> Result<[u8; N]> {
        array(window, at).map_err(|fault| self.broken(fault))
    }

    /// Collects the entries of a map that stand in a row from `at` on; where they end.
    fn run_of_entries(&mut self, field: &Field, window: &'m [u8], mut at: usize) -> Result<usize> {
        while at < window.len() {
            let (tag, wire, next) = wire::tag(window, at).map_err(|fault| self.broken(fault))?;
            if tag.number() != field.number || wire != field.wire {
                break;
            }
            let (_, to) = length(window, next).map_err(|fault| self.broken(fault))?;
            self.add_entry(field, at, next, to)?;
            at = to;
        }
        Ok(at)
    }

    /// Adds the entry whose tag is at `start`, and its length at `at`.
    fn add_entry(&mut self, field: &Field, start: usize, at: usize, end: usize) -> Result<()> {
        let plan = self.plan;
        let (key, value) = key_and_value(plan, field)?;
        let pieces = self.scratch.pieces.len();
        let mut entry = Entry { start, at, end, key: None, value: None, pieces: (0, 0), stray: false, more: false, replaced: false };
        let (mut at, to) = length(&self.msg[..end], at).map_err(|fault| self.broken(fault))?;
        let window = &self.msg[..to];
        self.budget.item(self.base + start as u64)?;
        while at < to {
            let (tag, wire, next) = wire::tag(window, at).map_err(|fault| self.broken(fault))?;
            if wire == WireType::End {
                return Err(self.broken(fault(Broken::Unopened(tag.number()), at)));
            }
            let after = self.skip(window, next, tag, wire)?;
            if tag.number() == 1 && wire == key.wire {
                entry.key = Some(next);
            } else if tag.number() == 2 && wire == value.wire {
                entry.value = Some(next);
                if value.message().is_some()
                    && let (Body::Whole(from, to), ..) = self.bounds(value, window, next)?
                {
                    self.scratch.pieces.push((from, to));
                }
            } else {
                entry.more = true;
            }
            at = after;
        }
        entry.stray = value.closed && entry.value.is_some_and(|at| plan.is_stray(value, window, at));
        entry.pieces = (pieces as u32, self.scratch.pieces.len() as u32);
        self.scratch.entries.push(entry);
        Ok(())
    }

    /// Whether the entries from `base` on are all unknown fields. These are told then, and there is no map.
    fn are_strays(&mut self, base: usize) -> Result<bool> {
        let entries = &self.scratch.entries[base..];
        if !entries.iter().all(|entry| entry.stray) {
            return Ok(false);
        }
        let places: Vec<(usize, usize)> = entries.iter().map(|entry| (entry.start, entry.end)).collect();
        self.scratch.entries.truncate(base);
        for (start, end) in places {
            self.unknown(start, end)?;
        }
        Ok(true)
    }

    /// Opens the map whose entries are those from `base` on, the first at `start` and the last up to `end`. Of entries with one key the last counts.
    fn open_map(&mut self, field: &Field, start: usize, base: usize, pieces: usize, end: usize) -> Result<Flow> {
        let plan = self.plan;
        let span = self.span(start, start);
        self.budget.item(span.start)?;
        self.budget.enter(span.start)?;
        let (key, _) = key_and_value(plan, field)?;
        self.replace(key, base)?;
        match self.visitor.map(field, span)? {
            Next::Enter => {
                let stop = self.scratch.entries.len();
                let message = field.message().unwrap_or_default();
                self.scratch.levels.push(Level {
                    kind: LevelKind::Map,
                    message,
                    at: base,
                    end: stop,
                    close: (end, end),
                    list: NONE,
                    base: (base, pieces),
                    course: Course::new(0),
                });
                Ok(Flow::On)
            }
            Next::Skip => {
                self.budget.leave();
                self.scratch.entries.truncate(base);
                self.scratch.pieces.truncate(pieces);
                Ok(Flow::On)
            }
            Next::Stop => Ok(Flow::Stop),
        }
    }

    /// Marks the entries from `base` on whose key comes again.
    fn replace(&mut self, key: &Field, base: usize) -> Result<()> {
        let count = self.scratch.entries.len() - base;
        if count < 2 {
            return Ok(());
        }
        let (mut few, mut many) = ([Key::Stray(0); FEW], Vec::new());
        let keys = if count <= FEW {
            &mut few[..count]
        } else {
            many.resize(count, Key::Stray(0));
            &mut many[..]
        };
        for (n, place) in (base..).zip(&mut *keys) {
            // What is no entry replaces none, and is replaced by none.
            if self.scratch.entries[n].stray {
                *place = Key::Stray(n);
                continue;
            }
            *place = match self.key(key, self.scratch.entries[n])?.0 {
                Value::Text(text) => Key::Text(text.as_bytes()),
                Value::Octets(bytes) => Key::Text(bytes),
                Value::Bool(value) => Key::Number(i128::from(value)),
                Value::I32(value) => Key::Number(i128::from(value)),
                Value::I64(value) => Key::Number(i128::from(value)),
                Value::U32(value) => Key::Number(i128::from(value)),
                Value::U64(value) => Key::Number(i128::from(value)),
                _ => return Err(Error::internal("a map's key of another type")),
            };
        }
        if keys.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(());
        }
        let entries = &mut self.scratch.entries[base..];
        if count <= FEW {
            for n in 0..count {
                entries[n].replaced = keys[n + 1..].contains(&keys[n]);
            }
        } else {
            let mut last: HashMap<Key<'m>, usize> = HashMap::with_capacity(count);
            for (n, key) in keys.iter().enumerate() {
                if let Some(earlier) = last.insert(*key, n) {
                    entries[earlier].replaced = true;
                }
            }
        }
        Ok(())
    }

    /// The key of an entry, and its bytes. One that is absent has its type's default.
    fn key(&self, field: &Field, entry: Entry) -> Result<(Value<'m>, (usize, usize))> {
        let Some(at) = entry.key else { return Ok((absent(self.plan, field), (entry.at, entry.at))) };
        let window = &self.msg[..entry.end];
        let number = || varint::read(window, at).map_err(|fault| self.broken(fault));
        let (value, end) = match field.kind {
            Kind::String => {
                let (from, to) = length(window, at).map_err(|fault| self.broken(fault))?;
                let bytes = &window[from..to];
                match utf8(bytes) {
                    Some(text) => (Value::Text(text), to),
                    None if field.utf8 => return Err(no_text(bytes, self.span(at, to))),
                    None => (Value::Octets(bytes), to),
                }
            }
            Kind::Int32 => number().map(|(value, end)| (Value::I32(value as i32), end))?,
            Kind::Int64 => number().map(|(value, end)| (Value::I64(value as i64), end))?,
            Kind::UInt32 => number().map(|(value, end)| (Value::U32(value as u32), end))?,
            Kind::UInt64 => number().map(|(value, end)| (Value::U64(value), end))?,
            Kind::SInt32 => number().map(|(value, end)| (Value::I32(unzigzag(u64::from(value as u32)) as i32), end))?,
            Kind::SInt64 => number().map(|(value, end)| (Value::I64(unzigzag(value)), end))?,
            Kind::Bool => number().map(|(value, end)| (Value::Bool(value != 0), end))?,
            Kind::Fixed64 => (Value::U64(u64::from_le_bytes(self.fixed(window, at)?)), at + 8),
            Kind::SFixed64 => (Value::I64(i64::from_le_bytes(self.fixed(window, at)?)), at + 8),
            Kind::Fixed32 => (Value::U32(u32::from_le_bytes(self.fixed(window, at)?)), at + 4),
            Kind::SFixed32 => (Value::I32(i32::from_le_bytes(self.fixed(window, at)?)), at + 4),
            _ => return Err(Error::internal("a map's key of another type")),
        };
        Ok((value, (at, end)))
    }

    /// Tells the next entry of a map.
    fn entry(&mut self, level: Level) -> Result<Flow> {
        let plan = self.plan;
        let ty = plan.message(level.message);
        let [key, value] = &ty.fields[..] else { return Err(Error::internal("a map whose entries are no pairs")) };
        if level.at >= level.end {
            self.scratch.levels.pop();
            self.scratch.entries.truncate(level.base.0);
            self.scratch.pieces.truncate(level.base.1);
            self.budget.leave();
            let close = self.span(level.close.0, level.close.1);
            self.visitor.map_end(close)?;
            return Ok(Flow::On);
        }
        let entry = self.scratch.entries[level.at];
        if let Some(level) = self.scratch.levels.last_mut() {
            level.at += 1;
        }
        let window = &self.msg[..entry.end];
        if entry.replaced {
            let span = self.span(entry.start, entry.end);
            self.visitor.remark(REPLACED, span)?;
            return Ok(Flow::On);
        }
        if entry.stray {
            self.unknown(entry.start, entry.end)?;
            return Ok(Flow::On);
        }
        if entry.more {
            self.beside(key, value, entry)?;
        }
        let (key_value, key_at) = self.key(key, entry)?;
        let span = self.span(key_at.0, key_at.1);
        self.budget.item(span.start)?;
        match self.visitor.key(key_value, span)? {
            Next::Enter => {}
            Next::Skip => return Ok(Flow::On),
            Next::Stop => return Ok(Flow::Stop),
        }
        let Some(message) = value.message() else {
            match entry.value {
                Some(at) => {
                    self.any_scalar(value, window, at)?;
                }
                None => {
                    let span = self.span(entry.end, entry.end);
                    self.budget.item(span.start)?;
                    self.visitor.scalar(value, absent(plan, value), span)?;
                }
            }
            return Ok(Flow::On);
        };
        let pieces = (entry.pieces.0 as usize, entry.pieces.1 as usize);
        let (body, head, close) = match entry.value {
            None => (Body::Whole(entry.end, entry.end), (entry.end, entry.end), (entry.end, entry.end)),
            Some(at) => {
                let (body, head, _, close) = self.bounds(value, window, at)?;
                (if pieces.1 - pieces.0 > 1 { Body::Pieces(pieces.0, pieces.1) } else { body }, head, close)
            }
        };
        self.open(message, body, head, close)
    }

    /// Tells the fields of an entry that are neither its key nor its value.
    #[cold]
    fn beside(&mut self, key: &Field, value: &Field, entry: Entry) -> Result<()> {
        let window = &self.msg[..entry.end];
        let (mut at, _) = length(window, entry.at).map_err(|fault| self.broken(fault))?;
        while at < entry.end {
            let (tag, wire, next) = wire::tag(window, at).map_err(|fault| self.broken(fault))?;
            let after = self.skip(window, next, tag, wire)?;
            if !(tag.number() == 1 && wire == key.wire || tag.number() == 2 && wire == value.wire) {
                self.unknown(at, after)?;
            }
            at = after;
        }
        Ok(())
    }
}

/// The fields of a map's entries.
fn key_and_value<'p>(plan: &'p Plan, field: &Field) -> Result<(&'p Field, &'p Field)> {
    match field.message().map(|entry| &plan.message(entry).fields[..]) {
        Some([key, value]) => Ok((key, value)),
        _ => Err(Error::internal("a map whose entries are no pairs")),
    }
}

/// The default of a type: what an absent key or value of a map is (encoding guide, "Maps").
fn absent<'m>(plan: &Plan, field: &Field) -> Value<'m> {
    match field.kind {
        Kind::Double => Value::F64(0.0),
        Kind::Float => Value::F32(0.0),
        Kind::Int64 | Kind::SFixed64 | Kind::SInt64 => Value::I64(0),
        Kind::UInt64 | Kind::Fixed64 => Value::U64(0),
        Kind::Int32 | Kind::SFixed32 | Kind::SInt32 => Value::I32(0),
        Kind::UInt32 | Kind::Fixed32 => Value::U32(0),
        Kind::Bool => Value::Bool(false),
        Kind::String => Value::Text(""),
        Kind::Bytes | Kind::Message(_) | Kind::Group(_) => Value::Bytes(&[]),
        Kind::Enum(id) => Value::Enum(plan.enums[id.index()].first),
    }
}
