//! Fields of a structure of scalars, read or set one by one: without a lookup of fields, and with
//! one presence check for all.

use std::iter::Zip;
use std::slice::{Iter, IterMut};

use polywire_usds_runtime::output::Output;

use super::arena::BITS;
use super::view::View;
use super::word::{rare_word, truth};
use crate::error::{DecodeError, Problem};
use crate::events::Scalar;
use crate::plan::{Op, Plan};
use crate::wire;

/// A structure of scalars. Fields come in the order of their ids. A call returns `None` if the next
/// field has another type, or if a field of the structure is not set.
#[derive(Debug, Clone)]
pub struct Row<'d> {
    view: View<'d>,
    fields: Zip<Iter<'d, Op>, Iter<'d, u64>>,
}

impl<'d> Row<'d> {
    /// Returns the row of these words, presence first.
    #[inline(always)]
    pub(super) fn new(view: View<'d>, ops: &'d [Op], block: &'d [u64]) -> Row<'d> {
        let all = if ops.is_empty() { 0 } else { u64::MAX >> (BITS - ops.len()) };
        let words = match block.split_first() {
            Some((presence, words)) if presence & all == all => words,
            _ => &[],
        };
        Row { view, fields: ops.iter().zip(words) }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<(Op, u64)> {
        self.fields.next().map(|(op, word)| (*op, *word))
    }

    /// Returns the next field, a BOOLEAN.
    #[inline(always)]
    pub fn bool(&mut self) -> Option<bool> {
        match self.next()? {
            (Op::Boolean, word) => Some(word != 0),
            _ => None,
        }
    }

    /// Returns the next field, of a signed integer type.
    #[inline(always)]
    pub fn int(&mut self) -> Option<i64> {
        match self.next()? {
            (Op::Byte | Op::Short | Op::Int | Op::Long | Op::Varint, word) => Some(word as i64),
            _ => None,
        }
    }

    /// Returns the next field, of an unsigned integer type.
    #[inline(always)]
    pub fn uint(&mut self) -> Option<u64> {
        match self.next()? {
            (Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint, word) => Some(word),
            _ => None,
        }
    }

    /// Returns the next field, a FLOAT.
    #[inline(always)]
    pub fn f32(&mut self) -> Option<f32> {
        match self.next()? {
            (Op::Float, word) => Some(f32::from_bits(word as u32)),
            _ => None,
        }
    }

    /// Returns the next field, a DOUBLE.
    #[inline(always)]
    pub fn f64(&mut self) -> Option<f64> {
        match self.next()? {
            (Op::Double, word) => Some(f64::from_bits(word)),
            _ => None,
        }
    }

    /// Returns the next field, text declared to be UTF-8.
    #[inline(always)]
    pub fn text(&mut self) -> Option<&'d str> {
        match self.next()? {
            (Op::Text, word) => wire::utf8(self.view.bytes(word)),
            _ => None,
        }
    }

    /// Returns the next field, the bytes of text in any encoding.
    #[inline(always)]
    pub fn octets(&mut self) -> Option<&'d [u8]> {
        match self.next()? {
            (Op::Text | Op::Octets, word) => Some(self.view.bytes(word)),
            _ => None,
        }
    }

    /// Returns the next field, of any type.
    #[inline(always)]
    pub fn scalar(&mut self) -> Option<Scalar<'d>> {
        let (op, word) = self.next()?;
        Some(self.view.scalar(op, word))
    }
}

/// A structure of scalars to fill, in the order of the ids of its fields.
#[derive(Debug)]
pub struct RowMut<'r> {
    pub(super) plan: &'r Plan,
    /// Types of the fields, and their words.
    fields: Zip<Iter<'r, Op>, IterMut<'r, u64>>,
    pub(super) text: &'r mut Vec<u8>,
    /// Offset in the document of text that is not part of the input.
    pub(super) boundary: usize,
}

impl<'r> RowMut<'r> {
    /// Returns the row of a structure's fields in these words.
    #[inline(always)]
    pub(super) fn fields(plan: &'r Plan, ops: &'r [Op], words: &'r mut [u64], text: &'r mut Vec<u8>, boundary: usize) -> RowMut<'r> {
        RowMut { plan, fields: ops.iter().zip(words), text, boundary }
    }

    /// Returns the number of remaining fields.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.fields.len()
    }

    /// Returns the row of a new structure in these words, presence first.
    #[inline(always)]
    pub(super) fn new(plan: &'r Plan, ops: &'r [Op], words: &'r mut [u64], text: &'r mut Vec<u8>, boundary: usize) -> RowMut<'r> {
        let (presence, words) = words.split_at_mut(1.min(words.len()));
        presence.fill(u64::MAX);
        RowMut { plan, fields: ops.iter().zip(words), text, boundary }
    }

    /// Returns whether all fields were given.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.fields.len() == 0
    }

    /// Sets a value of a type without a method of its own.
    #[inline(never)]
    fn other(
        plan: &Plan,
        text: &mut Vec<u8>,
        boundary: usize,
        field: Option<(&Op, &mut u64)>,
        value: Scalar<'_>,
    ) -> Result<(), DecodeError> {
        let put = match field {
            Some((op, place)) => rare_word(plan, text, boundary, *op, value).map(|word| *place = word),
            None => Err(Problem::NotFound),
        };
        put.map_err(|problem| DecodeError::new(problem, plan.wire(), 0))
    }

    /// Sets the next field, a BOOLEAN.
    ///
    /// # Errors
    /// The field has another type; likewise in all other calls.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), DecodeError> {
        match self.fields.next() {
            Some((Op::Boolean, place)) => *place = truth(value),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::Bool(value)),
        }
        Ok(())
    }

    /// Sets the next field, of any integer type or an enumeration.
    ///
    /// # Errors
    /// The value is out of range.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), DecodeError> {
        match self.fields.next() {
            Some((Op::Long, place)) => *place = value as u64,
            Some((Op::Int, place)) if i32::try_from(value).is_ok() => *place = value as u64,
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::Int(value)),
        }
        Ok(())
    }

    /// Sets the next field, of any integer type or an enumeration.
    ///
    /// # Errors
    /// The value is out of range.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), DecodeError> {
        match self.fields.next() {
            Some((Op::Uvarint, place)) => *place = value,
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::UInt(value)),
        }
        Ok(())
    }

    /// Sets the next field, a FLOAT.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f32(&mut self, value: f32) -> Result<(), DecodeError> {
        match self.fields.next() {
            Some((Op::Float, place)) => *place = u64::from(value.to_bits()),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::F32(value)),
        }
        Ok(())
    }

    /// Sets the next field, a DOUBLE.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), DecodeError> {
        match self.fields.next() {
            Some((Op::Double, place)) => *place = value.to_bits(),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::F64(value)),
        }
        Ok(())
    }

    /// Sets the next field, text, or an enumeration by the name of the enumerator.
    ///
    /// # Errors
    /// The field has another type.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), DecodeError> {
        let start = self.boundary + self.text.len();
        match self.fields.next() {
            Some((Op::Text | Op::Octets, place)) if start + value.len() <= u32::MAX as usize => {
                Output::new(self.text).bytes(value.as_bytes());
                *place = start as u64 | (value.len() as u64) << 32;
            }
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::Text(value)),
        }
        Ok(())
    }

    /// Sets the next field, text of undeclared encoding.
    ///
    /// # Errors
    /// The field has another type, or the bytes are not UTF-8 where that is declared.
    pub fn octets(&mut self, value: &[u8]) -> Result<(), DecodeError> {
        self.scalar(Scalar::Octets(value))
    }

    /// Sets the next field, of any type.
    ///
    /// # Errors
    /// The value does not fit the type.
    #[inline(always)]
    pub fn scalar(&mut self, value: Scalar<'_>) -> Result<(), DecodeError> {
        let field = self.fields.next();
        Self::other(self.plan, self.text, self.boundary, field, value)
    }
}
