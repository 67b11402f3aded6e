//! Bytes to arenas. A fast copy of [`events::decode`](crate::events::decode): it writes the arena's
//! words directly, without a call per value.

use polywire_core::walk::PathStep;

use super::arena::{Arena, BITS, Root, take};
use crate::error::{DecodeError, Problem};
use crate::events::{self, failure};
use crate::plan::{Op, Plan, Shape};
use crate::wire;

pub(super) fn entries(arena: &mut Arena, bytes: &[u8]) -> Result<(), DecodeError> {
    let Arena { plan, words, used, roots, depth, .. } = arena;
    let plan = &**plan;
    if u32::try_from(bytes.len()).is_err() {
        return Err(DecodeError::new(Problem::Limit, plan.wire(), 0).seen("a document of more than 32 bits' length"));
    }
    let mut reading = Reading { plan, bytes, words, used, depth: *depth };
    let mut at = 0;
    while at < bytes.len() {
        let Ok((tag, start)) = wire::id(bytes, at) else { return Err(reading.no_root(at)) };
        let Some(op) = plan.root_op(tag) else { return Err(reading.no_root(at)) };
        let word;
        let read = match op {
            Op::Structure(shape) => reading.root(shape, start),
            op => reading.value(op, start),
        };
        (word, at) = read.map_err(|failure| failure.below(PathStep::Name(plan.tag_name(tag).to_string())))?;
        roots.push(Root { tag, word });
    }
    Ok(())
}

struct Reading<'p, 'm, 'a> {
    plan: &'p Plan,
    bytes: &'m [u8],
    words: &'a mut Vec<u64>,
    /// Number of words in use.
    used: &'a mut usize,
    /// Number of containers that may still be entered.
    depth: u32,
}

impl Reading<'_, '_, '_> {
    #[cold]
    fn bad(&self, problem: Problem, at: usize) -> DecodeError {
        failure(problem, self.plan.wire(), at, self.bytes)
    }

    #[cold]
    fn no_root(&self, at: usize) -> DecodeError {
        let failure = events::tag(self.plan, self.bytes, at).err();
        failure.unwrap_or_else(|| self.bad(Problem::RootUnknown, at))
    }

    #[inline(always)]
    fn take(&mut self, count: usize, at: usize) -> Result<usize, DecodeError> {
        take(self.words, self.used, count).map_err(|problem| self.bad(problem, at))
    }

    /// Reads a root that is a structure at once, if possible. The slow path finds the faults.
    #[inline(always)]
    fn root(&mut self, index: u32, at: usize) -> Result<(u64, usize), DecodeError> {
        let shape = &self.plan.shapes[index as usize];
        let before = *self.used;
        if shape.regular && shape.len as usize <= BITS && self.depth > 1 {
            let start = self.take(1 + shape.len as usize, at)?;
            self.depth -= 1;
            let (done, end) = self.plain(shape, start, at);
            self.depth += 1;
            if done == shape.len as usize {
                self.words[start] = u64::MAX;
                return Ok((start as u64, end));
            }
            *self.used = before;
        }
        self.new_structure(index, at)
    }

    /// Reads the value at `at`. Returns its word and its end.
    fn value(&mut self, op: Op, at: usize) -> Result<(u64, usize), DecodeError> {
        match op {
            Op::Structure(shape) => self.new_structure(shape, at),
            Op::Array(array) => self.array(self.plan.elements[array as usize], at),
            Op::Polymorph(polymorph) => {
                let (tag, end) = wire::id(self.bytes, at).map_err(|problem| self.bad(problem, at))?;
                let members = &self.plan.polymorphs[polymorph as usize];
                let Some(position) = members.iter().position(|member| member.tag == tag) else {
                    return Err(self.bad(Problem::MemberType, at));
                };
                self.enter(at)?;
                let read = self.value(Op::Structure(members[position].shape), end);
                self.depth += 1;
                let (word, end) = read.map_err(|failure| failure.below(PathStep::Name(self.plan.tag_name(tag).to_string())))?;
                Ok((word | (position as u64) << 32, end))
            }
            op => events::word(self.plan, op, self.bytes, at).map_err(|problem| self.bad(problem, at)),
        }
    }

    #[inline(always)]
    fn new_structure(&mut self, shape: u32, at: usize) -> Result<(u64, usize), DecodeError> {
        let start = self.take(self.plan.words_of(shape), at)?;
        Ok((start as u64, self.structure(shape, start, at)?))
    }

    #[inline(always)]
    fn enter(&mut self, at: usize) -> Result<(), DecodeError> {
        if self.depth == 0 {
            return Err(self.bad(Problem::Limit, at));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Fills the structure at word `start` from the bytes at `at`.
    #[inline(never)]
    fn structure(&mut self, index: u32, start: usize, at: usize) -> Result<usize, DecodeError> {
        let plan = self.plan;
        let shape = &plan.shapes[index as usize];
        if shape.nullable > 0 {
            events::check_presence(self.bytes, at, shape.nullable).map_err(|problem| self.bad(problem, at))?;
        }
        self.enter(at)?;
        let words = plan.presence_words(index);
        let end = if shape.flat && words == 1 {
            let block = &mut self.words[start..start + 1 + shape.len as usize];
            match rows(plan, &plan.ops[shape.slots()], self.bytes, at, block) {
                Ok(end) => end,
                Err((_, broken)) => return Err(self.field_failure(broken, shape.first)),
            }
        } else {
            let presence = at;
            let mut at = at + shape.presence as usize;
            let mut led = 0;
            if shape.nullable == 0 && words == 1 {
                (led, at) = self.plain(shape, start, at);
                // Either all fields are set, or this fails.
                self.words[start] = u64::MAX;
            } else {
                self.words[start..start + words].fill(0);
            }
            for (n, slot) in shape.slots().enumerate().skip(led) {
                let nullable = plan.slots[slot].nullable;
                if nullable > 0 && !events::is_present(self.bytes, presence, nullable - 1) {
                    continue;
                }
                let op = plan.ops[slot];
                let read = if op.is_scalar() {
                    events::word(plan, op, self.bytes, at).map_err(|problem| self.bad(problem, at))
                } else if let Op::Array(array) = op {
                    self.array(plan.elements[array as usize], at)
                } else {
                    self.value(op, at)
                };
                let word;
                (word, at) = read.map_err(|failure| failure.below(PathStep::Name(plan.slots[slot].name.to_string())))?;
                self.words[start + words + n] = word;
                self.words[start + n / BITS] |= 1 << (n % BITS);
            }
            at
        };
        self.depth += 1;
        Ok(end)
    }

    /// Reads the leading fields of a structure without nullable fields, while they are scalars and
    /// arrays of structures of scalars. Returns their number and their end. The slow path reports
    /// what cannot be read. A function of its own keeps the state in registers.
    #[inline(never)]
    fn plain(&mut self, shape: &Shape, start: usize, at: usize) -> (usize, usize) {
        let (plan, bytes) = (self.plan, self.bytes);
        let (first, len, lead) = (shape.first as usize, shape.len as usize, shape.lead as usize);
        let mut at = at;
        match flat(plan, &plan.ops[first..first + lead], bytes, at, &mut self.words[start..=start + lead]) {
            Ok(end) => at = end,
            Err(_) => return (0, at),
        }
        let mut done = lead;
        // An array and its structures are two containers.
        while done < len && self.depth > 1 {
            let Op::Array(array) = plan.ops[first + done] else { break };
            let Op::Structure(index) = plan.elements[array as usize] else { break };
            let inner = &plan.shapes[index as usize];
            let Ok((count, mut end)) = events::count(bytes, at) else { break };
            let ops = &plan.ops[inner.slots()];
            let room = (count as usize).saturating_mul(1 + ops.len());
            // A field takes at least one byte: the count is only a claim.
            if !plan.is_row(index) || (count as usize).saturating_mul(ops.len()) > bytes.len() - end {
                break;
            }
            let before = *self.used;
            let Ok(header) = take(self.words, self.used, 1 + room) else { break };
            self.words[header] = u64::from(count) | u64::from(count) << 32;
            // Not `chunks`, which begins with a division to count them.
            let mut rest = &mut self.words[header + 1..=header + room];
            while let Some((block, behind)) = std::mem::take(&mut rest).split_at_mut_checked(1 + ops.len()) {
                let Ok(read) = flat(plan, ops, bytes, end, block) else {
                    *self.used = before;
                    return (done, at);
                };
                (end, rest) = (read, behind);
            }
            self.words[start + 1 + done] = header as u64;
            (done, at) = (done + 1, end);
        }
        (done, at)
    }

    #[cold]
    fn field_failure(&self, (problem, at, field): Broken, first: u32) -> DecodeError {
        self.bad(problem, at).below(PathStep::Name(self.plan.slot_name(first + field as u32).to_string()))
    }

    #[inline(never)]
    fn array(&mut self, element: Op, at: usize) -> Result<(u64, usize), DecodeError> {
        let plan = self.plan;
        let (count, mut at) = events::count(self.bytes, at).map_err(|problem| self.bad(problem, at))?;
        self.enter(at)?;
        // At most the room that the remaining bytes can fill: the count is only a claim.
        let (stride, least) = match element {
            Op::Structure(shape) => {
                let shape = &plan.shapes[shape as usize];
                (plan.stride(element), (shape.presence + shape.len - shape.nullable).max(1) as usize)
            }
            _ => (1, 1),
        };
        let left = self.bytes.len() - at;
        let room = if (count as usize).saturating_mul(least) <= left { count as usize } else { (count as usize).min(left / least + 1) };
        let header = self.take(1 + room * stride, at)?;
        self.words[header] = u64::from(count) | u64::from(count) << 32;
        let mut start = header + 1;
        match element {
            Op::Structure(index) if plan.shapes[index as usize].flat && plan.presence_words(index) == 1 => {
                if count > 0 && self.depth == 0 {
                    return Err(self.bad(Problem::Limit, at).below(PathStep::Index(0)));
                }
                let shape = &plan.shapes[index as usize];
                let ops = &plan.ops[shape.slots()];
                let (bytes, words) = (self.bytes, &mut self.words[start..start + room * stride]);
                at = match rows(plan, ops, bytes, at, words) {
                    Ok(end) => end,
                    Err((n, broken)) => return Err(self.field_failure(broken, shape.first).below(PathStep::Index(n as u64))),
                };
            }
            Op::Structure(index) => {
                for n in 0..room {
                    at = self.structure(index, start, at).map_err(|failure| failure.below(PathStep::Index(n as u64)))?;
                    start += stride;
                }
            }
            op => {
                for n in 0..room {
                    let word;
                    (word, at) = self.value(op, at).map_err(|failure| failure.below(PathStep::Index(n as u64)))?;
                    self.words[start] = word;
                    start += 1;
                }
            }
        }
        if room < count as usize {
            return Err(self.bad(Problem::End, at).below(PathStep::Index(room as u64)));
        }
        self.depth += 1;
        Ok((header as u64, at))
    }
}

/// The problem, its offset, and the index of the field.
type Broken = (Problem, usize, usize);

/// Fills the words of consecutive structures of scalars. On failure, returns the index of the
/// structure. A function of its own keeps the state in registers.
#[inline(never)]
fn rows(plan: &Plan, ops: &[Op], bytes: &[u8], at: usize, words: &mut [u64]) -> Result<usize, (usize, Broken)> {
    // Not `chunks`, which begins with a division to count them.
    let (mut at, mut rest, mut n) = (at, words, 0);
    while let Some((block, behind)) = rest.split_at_mut_checked(1 + ops.len()) {
        at = flat(plan, ops, bytes, at, block).map_err(|broken| (n, broken))?;
        (rest, n) = (behind, n + 1);
    }
    Ok(at)
}

/// Fills the words of a structure of scalars: presence first.
#[inline(always)]
fn flat(plan: &Plan, ops: &[Op], bytes: &[u8], at: usize, block: &mut [u64]) -> Result<usize, Broken> {
    let Some((presence, fields)) = block.split_first_mut() else { return Ok(at) };
    *presence = u64::MAX;
    let mut at = at;
    for (n, (op, field)) in ops.iter().zip(fields).enumerate() {
        match events::word(plan, *op, bytes, at) {
            Ok((word, end)) => (*field, at) = (word, end),
            Err(problem) => return Err((problem, at, n)),
        }
    }
    Ok(at)
}
