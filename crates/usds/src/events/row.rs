//! Fields of a structure of scalars, taken or given one by one: without a handler call per value,
//! and without a lookup of fields.

use std::slice::Iter;

use polywire_core::Next;
use polywire_usds_runtime::output::Output;

use super::handler::Handler;
use super::scalar::{natural, scalar, signed, text};
use super::slot::{Extent, Scalar};
use crate::error::{DecodeError, Problem};
use crate::plan::{Op, Plan, Shape};
use crate::wire::{self, FALSE, TRUE, Wire};

/// A field cannot be read, or is not of the requested type. The decoder finds the reason when the
/// handler returns this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread;

/// Reason why a handler ends before the end of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowEnd<E> {
    /// A field is [`Unread`].
    Unread,
    /// The handler stopped.
    Stop,
    /// The handler failed.
    Handler(E),
}

impl<E> From<Unread> for RowEnd<E> {
    fn from(_: Unread) -> Self {
        RowEnd::Unread
    }
}

/// A structure of scalars without nullable fields, and the offset of its next field. Fields come in
/// the order of their ids; those that are not taken are skipped.
#[derive(Debug)]
pub struct Row<'p, 'm> {
    plan: &'p Plan,
    ops: Iter<'p, Op>,
    /// Slot after that of the last field.
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

    /// Returns the number of remaining fields, and their start.
    #[inline(always)]
    pub(super) fn rest(&self) -> (usize, usize) {
        (self.ops.len(), self.at)
    }

    /// Returns the number of remaining fields.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Returns whether all fields were taken.
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

    /// Takes the next field, a BOOLEAN.
    ///
    /// # Errors
    /// The field has another type, or cannot be read; likewise in all other calls.
    #[inline(always)]
    pub fn bool(&mut self) -> Result<bool, Unread> {
        match self.next()? {
            Op::Boolean => self.take(wire::boolean(self.bytes, self.at)),
            _ => Err(Unread),
        }
    }

    /// Takes the next field, of a signed integer type.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn int(&mut self) -> Result<i64, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        match self.next()? {
            Op::Long => self.take(wire::array(bytes, at).map(|(chunk, end)| (i64::from_le_bytes(chunk), end))),
            Op::Int => self.take(wire::array(bytes, at).map(|(chunk, end)| (i64::from(i32::from_le_bytes(chunk)), end))),
            op => self.take(signed(op, bytes, at)),
        }
    }

    /// Takes the next field, of an unsigned integer type.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn uint(&mut self) -> Result<u64, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        match self.next()? {
            Op::Uvarint => self.take(wire::uvarint(bytes, at)),
            op => self.take(natural(op, bytes, at)),
        }
    }

    /// Takes the next field, a FLOAT.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f32(&mut self) -> Result<f32, Unread> {
        match self.next()? {
            Op::Float => self.take(wire::array(self.bytes, self.at).map(|(chunk, end)| (f32::from_le_bytes(chunk), end))),
            _ => Err(Unread),
        }
    }

    /// Takes the next field, a DOUBLE.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f64(&mut self) -> Result<f64, Unread> {
        match self.next()? {
            Op::Double => self.take(wire::array(self.bytes, self.at).map(|(chunk, end)| (f64::from_le_bytes(chunk), end))),
            _ => Err(Unread),
        }
    }

    /// Takes the next field, text declared to be UTF-8.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn text(&mut self) -> Result<&'m str, Unread> {
        match self.next()? {
            Op::Text => self.take(text(self.bytes, self.at)),
            _ => Err(Unread),
        }
    }

    /// Takes the next field, the bytes of text in any encoding.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn octets(&mut self) -> Result<&'m [u8], Unread> {
        match self.next()? {
            Op::Octets => self.take(wire::sized(self.bytes, self.at).map(|(start, end)| (&self.bytes[start..end], end))),
            Op::Text => self.take(text(self.bytes, self.at).map(|(text, end)| (text.as_bytes(), end))),
            _ => Err(Unread),
        }
    }

    /// Takes the next field, of any type.
    ///
    /// # Errors
    /// The field cannot be read.
    #[inline(always)]
    pub fn scalar(&mut self) -> Result<Scalar<'m>, Unread> {
        let (bytes, at) = (self.bytes, self.at);
        let op = self.next()?;
        self.take(scalar(self.plan, op, bytes, at))
    }

    /// Emits the remaining fields as those of any other structure: its start, its fields, and its
    /// end.
    ///
    /// # Errors
    /// The handler's error, or a field that cannot be read.
    #[inline(always)]
    pub fn emit<H: Handler<'m>>(&mut self, slot: u32, shape: u32, handler: &mut H) -> Result<(), RowEnd<H::Error>> {
        let (plan, bytes) = (self.plan, self.bytes);
        match handler.structure(slot, shape, Extent { start: self.start, end: self.start }).map_err(RowEnd::Handler)? {
            Next::Enter => {}
            Next::Skip => return Ok(()),
            Next::Stop => return Err(RowEnd::Stop),
        }
        let slot = self.end - self.ops.len() as u32;
        let mut at = self.at;
        for (op, slot) in self.ops.by_ref().zip(slot..) {
            // Each type has a call of its own, so that the handler compares only with fields of
            // that type.
            macro_rules! emit {
                ($read:expr, $scalar:expr) => {{
                    let (value, end) = $read.map_err(|_| RowEnd::Unread)?;
                    handler.scalar(slot, $scalar(value), Extent { start: at, end }).map_err(RowEnd::Handler)?;
                    at = end;
                }};
            }
            match *op {
                Op::Boolean => emit!(wire::boolean(bytes, at), Scalar::Bool),
                Op::Int => emit!(wire::array(bytes, at), |chunk| Scalar::Int(i64::from(i32::from_le_bytes(chunk)))),
                Op::Long => emit!(wire::array(bytes, at), |chunk| Scalar::Int(i64::from_le_bytes(chunk))),
                Op::Double => emit!(wire::array(bytes, at), |chunk| Scalar::F64(f64::from_le_bytes(chunk))),
                Op::Uvarint => emit!(wire::uvarint(bytes, at), Scalar::UInt),
                Op::Text => emit!(text(bytes, at), Scalar::Text),
                op => emit!(scalar(plan, op, bytes, at), |scalar| scalar),
            }
        }
        self.at = at;
        handler.end(at).map_err(RowEnd::Handler)
    }
}

/// Scalars to write, in the order of the ids of their fields.
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

    /// Starts the next structure with the same fields.
    #[inline(always)]
    pub(super) fn again(&mut self, ops: &'p [Op]) {
        self.ops = ops.iter();
    }

    /// Returns the number of remaining fields.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.ops.len()
    }

    /// Returns the remaining fields.
    #[inline(always)]
    pub(super) fn rest(&self) -> Iter<'p, Op> {
        self.ops.clone()
    }

    /// Writes the next field, a BOOLEAN.
    ///
    /// # Errors
    /// The field has another type; likewise in all other calls.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Boolean) => self.out.put([if value { TRUE } else { FALSE }]),
            op => return Err(misfit(self.plan, op.copied(), "a truth value")),
        }
        Ok(())
    }

    /// Writes the next field, of any integer type.
    ///
    /// # Errors
    /// The value is out of range.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), DecodeError> {
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

    /// Writes the next field, of any integer type.
    ///
    /// # Errors
    /// The value is out of range.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Uvarint) => self.out.uvarint(value),
            op => {
                let (bytes, len) = whole(self.plan, op.copied(), i128::from(value))?;
                self.out.bytes(&bytes[..len]);
            }
        }
        Ok(())
    }

    /// Writes the next field, a FLOAT.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f32(&mut self, value: f32) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Float) => self.out.put(value.to_le_bytes()),
            op => return Err(misfit(self.plan, op.copied(), "a float")),
        }
        Ok(())
    }

    /// Writes the next field, a DOUBLE.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Double) => self.out.put(value.to_le_bytes()),
            op => return Err(misfit(self.plan, op.copied(), "a double")),
        }
        Ok(())
    }

    /// Writes the next field, text.
    ///
    /// # Errors
    /// The field has another type, or the length does not fit into 32 bits.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Text | Op::Octets) => self.sized(value.as_bytes()),
            op => Err(misfit(self.plan, op.copied(), "text")),
        }
    }

    /// Writes the next field, text of undeclared encoding.
    ///
    /// # Errors
    /// The field has another type, or the bytes are not UTF-8 where that is declared.
    #[inline(always)]
    pub fn octets(&mut self, value: &[u8]) -> Result<(), DecodeError> {
        match self.ops.next() {
            Some(Op::Octets) => self.sized(value),
            Some(Op::Text) if wire::utf8(value).is_some() => self.sized(value),
            Some(Op::Text) => Err(DecodeError::new(Problem::Text, self.plan.wire(), 0)),
            op => Err(misfit(self.plan, op.copied(), "text")),
        }
    }

    #[inline(always)]
    fn sized(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        if bytes.len() > u32::MAX as usize {
            return Err(DecodeError::new(Problem::Overflow, self.plan.wire(), 0));
        }
        self.out.octets(bytes);
        Ok(())
    }
}

/// Refuses a value where another one, or none, comes next.
#[cold]
pub(super) fn misfit(plan: &Plan, op: Option<Op>, given: &str) -> DecodeError {
    let expected = op.map_or("a root", Op::name);
    DecodeError::new(Problem::Conversion, plan.wire(), 0).seen(format!("{given} where {expected} comes next"))
}

/// Returns the bytes of an integer of any type.
#[inline(never)]
fn whole(plan: &Plan, op: Option<Op>, value: i128) -> Result<([u8; 10], usize), DecodeError> {
    let simple = match op {
        Some(Op::Enumeration(index)) => {
            let members = &plan.enumerations[index as usize];
            if i64::try_from(value).ok().and_then(|number| members.position(number)).is_none() {
                return Err(DecodeError::new(Problem::NoEnumerator, plan.wire(), 0));
            }
            members.subtype
        }
        op => op.and_then(Op::whole).ok_or_else(|| misfit(plan, op, "a whole number"))?,
    };
    wire::whole(simple, value).map_err(|problem| DecodeError::new(problem, plan.wire(), 0))
}
