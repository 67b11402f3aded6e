//! Arenas to bytes.

use polywire_core::walk::PathStep;
use polywire_usds_runtime::output::Output;

use super::arena::{BITS, Root};
use super::view::View;
use crate::error::{DecodeError, Problem};
use crate::plan::{Op, Plan, Shape};
use crate::wire;
use crate::wire::codes::Simple;

pub(super) fn entries(view: &View<'_>, roots: &[Root], depth: u32, out: &mut Vec<u8>) -> Result<(), DecodeError> {
    let mut writing = Writing { view: *view, depth, out };
    for root in roots {
        wire::put_uvarint(writing.out, u64::from(root.tag));
        let op = view.plan().tag_op(root.tag).unwrap_or(Op::Octets);
        let written = match op {
            Op::Structure(shape) => {
                let regular = &view.plan().shapes[shape as usize];
                let start = writing.out.len();
                // All at once; the slow path finds the faults.
                if regular.regular
                    && regular.len as usize <= BITS
                    && depth > 0
                    && plain(view, regular, root.word as usize, depth - 1, writing.out) == regular.len as usize
                {
                    continue;
                }
                writing.out.truncate(start);
                writing.structure(shape, root.word as usize)
            }
            op => writing.value(op, root.word),
        };
        written.map_err(|failure| failure.below(PathStep::Name(view.plan().tag_name(root.tag).to_string())))?;
    }
    Ok(())
}

struct Writing<'d, 'o> {
    view: View<'d>,
    depth: u32,
    /// Each run of scalars has an [`Output`] of its own, which fits into a few registers.
    out: &'o mut Vec<u8>,
}

impl Writing<'_, '_> {
    #[cold]
    fn failure(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.view.plan().wire(), self.out.len())
    }

    fn enter(&mut self) -> Result<(), DecodeError> {
        if self.depth == 0 {
            return Err(self.failure(Problem::Limit));
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, op: Op, word: u64) -> Result<(), DecodeError> {
        match op {
            Op::Structure(shape) => self.structure(shape, word as usize),
            Op::Array(array) => self.array(self.view.plan().elements[array as usize], word as usize),
            Op::Polymorph(polymorph) => {
                let member = self.view.plan().polymorphs[polymorph as usize][(word >> 32) as usize];
                wire::put_uvarint(self.out, u64::from(member.tag));
                self.enter()?;
                self.structure(member.shape, word as u32 as usize)
                    .map_err(|failure| failure.below(PathStep::Name(self.view.plan().tag_name(member.tag).to_string())))?;
                self.depth += 1;
                Ok(())
            }
            op => {
                put(&self.view, op, word, &mut Output::new(self.out));
                Ok(())
            }
        }
    }

    #[inline(never)]
    fn structure(&mut self, index: u32, start: usize) -> Result<(), DecodeError> {
        let plan = self.view.plan();
        let shape = &plan.shapes[index as usize];
        let words = plan.presence_words(index);
        self.enter()?;
        if shape.flat && words == 1 {
            let block = &self.view.words()[start..start + 1 + shape.len as usize];
            if rows(&self.view, shape, block, self.out).is_err() {
                return Err(self.unset(index, start));
            }
        } else {
            let mut led = 0;
            if shape.nullable > 0 {
                self.presence(shape, start);
            } else if words == 1 {
                led = plain(&self.view, shape, start, self.depth, self.out);
            }
            for (n, slot) in shape.slots().enumerate().skip(led) {
                if self.view.words()[start + n / BITS] >> (n % BITS) & 1 == 0 {
                    if plan.slots[slot].nullable == 0 {
                        return Err(self.unset(index, start));
                    }
                    continue;
                }
                let (op, word) = (plan.ops[slot], self.view.words()[start + words + n]);
                if op.is_scalar() {
                    put(&self.view, op, word, &mut Output::new(self.out));
                } else if let Op::Array(array) = op {
                    self.array(plan.elements[array as usize], word as usize)
                        .map_err(|failure| failure.below(PathStep::Name(plan.slots[slot].name.to_string())))?;
                } else {
                    self.value(op, word).map_err(|failure| failure.below(PathStep::Name(plan.slots[slot].name.to_string())))?;
                }
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Writes the presence bytes: one bit for each nullable field, in their order.
    fn presence(&mut self, shape: &Shape, start: usize) {
        let mut byte = 0;
        for (n, slot) in shape.slots().enumerate() {
            let Some(position) = self.view.plan().slots[slot].nullable.checked_sub(1) else { continue };
            byte |= ((self.view.words()[start + n / BITS] >> (n % BITS) & 1) as u8) << (position % 8);
            if position % 8 == 7 || position + 1 == shape.nullable {
                self.out.push(byte);
                byte = 0;
            }
        }
    }

    /// Returns the error for a field that is not set.
    #[cold]
    fn unset(&self, index: u32, start: usize) -> DecodeError {
        let shape = &self.view.plan().shapes[index as usize];
        let is_unset = |(n, slot): &(usize, usize)| {
            self.view.words()[start + n / BITS] >> (n % BITS) & 1 == 0 && self.view.plan().slots[*slot].nullable == 0
        };
        let slot = shape.slots().enumerate().find(is_unset).map_or(shape.first, |(_, slot)| slot as u32);
        self.failure(Problem::Unset).below(PathStep::Name(self.view.plan().slot_name(slot).to_string()))
    }

    #[inline(never)]
    fn array(&mut self, element: Op, start: usize) -> Result<(), DecodeError> {
        let plan = self.view.plan();
        let count = self.view.words()[start] as u32 as usize;
        wire::put_uvarint(self.out, count as u64);
        self.enter()?;
        let stride = plan.stride(element);
        let words = &self.view.words()[start + 1..start + 1 + count * stride];
        match element {
            Op::Structure(index) if plan.shapes[index as usize].flat && plan.presence_words(index) == 1 => {
                if let Err(n) = rows(&self.view, &plan.shapes[index as usize], words, self.out) {
                    return Err(self.unset(index, start + 1 + n * stride).below(PathStep::Index(n as u64)));
                }
            }
            Op::Structure(index) => {
                for n in 0..count {
                    self.structure(index, start + 1 + n * stride).map_err(|failure| failure.below(PathStep::Index(n as u64)))?;
                }
            }
            op => {
                for (n, word) in words.iter().enumerate() {
                    self.value(op, *word).map_err(|failure| failure.below(PathStep::Index(n as u64)))?;
                }
            }
        }
        self.depth += 1;
        Ok(())
    }
}

/// Writes the leading fields of a structure without nullable fields, while they are scalars and
/// arrays of structures of scalars. Returns their number. The slow path handles the rest, such as
/// fields that are not set. A function of its own keeps the state in registers.
#[inline(never)]
fn plain(view: &View<'_>, shape: &Shape, start: usize, depth: u32, out: &mut Vec<u8>) -> usize {
    let plan = view.plan();
    let (first, len, lead) = (shape.first as usize, shape.len as usize, shape.lead as usize);
    let block = &view.words()[start..start + 1 + len];
    let is_set = |presence: u64, len: usize| !presence << (BITS - len) == 0;
    if !shape.quick || !is_set(block[0], len) {
        return 0;
    }
    let text = |word| view.bytes(word);
    let mut written = Output::new(out);
    written.words(&plan.fields[first..first + lead], &block[1..=lead], text);
    let mut done = lead;
    let mut unset = None;
    'fields: while done < len && depth > 0 {
        let Op::Array(array) = plan.ops[first + done] else { break };
        let Op::Structure(index) = plan.elements[array as usize] else { break };
        let inner = &plan.shapes[index as usize];
        if !inner.quick || !plan.is_row(index) {
            break;
        }
        let fields = &plan.fields[inner.slots()];
        let header = block[1 + done] as usize;
        let count = view.words()[header] as u32 as usize;
        let mark = written.offset();
        written.uvarint(count as u64);
        // Not `chunks`, which begins with a division to count them.
        let mut rest = &view.words()[header + 1..header + 1 + count * (1 + fields.len())];
        while let Some((row, behind)) = rest.split_at_checked(1 + fields.len()) {
            if !is_set(row[0], fields.len()) {
                unset = Some(mark);
                break 'fields;
            }
            written.words(fields, &row[1..], text);
            rest = behind;
        }
        done += 1;
    }
    drop(written);
    if let Some(mark) = unset {
        out.truncate(mark);
    }
    done
}

/// Writes consecutive structures of scalars, whose leading fields are in `words`. If a field is not
/// set, returns the index of its structure. A function of its own keeps the state in registers.
#[inline(never)]
fn rows(view: &View<'_>, shape: &Shape, words: &[u64], out: &mut Vec<u8>) -> Result<(), usize> {
    let lead = shape.lead as usize;
    if lead == 0 {
        return Ok(());
    }
    let slots = shape.first as usize..shape.first as usize + lead;
    let (ops, fields) = (&view.plan().ops[slots.clone()], &view.plan().fields[slots]);
    let all = u64::MAX >> (BITS - lead);
    let mut out = Output::new(out);
    // Not `chunks`, which begins with a division to count them.
    let (mut rest, mut n) = (words, 0);
    while let Some((block, behind)) = rest.split_at_checked(1 + lead) {
        if block[0] & all != all {
            return Err(n);
        }
        (rest, n) = (behind, n + 1);
        if shape.quick {
            out.words(fields, &block[1..], |word| view.bytes(word));
        } else {
            ops.iter().zip(&block[1..]).for_each(|(op, word)| put(view, *op, *word, &mut out));
        }
    }
    Ok(())
}

/// Writes a scalar.
#[inline(always)]
fn put(view: &View<'_>, op: Op, word: u64, out: &mut Output<'_>) {
    match op {
        Op::Boolean => out.put([word as u8]),
        Op::Int => out.put((word as u32).to_le_bytes()),
        Op::Long | Op::Double | Op::Ulong => out.put(word.to_le_bytes()),
        Op::Uvarint => out.uvarint(word),
        Op::Text | Op::Octets => out.octets(view.bytes(word)),
        op => {
            let (bytes, len) = rare(view.plan(), op, word);
            out.bytes(&bytes[..len]);
        }
    }
}

/// Returns the bytes of a scalar of another type.
#[inline(never)]
fn rare(plan: &Plan, op: Op, word: u64) -> ([u8; 10], usize) {
    let number = |simple, number| wire::whole(simple, number).unwrap_or_default();
    match op {
        Op::Float => number(Simple::Uint, i128::from(word as u32)),
        Op::Enumeration(index) => {
            let members = &plan.enumerations[index as usize];
            let value = members.names.get(word as usize).map_or(0, |(_, number)| *number);
            // An enumerator fits the type of its enumeration.
            number(if members.subtype.is_subtype() { members.subtype } else { Simple::Varint }, i128::from(value))
        }
        op => {
            let simple = op.whole().unwrap_or(Simple::Varint);
            let is_signed = matches!(simple, Simple::Byte | Simple::Short | Simple::Int | Simple::Long | Simple::Varint);
            number(simple, if is_signed { i128::from(word as i64) } else { i128::from(word) })
        }
    }
}
