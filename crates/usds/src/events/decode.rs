//! A body to calls (sections 4 and 5.5).

use std::convert::Infallible;
use std::marker::PhantomData;

use polywire_core::event::Next;
use polywire_core::path::Step;

use super::{ELEMENT, Extent, Handler, MAX_DEPTH, ROOT, Scalar};
use crate::failure::{Failure, Problem, Revision};
use crate::plan::{Op, Plan};
use crate::wire::codes::Simple;
use crate::wire::{self, Wire};

/// Why decoding ended before the end of the body.
#[derive(Debug)]
pub enum Halt<E> {
    /// The handler wants no more.
    Stop,
    /// The handler says so.
    Handler(E),
    /// The bytes are refused.
    Bad(Failure),
}

/// One word where it succeeds.
type Outcome<T, E> = Result<T, Box<Halt<E>>>;

/// Decodes entries of a body: from `at`, behind the signature or an earlier entry, to the end of `bytes`. Containers within each other are limited to `depth`, and to [`MAX_DEPTH`].
///
/// # Errors
/// What the handler says, or what is wrong with the bytes.
pub fn decode<'m, H: Handler<'m>>(plan: &Plan, bytes: &'m [u8], at: usize, depth: u32, handler: &mut H) -> Result<(), Box<Halt<H::Error>>> {
    let mut at = at;
    while at < bytes.len() {
        at = root(plan, bytes, at, depth, handler)?;
    }
    Ok(())
}

/// Decodes one entry of a body at `at`; where it ends.
///
/// # Errors
/// As [`decode`].
pub fn root<'m, H: Handler<'m>>(plan: &Plan, bytes: &'m [u8], at: usize, depth: u32, handler: &mut H) -> Outcome<usize, H::Error> {
    let (tag, end) = tag(plan, bytes, at).map_err(|failure| Box::new(Halt::Bad(failure)))?;
    let mut reading = Reading { plan, bytes, depth: depth.min(MAX_DEPTH), handler, message: PhantomData };
    let op = plan.tag_op(tag).unwrap_or(Op::Octets);
    let value = match reading.ask(|handler| handler.root(tag, Extent { start: at, end }))? {
        Next::Enter => reading.value(op, ROOT, end),
        _ => reading.skip(op, end),
    };
    value.map_err(|halt| below(halt, Step::Name(plan.tag_name(tag).to_string())))
}

/// Decodes one value of the tag at `at`, without the tag's id in front; where it ends.
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
        Some(op) => reading.value(op, ROOT, at),
        None => Err(Box::new(Halt::Bad(Failure::new(Problem::RootUnknown, plan.wire(), at)))),
    }
}

/// The tag of an entry, which is a root, and where its value starts.
#[inline]
pub(crate) fn tag(plan: &Plan, bytes: &[u8], at: usize) -> Result<(u32, usize), Failure> {
    let revision = plan.wire();
    let (tag, end) = wire::id(bytes, at).map_err(|problem| failure(problem, revision, at, bytes))?;
    match plan.dictionary().tag(tag) {
        Some(found) if found.root => Ok((tag, end)),
        Some(found) => Err(Failure::new(Problem::NotRoot, revision, at).seen(format!("the tag {tag}, `{}`, which is no root", found.name))),
        None => Err(Failure::new(Problem::RootUnknown, revision, at).seen(format!("the tag {tag}, which the dictionary does not have"))),
    }
}

/// Missing bytes are missing at the end.
#[cold]
pub(crate) fn failure(problem: Problem, revision: Revision, at: usize, bytes: &[u8]) -> Failure {
    Failure::new(problem, revision, if problem == Problem::End { bytes.len() } else { at })
}

#[cold]
fn below<E>(mut halt: Box<Halt<E>>, step: Step) -> Box<Halt<E>> {
    if let Halt::Bad(failure) = *halt {
        halt = Box::new(Halt::Bad(failure.below(step)));
    }
    halt
}

/// Is told, and does nothing: for values that are stepped over.
pub(crate) struct Silent;

impl<'m> Handler<'m> for Silent {
    type Error = Infallible;

    #[inline(always)]
    fn scalar(&mut self, _: u32, _: Scalar<'m>, _: Extent) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Reading<'p, 'm, 'h, H> {
    plan: &'p Plan,
    bytes: &'m [u8],
    /// Containers that may still be entered.
    depth: u32,
    handler: &'h mut H,
    message: PhantomData<&'m [u8]>,
}

impl<'m, H: Handler<'m>> Reading<'_, 'm, '_, H> {
    #[cold]
    fn bad(&self, problem: Problem, at: usize) -> Box<Halt<H::Error>> {
        Box::new(Halt::Bad(failure(problem, self.plan.wire(), at, self.bytes)))
    }

    #[inline(always)]
    fn ask(&mut self, call: impl FnOnce(&mut H) -> Result<Next, H::Error>) -> Outcome<Next, H::Error> {
        match call(self.handler) {
            Ok(Next::Stop) => Err(Box::new(Halt::Stop)),
            Ok(next) => Ok(next),
            Err(error) => Err(Box::new(Halt::Handler(error))),
        }
    }

    #[inline(always)]
    fn tell(&mut self, call: impl FnOnce(&mut H) -> Result<(), H::Error>) -> Outcome<(), H::Error> {
        call(self.handler).map_err(|error| Box::new(Halt::Handler(error)))
    }

    fn skip(&mut self, op: Op, at: usize) -> Outcome<usize, H::Error> {
        let mut silent = Reading { plan: self.plan, bytes: self.bytes, depth: self.depth, handler: &mut Silent, message: PhantomData };
        silent.value(op, ROOT, at).map_err(|halt| match *halt {
            Halt::Bad(failure) => Box::new(Halt::Bad(failure)),
            Halt::Stop => Box::new(Halt::Stop),
            Halt::Handler(never) => match never {},
        })
    }

    #[inline(always)]
    fn got(&mut self, read: Wire<(Scalar<'m>, usize)>, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        match read {
            Ok((value, end)) => {
                self.tell(|handler| handler.scalar(slot, value, Extent { start: at, end }))?;
                Ok(end)
            }
            Err(problem) => Err(self.bad(problem, at)),
        }
    }

    /// Tells the value at `at`; where it ends.
    #[inline(always)]
    fn value(&mut self, op: Op, slot: u32, at: usize) -> Outcome<usize, H::Error> {
        let bytes = self.bytes;
        let read = match op {
            Op::Boolean => wire::boolean(bytes, at).map(|(value, end)| (Scalar::Bool(value), end)),
            Op::Int => wire::array(bytes, at).map(|(chunk, end)| (Scalar::Int(i64::from(i32::from_le_bytes(chunk))), end)),
            Op::Long => wire::array(bytes, at).map(|(chunk, end)| (Scalar::Int(i64::from_le_bytes(chunk)), end)),
            Op::Double => wire::array(bytes, at).map(|(chunk, end)| (Scalar::F64(f64::from_le_bytes(chunk)), end)),
            Op::Uvarint => wire::uvarint(bytes, at).map(|(value, end)| (Scalar::UInt(value), end)),
            Op::Text => wire::sized(bytes, at).and_then(|(start, end)| match wire::utf8(&bytes[start..end]) {
                Some(text) => Ok((Scalar::Text(text), end)),
                None => Err(Problem::Text),
            }),
            Op::Octets => wire::sized(bytes, at).map(|(start, end)| (Scalar::Octets(&bytes[start..end]), end)),
            Op::Structure(shape) => return self.structure(shape, slot, at),
            Op::Array(array) => return self.array(array, slot, at),
            Op::Polymorph(polymorph) => return self.polymorph(polymorph, slot, at),
            _ => self.rare(op, at),
        };
        self.got(read, slot, at)
    }

    /// Types that only the profile has.
    fn rare(&mut self, op: Op, at: usize) -> Wire<(Scalar<'m>, usize)> {
        let bytes = self.bytes;
        Ok(match op {
            Op::Float => wire::array(bytes, at).map(|(chunk, end)| (Scalar::F32(f32::from_le_bytes(chunk)), end))?,
            Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong => {
                let (value, end) = unsigned(op, bytes, at)?;
                (Scalar::UInt(value), end)
            }
            Op::Enumeration(index) => {
                let members = &self.plan.enumerations[index as usize];
                let (number, end) = whole(members.subtype, bytes, at)?;
                let position = members.position(number).ok_or(Problem::NoEnumerator)?;
                (Scalar::Enumerator { enumeration: index, position, number }, end)
            }
            op => {
                let (value, end) = whole(op.whole().unwrap_or(Simple::Varint), bytes, at)?;
                (Scalar::Int(value), end)
            }
        })
    }

    #[inline(always)]
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
            for (op, slot) in plan.ops[shape.slots()].iter().zip(shape.first..) {
                at = match self.value(*op, slot, at) {
                    Ok(end) => end,
                    Err(halt) => return Err(below(halt, Step::Name(plan.slots[slot as usize].name.to_string()))),
                };
            }
        } else {
            for slot in shape.first..shape.first + shape.len {
                let nullable = plan.slots[slot as usize].nullable;
                if nullable > 0 && !is_present(self.bytes, presence, nullable - 1) {
                    self.tell(|handler| handler.null(slot, Extent { start: presence, end: presence }))?;
                    continue;
                }
                at = match self.value(plan.ops[slot as usize], slot, at) {
                    Ok(end) => end,
                    Err(halt) => return Err(below(halt, Step::Name(plan.slots[slot as usize].name.to_string()))),
                };
            }
        }
        self.depth += 1;
        self.tell(|handler| handler.end(at))?;
        Ok(at)
    }

    /// All presence bytes are there, and no bit is set that stands for no field.
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
        for index in 0..count {
            at = match self.value(element, slot | ELEMENT, at) {
                Ok(end) => end,
                Err(halt) => return Err(below(halt, Step::Index(u64::from(index)))),
            };
        }
        self.depth += 1;
        self.tell(|handler| handler.end(at))?;
        Ok(at)
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
            self.structure(shape, slot | ELEMENT, end).map_err(|halt| below(halt, Step::Name(self.plan.tag_name(tag).to_string())))?;
        self.depth += 1;
        self.tell(|handler| handler.end(end))?;
        Ok(end)
    }
}

/// The count of an array, and where its elements start. Every element takes a byte at least.
#[inline(always)]
pub(crate) fn count(bytes: &[u8], at: usize) -> Wire<(u32, usize)> {
    let (count, start) = wire::size(bytes, at)?;
    if count as usize > bytes.len() - start { Err(Problem::End) } else { Ok((count, start)) }
}

/// Whether the field of that position among those that may be null is there.
#[inline]
pub(crate) fn is_present(bytes: &[u8], presence: usize, position: u32) -> bool {
    bytes.get(presence + position as usize / 8).is_some_and(|byte| byte >> (position % 8) & 1 == 1)
}

pub(crate) fn check_presence(bytes: &[u8], at: usize, nullable: u32) -> Wire<()> {
    let last = bytes.get(at + nullable.div_ceil(8) as usize - 1).ok_or(Problem::End)?;
    let used = (nullable - 1) % 8 + 1;
    if u16::from(*last) >> used == 0 { Ok(()) } else { Err(Problem::Padded) }
}

#[inline]
fn unsigned(op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    Ok(match op {
        Op::Ubyte => wire::array(bytes, at).map(|([byte], end)| (u64::from(byte), end))?,
        Op::Ushort => wire::array(bytes, at).map(|(chunk, end)| (u64::from(u16::from_le_bytes(chunk)), end))?,
        Op::Uint => wire::array(bytes, at).map(|(chunk, end)| (u64::from(u32::from_le_bytes(chunk)), end))?,
        _ => wire::array(bytes, at).map(|(chunk, end)| (u64::from_le_bytes(chunk), end))?,
    })
}

/// A number of a signed type, or of one that an enumeration may have.
#[inline]
fn whole(simple: Simple, bytes: &[u8], at: usize) -> Wire<(i64, usize)> {
    Ok(match simple {
        Simple::Byte => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i8::from_le_bytes(chunk)), end))?,
        Simple::Ubyte => wire::array(bytes, at).map(|([byte], end)| (i64::from(byte), end))?,
        Simple::Short => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i16::from_le_bytes(chunk)), end))?,
        Simple::Ushort => wire::array(bytes, at).map(|(chunk, end)| (i64::from(u16::from_le_bytes(chunk)), end))?,
        Simple::Int => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)), end))?,
        Simple::Uint => wire::array(bytes, at).map(|(chunk, end)| (i64::from(u32::from_le_bytes(chunk)), end))?,
        Simple::Varint => wire::varint(bytes, at)?,
        _ => wire::array(bytes, at).map(|(chunk, end)| (i64::from_le_bytes(chunk), end))?,
    })
}

/// A scalar that takes one word: the bits of a number, or where text starts and how long it is.
#[inline(always)]
pub(crate) fn word(plan: &Plan, op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    Ok(match op {
        Op::Boolean => wire::boolean(bytes, at).map(|(value, end)| (u64::from(value), end))?,
        Op::Int => wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)) as u64, end))?,
        Op::Long | Op::Double | Op::Ulong => wire::array(bytes, at).map(|(chunk, end)| (u64::from_le_bytes(chunk), end))?,
        Op::Uvarint => wire::uvarint(bytes, at)?,
        Op::Text => {
            let (start, end) = wire::sized(bytes, at)?;
            wire::utf8(&bytes[start..end]).ok_or(Problem::Text)?;
            (start as u64 | ((end - start) as u64) << 32, end)
        }
        Op::Octets => {
            let (start, end) = wire::sized(bytes, at)?;
            (start as u64 | ((end - start) as u64) << 32, end)
        }
        op => rare_word(plan, op, bytes, at)?,
    })
}

fn rare_word(plan: &Plan, op: Op, bytes: &[u8], at: usize) -> Wire<(u64, usize)> {
    match op {
        Op::Ubyte | Op::Ushort | Op::Uint => unsigned(op, bytes, at),
        Op::Float => unsigned(Op::Uint, bytes, at),
        Op::Enumeration(index) => {
            let members = &plan.enumerations[index as usize];
            let (number, end) = whole(members.subtype, bytes, at)?;
            members.position(number).map(|position| (u64::from(position), end)).ok_or(Problem::NoEnumerator)
        }
        op => whole(op.whole().unwrap_or(Simple::Varint), bytes, at).map(|(value, end)| (value as u64, end)),
    }
}
