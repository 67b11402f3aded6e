//! An arena into bytes.

use polywire_core::path::Step;

use super::value::View;
use super::{BITS, Root};
use crate::failure::{Failure, Problem};
use crate::plan::{Op, Plan};
use crate::wire::codes::Simple;
use crate::wire::{self, FALSE, TRUE};

pub(super) fn entries(view: &View<'_>, roots: &[Root], depth: u32, out: &mut Vec<u8>) -> Result<(), Failure> {
    let mut writing = Writing { view: *view, depth, out };
    for root in roots {
        wire::put_uvarint(writing.out, u64::from(root.tag));
        let op = view.plan.tag_op(root.tag).unwrap_or(Op::Octets);
        writing.value(op, root.word).map_err(|failure| failure.below(Step::Name(view.plan.tag_name(root.tag).to_string())))?;
    }
    Ok(())
}

struct Writing<'d, 'o> {
    view: View<'d>,
    depth: u32,
    out: &'o mut Vec<u8>,
}

impl Writing<'_, '_> {
    #[cold]
    fn failure(&self, problem: Problem) -> Failure {
        Failure::new(problem, self.view.plan.wire(), self.out.len())
    }

    fn enter(&mut self) -> Result<(), Failure> {
        if self.depth == 0 {
            return Err(self.failure(Problem::Limit));
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, op: Op, word: u64) -> Result<(), Failure> {
        match op {
            Op::Structure(shape) => self.structure(shape, word as usize),
            Op::Array(array) => self.array(self.view.plan.elements[array as usize], word as usize),
            Op::Polymorph(polymorph) => {
                let member = self.view.plan.polymorphs[polymorph as usize][(word >> 32) as usize];
                wire::put_uvarint(self.out, u64::from(member.tag));
                self.enter()?;
                self.structure(member.shape, word as u32 as usize)
                    .map_err(|failure| failure.below(Step::Name(self.view.plan.tag_name(member.tag).to_string())))?;
                self.depth += 1;
                Ok(())
            }
            op => {
                put(self.view, op, word, self.out);
                Ok(())
            }
        }
    }

    fn structure(&mut self, index: u32, start: usize) -> Result<(), Failure> {
        let plan = self.view.plan;
        let shape = &plan.shapes[index as usize];
        let words = plan.presence_words(index);
        self.enter()?;
        if shape.flat && words == 1 {
            let block = &self.view.words[start..start + 1 + shape.len as usize];
            if !flat(self.view, &plan.ops[shape.slots()], block, self.out) {
                return Err(self.unset(index, start));
            }
        } else {
            let presence = self.out.len();
            self.out.resize(presence + shape.presence as usize, 0);
            for (n, slot) in shape.slots().enumerate() {
                let nullable = plan.slots[slot].nullable;
                if self.view.words[start + n / BITS] >> (n % BITS) & 1 == 0 {
                    if nullable == 0 {
                        return Err(self.unset(index, start));
                    }
                    continue;
                }
                if nullable > 0 {
                    self.out[presence + (nullable as usize - 1) / 8] |= 1 << ((nullable - 1) % 8);
                }
                let word = self.view.words[start + words + n];
                self.value(plan.ops[slot], word).map_err(|failure| failure.below(Step::Name(plan.slots[slot].name.to_string())))?;
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Which field is not set.
    #[cold]
    fn unset(&self, index: u32, start: usize) -> Failure {
        let shape = &self.view.plan.shapes[index as usize];
        let is_unset = |(n, slot): &(usize, usize)| {
            self.view.words[start + n / BITS] >> (n % BITS) & 1 == 0 && self.view.plan.slots[*slot].nullable == 0
        };
        let slot = shape.slots().enumerate().find(is_unset).map_or(shape.first, |(_, slot)| slot as u32);
        self.failure(Problem::Unset).below(Step::Name(self.view.plan.slot_name(slot).to_string()))
    }

    fn array(&mut self, element: Op, start: usize) -> Result<(), Failure> {
        let plan = self.view.plan;
        let count = self.view.words[start] as u32 as usize;
        wire::put_uvarint(self.out, count as u64);
        self.enter()?;
        let stride = plan.stride(element);
        let words = &self.view.words[start + 1..start + 1 + count * stride];
        match element {
            Op::Structure(index) if plan.shapes[index as usize].flat && plan.presence_words(index) == 1 => {
                let ops = &plan.ops[plan.shapes[index as usize].slots()];
                for (n, block) in words.chunks_exact(stride).enumerate() {
                    if !flat(self.view, ops, block, self.out) {
                        return Err(self.unset(index, start + 1 + n * stride).below(Step::Index(n as u64)));
                    }
                }
            }
            Op::Structure(index) => {
                for n in 0..count {
                    self.structure(index, start + 1 + n * stride).map_err(|failure| failure.below(Step::Index(n as u64)))?;
                }
            }
            op => {
                for (n, word) in words.iter().enumerate() {
                    self.value(op, *word).map_err(|failure| failure.below(Step::Index(n as u64)))?;
                }
            }
        }
        self.depth += 1;
        Ok(())
    }
}

/// A structure of scalars; false if one is not set.
#[inline(always)]
fn flat(view: View<'_>, ops: &[Op], block: &[u64], out: &mut Vec<u8>) -> bool {
    let Some((presence, fields)) = block.split_first() else { return true };
    let all = u64::MAX >> (BITS - ops.len());
    if presence & all != all {
        return false;
    }
    for (op, word) in ops.iter().zip(fields) {
        put(view, *op, *word, out);
    }
    true
}

/// A scalar.
#[inline(always)]
fn put(view: View<'_>, op: Op, word: u64, out: &mut Vec<u8>) {
    match op {
        Op::Boolean => out.push(if word != 0 { TRUE } else { FALSE }),
        Op::Int => out.extend_from_slice(&(word as u32).to_le_bytes()),
        Op::Long | Op::Double | Op::Ulong => out.extend_from_slice(&word.to_le_bytes()),
        Op::Uvarint => wire::put_uvarint(out, word),
        Op::Text | Op::Octets => wire::put_sized(out, view.bytes(word)),
        op => rare(view.plan, op, word, out),
    }
}

fn rare(plan: &Plan, op: Op, word: u64, out: &mut Vec<u8>) {
    match op {
        Op::Byte | Op::Ubyte => out.push(word as u8),
        Op::Short | Op::Ushort => out.extend_from_slice(&(word as u16).to_le_bytes()),
        Op::Uint | Op::Float => out.extend_from_slice(&(word as u32).to_le_bytes()),
        Op::Enumeration(index) => {
            let members = &plan.enumerations[index as usize];
            let number = members.names.get(word as usize).map_or(0, |(_, number)| *number);
            // An enumerator fits the type of its enumeration.
            let _ = wire::put_whole(out, if members.subtype.is_subtype() { members.subtype } else { Simple::Varint }, i128::from(number));
        }
        _ => wire::put_varint(out, word as i64),
    }
}
