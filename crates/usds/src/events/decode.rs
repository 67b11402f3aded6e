//! Bodies to calls (docs/spec/usds.md 4 and 5.5).

use std::convert::Infallible;
use std::marker::PhantomData;

use polywire_core::Next;
use polywire_core::walk::PathStep;

use super::handler::Handler;
use super::row::{Row, RowEnd};
use super::scalar::{check_presence, count, is_present, scalar, text};
use super::slot::{ELEMENT, Extent, MAX_DEPTH, ROOT, Scalar};
use crate::error::{DecodeError, Problem, Revision};
use crate::plan::{Op, Plan, Shape};
use crate::wire::{self, Wire};

/// Reason why decoding ended before the end of the body.
#[derive(Debug)]
pub enum Halt<E> {
    /// The handler stopped.
    Stop,
    /// The handler failed.
    Handler(E),
    /// The bytes are invalid.
    Bad(DecodeError),
}

/// One machine word on success.
type Outcome<T, E> = Result<T, Box<Halt<E>>>;

/// Decodes the entries of a body from `at`, after the signature or an earlier entry, to the end of
/// `bytes`. Nesting is limited to `depth`, and to [`MAX_DEPTH`].
///
/// # Errors
/// The handler's error, or the fault in the bytes.
pub fn decode<'m, H: Handler<'m>>(plan: &Plan, bytes: &'m [u8], at: usize, depth: u32, handler: &mut H) -> Result<(), Box<Halt<H::Error>>> {
    let mut at = at;
    while at < bytes.len() {
        at = root(plan, bytes, at, depth, handler)?;
    }
    Ok(())
}

/// Decodes one entry of a body at `at`. Returns its end.
///
/// # Errors
/// As [`decode`].
pub fn root<'m, H: Handler<'m>>(plan: &Plan, bytes: &'m [u8], at: usize, depth: u32, handler: &mut H) -> Outcome<usize, H::Error> {
    let Ok((tag, end)) = wire::id(bytes, at) else { return Err(no_root(plan, bytes, at)) };
    let Some(op) = plan.root_op(tag) else { return Err(no_root(plan, bytes, at)) };
    let mut reading = Reading { plan, bytes, depth: depth.min(MAX_DEPTH), handler, message: PhantomData };
    let value = match reading.ask(|handler| handler.root(tag, Extent { start: at, end }))? {
        Next::Enter => reading.other(op, ROOT, end),
        _ => reading.skip(op, end),
    };
    value.map_err(|halt| below(halt, PathStep::Name(plan.tag_name(tag).to_string())))
}

/// Decodes one value of the tag at `at`, without the tag's id before it. Returns its end.
///
/// # Errors
/// As [`decode`].
pub fn value<'m, H: Handler<'m>>(
    plan: &Plan,
    tag: u32,
    bytes: &'m [u8],
    at: usize,
    depth: u32,
    handler: &mut H,
) -> Result<usize, Box<Halt<H::Error>>> {
    let mut reading = Reading { plan, bytes, depth: depth.min(MAX_DEPTH), handler, message: PhantomData };
    match plan.tag_op(tag) {
        Some(op) => reading.other(op, ROOT, at),
        None => Err(Box::new(Halt::Bad(DecodeError::new(Problem::RootUnknown, plan.wire(), at)))),
    }
}

#[cold]
fn no_root<E>(plan: &Plan, bytes: &[u8], at: usize) -> Box<Halt<E>> {
    let failure = tag(plan, bytes, at).err();
    Box::new(Halt::Bad(failure.unwrap_or_else(|| DecodeError::new(Problem::RootUnknown, plan.wire(), at))))
}

/// Returns the tag of an entry, which is a root, and the start of its value.
#[inline]
pub(crate) fn tag(plan: &Plan, bytes: &[u8], at: usize) -> Result<(u32, usize), DecodeError> {
    let revision = plan.wire();
    let (tag, end) = wire::id(bytes, at).map_err(|problem| failure(problem, revision, at, bytes))?;
    match plan.dictionary().tag(tag) {
        Some(found) if found.root => Ok((tag, end)),
        Some(found) => {
            Err(DecodeError::new(Problem::NotRoot, revision, at).seen(format!("the tag {tag}, `{}`, which is no root", found.name)))
        }
        None => {
            Err(DecodeError::new(Problem::RootUnknown, revision, at).seen(format!("the tag {tag}, which the dictionary does not have")))
        }
    }
}

/// Missing bytes are reported at the end.
#[cold]
pub(crate) fn failure(problem: Problem, revision: Revision, at: usize, bytes: &[u8]) -> DecodeError {
    DecodeError::new(problem, revision, if problem == Problem::End { bytes.len() } else { at })
}

#[cold]
fn below<E>(mut halt: Box<Halt<E>>, step: PathStep) -> Box<Halt<E>> {
    if let Halt::Bad(failure) = *halt {
        halt = Box::new(Halt::Bad(failure.below(step)));
    }
    halt
}

#[cold]
fn refused<E>(error: E) -> Box<Halt<E>> {
    Box::new(Halt::Handler(error))
}

/// Handler that does nothing, for values that are skipped.
pub(crate) struct Silent;

impl<'m> Handler<'m> for Silent {
    type Error = Infallible;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar(&mut self, _: u32, _: Scalar<'m>, _: Extent) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Reading<'p, 'm, 'h, H> {
    plan: &'p Plan,
    bytes: &'m [u8],
    /// Number of containers that may still be entered.
    depth: u32,
    handler: &'h mut H,
    message: PhantomData<&'m [u8]>,
}

impl<'m, H: Handler<'m>> Reading<'_, 'm, '_, H> {
    #[cold]
    fn bad(&self, problem: Problem, at: usize) -> Box<Halt<H::Error>> {
        Box::new(Halt::Bad(failure(problem, self.plan.wire(), at, self.bytes)))
    }

    // Decoding recurses. Without optimisation, a function with others inlined would hold all their
    // locals on the stack.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ask(&mut self, call: impl FnOnce(&mut H) -> Result<Next, H::Error>) -> Outcome<Next, H::Error> {
        match call(self.handler) {
            Ok(Next::Stop) => Err(Box::new(Halt::Stop)),
            Ok(next) => Ok(next),
            Err(error) => Err(refused(error)),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call(&mut self, call: impl FnOnce(&mut H) -> Result<(), H::Error>) -> Outcome<(), H::Error> {
        call(self.handler).map_err(refused)
    }

    fn skip(&mut self, op: Op, at: usize) -> Outcome<usize, H::Error> {
        let mut silent = Reading { plan: self.plan, bytes: self.bytes, depth: self.depth, handler: &mut Silent, message: PhantomData };
        silent.other(op, ROOT, at).map_err(|halt| match *halt {
            Halt::Bad(failure) => Box::new(Halt::Bad(failure)),
            Halt::Stop => Box::new(Halt::Stop),
            Halt::Handler(never) => match never {},
        })
    }

    /// Emits the scalar at `at`. Returns its end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn got(&mut self, read: Wire<(Scalar<'m>, usize)>, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        match read {
            Ok((value, end)) => match self.handler.scalar(slot, value, Extent { start: at, end }) {
                Ok(()) => Ok(end),
                Err(error) => Err(refused(error)),
            },
            Err(problem) => Err(self.bad(problem, at)),
        }
    }

    /// Emits the value at `at`. Returns its end. Each type has its own call of the handler, so
    /// values are passed in registers, and the handler compares only with the types that are
    /// possible.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&mut self, op: Op, slot: u32, bytes: &'m [u8], at: usize) -> Outcome<usize, H::Error> {
        match op {
            Op::Boolean => self.got(wire::boolean(bytes, at).map(|(value, end)| (Scalar::Bool(value), end)), slot, at),
            Op::Int => {
                self.got(wire::array(bytes, at).map(|(chunk, end)| (Scalar::Int(i64::from(i32::from_le_bytes(chunk))), end)), slot, at)
            }
            Op::Long => self.got(wire::array(bytes, at).map(|(chunk, end)| (Scalar::Int(i64::from_le_bytes(chunk)), end)), slot, at),
            Op::Double => self.got(wire::array(bytes, at).map(|(chunk, end)| (Scalar::F64(f64::from_le_bytes(chunk)), end)), slot, at),
            Op::Uvarint => self.got(wire::uvarint(bytes, at).map(|(value, end)| (Scalar::UInt(value), end)), slot, at),
            Op::Text => self.got(text(bytes, at).map(|(text, end)| (Scalar::Text(text), end)), slot, at),
            op => self.other(op, slot, at),
        }
    }

    /// Emits containers, and rarer types.
    fn other(&mut self, op: Op, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        match op {
            Op::Structure(shape) => self.structure(shape, slot, at),
            Op::Array(array) => self.array(array, slot, at),
            Op::Polymorph(polymorph) => self.polymorph(polymorph, slot, at),
            op => self.got(scalar(self.plan, op, self.bytes, at), slot, at),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter(&mut self, at: usize) -> Outcome<(), H::Error> {
        if self.depth == 0 {
            return Err(self.bad(Problem::Limit, at));
        }
        self.depth -= 1;
        Ok(())
    }

    fn structure(&mut self, index: u32, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        let plan = self.plan;
        let shape = &plan.shapes[index as usize];
        if shape.flat {
            return self.row(index, slot, at);
        }
        let presence = at;
        let mut at = at + shape.presence as usize;
        if shape.presence > 0 {
            self.check_presence(shape.nullable, presence)?;
        }
        if self.ask(|handler| handler.structure(slot, index, Extent { start: presence, end: at }))? == Next::Skip {
            return self.skip(Op::Structure(index), presence);
        }
        self.enter(presence)?;
        if shape.nullable == 0 {
            at = self.fields(shape, at)?;
        } else {
            for slot in shape.first..shape.first + shape.len {
                let nullable = plan.slots[slot as usize].nullable;
                if nullable > 0 && !is_present(self.bytes, presence, nullable - 1) {
                    self.call(|handler| handler.null(slot, Extent { start: presence, end: presence }))?;
                    continue;
                }
                at = match self.other(plan.ops[slot as usize], slot, at) {
                    Ok(end) => end,
                    Err(halt) => return Err(below(halt, self.step(slot))),
                };
            }
        }
        self.depth += 1;
        self.call(|handler| handler.end(at))?;
        Ok(at)
    }

    /// Emits the fields of a structure without nullable fields. Returns their end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fields(&mut self, shape: &Shape, at: usize) -> Outcome<usize, H::Error> {
        let (plan, bytes) = (self.plan, self.bytes);
        let mut at = at;
        for (op, slot) in plan.ops[shape.slots()].iter().zip(shape.first..) {
            at = match self.value(*op, slot, bytes, at) {
                Ok(end) => end,
                Err(halt) => return Err(below(halt, self.step(slot))),
            };
        }
        Ok(at)
    }

    /// Checks that all presence bytes are there, and that no unused bit is set.
    fn check_presence(&mut self, nullable: u32, at: usize) -> Outcome<(), H::Error> {
        check_presence(self.bytes, at, nullable).map_err(|problem| self.bad(problem, at))
    }

    fn array(&mut self, array: u32, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        let start = at;
        let (count, mut at) = match count(self.bytes, at) {
            Ok(read) => read,
            Err(problem) => return Err(self.bad(problem, at)),
        };
        if self.ask(|handler| handler.array(slot, count, Extent { start, end: at }))? == Next::Skip {
            return self.skip(Op::Array(array), start);
        }
        self.enter(start)?;
        let element = self.plan.elements[array as usize];
        let at_index = |halt, index| below(halt, PathStep::Index(u64::from(index)));
        if let Op::Structure(shape) = element
            && self.plan.shapes[shape as usize].flat
        {
            for index in 0..count {
                at = self.row(shape, slot | ELEMENT, at).map_err(|halt| at_index(halt, index))?;
            }
        } else {
            for index in 0..count {
                at = self.value(element, slot | ELEMENT, self.bytes, at).map_err(|halt| at_index(halt, index))?;
            }
        }
        self.depth += 1;
        self.call(|handler| handler.end(at))?;
        Ok(at)
    }

    /// Passes a structure of scalars without nullable fields to the handler as a whole.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&mut self, index: u32, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        let plan = self.plan;
        let shape = &plan.shapes[index as usize];
        if self.depth == 0 {
            return Err(self.bad(Problem::Limit, at));
        }
        let mut row = Row::new(plan, shape, self.bytes, at);
        let outcome = self.handler.row(slot, index, &mut row);
        let (left, end) = row.rest();
        match outcome {
            Ok(()) if left == 0 => Ok(end),
            Ok(()) => self.step_over(shape, left, end),
            Err(RowEnd::Unread) => Err(self.unread(shape, at, end)),
            Err(RowEnd::Stop) => Err(Box::new(Halt::Stop)),
            Err(RowEnd::Handler(error)) => Err(refused(error)),
        }
    }

    /// Checks the last `left` fields of a structure at `at`. Returns their end.
    #[inline(never)]
    fn step_over(&mut self, shape: &Shape, left: usize, at: usize) -> Outcome<usize, H::Error> {
        let end = shape.first + shape.len;
        let mut at = at;
        for slot in end - left as u32..end {
            at = self.skip(self.plan.ops[slot as usize], at).map_err(|halt| below(halt, self.step(slot)))?;
        }
        Ok(at)
    }

    /// Returns the reason why the handler could not take a field: the first field that cannot be
    /// read. If all can be read, the field has another type, or there is none.
    #[cold]
    fn unread(&mut self, shape: &Shape, at: usize, last: usize) -> Box<Halt<H::Error>> {
        match self.step_over(shape, shape.len as usize, at) {
            Err(halt) => halt,
            Ok(_) => self.bad(Problem::Conversion, last),
        }
    }

    #[cold]
    fn step(&self, slot: u32) -> PathStep {
        PathStep::Name(self.plan.slot_name(slot).to_string())
    }

    fn polymorph(&mut self, polymorph: u32, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        let (tag, end) = match wire::id(self.bytes, at) {
            Ok(read) => read,
            Err(problem) => return Err(self.bad(problem, at)),
        };
        let members = &self.plan.polymorphs[polymorph as usize];
        let Some(position) = members.iter().position(|member| member.tag == tag) else { return Err(self.bad(Problem::MemberType, at)) };
        let shape = members[position].shape;
        if self.ask(|handler| handler.member(slot, tag, position as u32, Extent { start: at, end }))? == Next::Skip {
            return self.skip(Op::Structure(shape), end);
        }
        self.enter(at)?;
        let end =
            self.structure(shape, slot | ELEMENT, end).map_err(|halt| below(halt, PathStep::Name(self.plan.tag_name(tag).to_string())))?;
        self.depth += 1;
        self.call(|handler| handler.end(end))?;
        Ok(end)
    }
}
