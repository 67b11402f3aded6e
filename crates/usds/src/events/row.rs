//! The fields of a structure of scalars, taken or given one after another by the program: no call per value to a handler, and no look for which field it is.

use std::slice::Iter;

use polywire_core::Next;
use polywire_usds_runtime::output::Output;

use super::handler::Handler;
use super::scalar::{natural, scalar, signed, text};
use super::slot::{Extent, Scalar};
use crate::failure::{Failure, Problem};
use crate::plan::{Op, Plan, Shape};
use crate::wire::{self, FALSE, TRUE, Wire};

/// A field cannot be read, or is not of the type that was asked for. What is wrong is found out when the handler gives this back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread;

/// Why a handler ends before the end of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowEnd<E> {
    /// A field is [`Unread`].
    Unread,
    /// The handler wants no more at all.
    Stop,
    /// The handler says so.
    Handler(E),
}

impl<E> From<Unread> for RowEnd<E> {
    fn from(_: Unread) -> Self {
        RowEnd::Unread
    }
}

/// A structure of scalars of which none may be null, and where in the bytes its next field is. Fields come in the order of their ids; those that are not taken are stepped over.
#[derive(Debug)]
pub struct Row<'p, 'm> {
    plan: &'p Plan,
    ops: Iter<'p, Op>,
    /// The slot behind that of the last field.
    end: u32,
    bytes: &'m [u8],
    start: usize,
    at: usize,
}

impl<'p, 'm> Row<'p, 'm> {
    #[inline(always)]
    pub(super) fn new(plan: &'p Plan, shape: &Shape, bytes: &'m [u8], at: usize) -> Row<'p, 'm> {
        Row { plan, ops: plan.ops[shape.slots()].iter(), end: shape.first + shape.len, bytes, start: at, at }
    }

    /// Where the fields that are left start.
    #[inline(always)]
    pub(super) fn rest(&self) -> (usize, usize) {
        (self.ops.len(), self.at)
    }

    /// Number of fields that are left.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether all fields were taken.
    pub fn is_empty(&self) -> bool {
        self.ops.len() == 0
    }

    #[inline(always)]
    fn next(&mut self) -> Result<Op, Unread> {
        self.ops.next().copied().ok_or(Unread)
    }

    #[inline(always)]
    fn take<T>(&mut self, read: Wire<(T, usize)>) -> Result<T, Unread> {
        match read {
            Ok((value, end)) => {
                self.at = end;
                Ok(value)
            }
            Err(_) => Err(Unread),
        }
    }

    /// The next field, a BOOLEAN.
    ///
    /// # Errors
    /// It is none, or cannot be read; so with all others.
    #[inline(always)]
    pub fn bool(&mut self) -> Result<bool, Unread> {
        match self.next()? {
            Op::Boolean => self.take(wire::boolean(self.bytes, self.at)),
            _ => Err(Unread),
        }
    }

    /// The next field, of a signed type of integers.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn int(&mut self) -> Result<i64, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        match self.next()? {
            Op::Long => self.take(wire::array(bytes, at).map(|(chunk, end)| (i64::from_le_bytes(chunk), end))),
            Op::Int => self.take(wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)), end))),
            op => self.take(signed(op, bytes, at)),
        }
    }

    /// The next field, of an unsigned type of integers.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn uint(&mut self) -> Result<u64, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        match self.next()? {
            Op::Uvarint => self.take(wire::uvarint(bytes, at)),
            op => self.take(natural(op, bytes, at)),
        }
    }

    /// The next field, a FLOAT.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f32(&mut self) -> Result<f32, Unread> {
        match self.next()? {
            Op::Float => self.take(wire::array(self.bytes, self.at).map(|(chunk, end)| (f32::from_le_bytes(chunk), end))),
            _ => Err(Unread),
        }
    }

    /// The next field, a DOUBLE.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f64(&mut self) -> Result<f64, Unread> {
        match self.next()? {
            Op::Double => self.take(wire::array(self.bytes, self.at).map(|(chunk, end)| (f64::from_le_bytes(chunk), end))),
            _ => Err(Unread),
        }
    }

    /// The next field, text declared to be UTF-8.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn text(&mut self) -> Result<&'m str, Unread> {
        match self.next()? {
            Op::Text => self.take(text(self.bytes, self.at)),
            _ => Err(Unread),
        }
    }

    /// The next field, the bytes of text, in whatever encoding.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn octets(&mut self) -> Result<&'m [u8], Unread> {
        match self.next()? {
            Op::Octets => self.take(wire::sized(self.bytes, self.at).map(|(start, end)| (&self.bytes[start..end], end))),
            Op::Text => self.take(text(self.bytes, self.at).map(|(text, end)| (text.as_bytes(), end))),
            _ => Err(Unread),
        }
    }

    /// The next field, of whatever type.
    ///
    /// # Errors
    /// It cannot be read.
    #[inline(always)]
    pub fn scalar(&mut self) -> Result<Scalar<'m>, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        let op = self.next()?;
        self.take(scalar(self.plan, op, bytes, at))
    }

    /// Tells a handler all that is left, as if it were no row: the structure, its fields, and its end.
    ///
    /// # Errors
    /// What the handler says; a field that cannot be read.
    #[inline(always)]
    pub fn tell<H: Handler<'m>>(&mut self, slot: u32, shape: u32, handler: &mut H) -> Result<(), RowEnd<H::Error>> {
        let (plan, bytes) = (self.plan, self.bytes);
        match handler.structure(slot, shape, Extent { start: self.start, end: self.start }).map_err(RowEnd::Handler)? {
            Next::Enter => {}
            Next::Skip => return Ok(()),
            Next::Stop => return Err(RowEnd::Stop),
        }
        let slot = self.end - self.ops.len() as u32;
        let mut at = self.at;
        for (op, slot) in self.ops.by_ref().zip(slot..) {
            // Each type has a call of its own: so the handler only looks at fields that may be of it.
            macro_rules! told {
                ($read:expr, $scalar:expr) => {{
                    let (value, end) = $read.map_err(|_| RowEnd::Unread)?;
                    handler.scalar(slot, $scalar(value), Extent { start: at, end }).map_err(RowEnd::Handler)?;
                    at = end;
                }};
            }
            match *op {
                Op::Boolean => told!(wire::boolean(bytes, at), Scalar::Bool),
                Op::Int => told!(wire::array(bytes, at), |chunk| Scalar::Int(i64::from(i32::from_le_bytes(chunk)))),
                Op::Long => told!(wire::array(bytes, at), |chunk| Scalar::Int(i64::from_le_bytes(chunk))),
                Op::Double => told!(wire::array(bytes, at), |chunk| Scalar::F64(f64::from_le_bytes(chunk))),
                Op::Uvarint => told!(wire::uvarint(bytes, at), Scalar::UInt),
                Op::Text => told!(text(bytes, at), Scalar::Text),
                op => told!(scalar(plan, op, bytes, at), |scalar| scalar),
            }
        }
        self.at = at;
        handler.end(at).map_err(RowEnd::Handler)
    }
}

/// Scalars that are written, in the order of the ids of their fields.
#[derive(Debug)]
pub struct RowOut<'p, 'o> {
    plan: &'p Plan,
    ops: Iter<'p, Op>,
    out: Output<'o>,
}

impl<'p, 'o> RowOut<'p, 'o> {
    #[inline(always)]
    pub(super) fn new(plan: &'p Plan, ops: &'p [Op], out: &'o mut Vec<u8>) -> RowOut<'p, 'o> {
        RowOut { plan, ops: ops.iter(), out: Output::new(out) }
    }

    /// Goes on to the next structure of the same fields.
    #[inline(always)]
    pub(super) fn again(&mut self, ops: &'p [Op]) {
        self.ops = ops.iter();
    }

    /// Number of fields that are left.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.ops.len()
    }

    /// Fields that are left.
    #[inline(always)]
    pub(super) fn rest(&self) -> Iter<'p, Op> {
        self.ops.clone()
    }

    /// The next field, a BOOLEAN.
    ///
    /// # Errors
    /// It is none; so with all others.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Boolean) => self.out.put([if value { TRUE } else { FALSE }]),
            op => return Err(misfit(self.plan, op.copied(), "a truth value")),
        }
        Ok(())
    }

    /// The next field, of whichever type of integers.
    ///
    /// # Errors
    /// The value does not fit.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Long) => self.out.put(value.to_le_bytes()),
            Some(Op::Int) if i32::try_from(value).is_ok() => self.out.put((value as i32).to_le_bytes()),
            op => {
                let (bytes, len) = whole(self.plan, op.copied(), i128::from(value))?;
                self.out.bytes(&bytes[..len]);
            }
        }
        Ok(())
    }

    /// The next field, of whichever type of integers.
    ///
    /// # Errors
    /// The value does not fit.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Uvarint) => self.out.uvarint(value),
            op => {
                let (bytes, len) = whole(self.plan, op.copied(), i128::from(value))?;
                self.out.bytes(&bytes[..len]);
            }
        }
        Ok(())
    }

    /// The next field, a FLOAT.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f32(&mut self, value: f32) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Float) => self.out.put(value.to_le_bytes()),
            op => return Err(misfit(self.plan, op.copied(), "a float")),
        }
        Ok(())
    }

    /// The next field, a DOUBLE.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Double) => self.out.put(value.to_le_bytes()),
            op => return Err(misfit(self.plan, op.copied(), "a double")),
        }
        Ok(())
    }

    /// The next field, text.
    ///
    /// # Errors
    /// It is none, or the text is longer than 32 bits can tell.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Text | Op::Octets) => self.sized(value.as_bytes()),
            op => Err(misfit(self.plan, op.copied(), "text")),
        }
    }

    /// The next field, text in no declared encoding.
    ///
    /// # Errors
    /// It is none, or bytes that are no UTF-8 where that is declared.
    #[inline(always)]
    pub fn octets(&mut self, value: &[u8]) -> Result<(), Failure> {
        match self.ops.next() {
            Some(Op::Octets) => self.sized(value),
            Some(Op::Text) if wire::utf8(value).is_some() => self.sized(value),
            Some(Op::Text) => Err(Failure::new(Problem::Text, self.plan.wire(), 0)),
            op => Err(misfit(self.plan, op.copied(), "text")),
        }
    }

    #[inline(always)]
    fn sized(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.len() > u32::MAX as usize {
            return Err(Failure::new(Problem::Overflow, self.plan.wire(), 0));
        }
        self.out.octets(bytes);
        Ok(())
    }
}

/// A value where another, or none, comes next.
#[cold]
pub(super) fn misfit(plan: &Plan, op: Option<Op>, given: &str) -> Failure {
    let expected = op.map_or("a root", Op::name);
    Failure::new(Problem::Conversion, plan.wire(), 0).seen(format!("{given} where {expected} comes next"))
}

/// The bytes of a whole number of any type.
#[inline(never)]
fn whole(plan: &Plan, op: Option<Op>, value: i128) -> Result<([u8; 10], usize), Failure> {
    let simple = match op {
        Some(Op::Enumeration(index)) => {
            let members = &plan.enumerations[index as usize];
            if i64::try_from(value).ok().and_then(|number| members.position(number)).is_none() {
                return Err(Failure::new(Problem::NoEnumerator, plan.wire(), 0));
            }
            members.subtype
        }
        op => op.and_then(Op::whole).ok_or_else(|| misfit(plan, op, "a whole number"))?,
    };
    wire::whole(simple, value).map_err(|problem| Failure::new(problem, plan.wire(), 0))
}
