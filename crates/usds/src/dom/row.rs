//! The fields of a structure of scalars, read or set one after another: no look for a field by its number, and one for the presence of all.

use std::iter::Zip;
use std::slice::{Iter, IterMut};

use polywire_usds_runtime::output::Output;

use super::arena::BITS;
use super::view::View;
use super::word::{rare_word, truth};
use crate::events::Scalar;
use crate::failure::{Failure, Problem};
use crate::plan::{Op, Plan};
use crate::wire;

/// A structure of scalars. Fields come in the order of their ids; none is given where the next one is of another type than what is asked for, or one of the structure is not set.
#[derive(Debug, Clone)]
pub struct Row<'d> {
    view: View<'d>,
    fields: Zip<Iter<'d, Op>, Iter<'d, u64>>,
}

impl<'d> Row<'d> {
    /// The structure of these words, presence first.
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

    /// The next field, a BOOLEAN.
    #[inline(always)]
    pub fn bool(&mut self) -> Option<bool> {
        match self.next()? {
            (Op::Boolean, word) => Some(word != 0),
            _ => None,
        }
    }

    /// The next field, of a signed type of integers.
    #[inline(always)]
    pub fn int(&mut self) -> Option<i64> {
        match self.next()? {
            (Op::Byte | Op::Short | Op::Int | Op::Long | Op::Varint, word) => Some(word as i64),
            _ => None,
        }
    }

    /// The next field, of an unsigned type of integers.
    #[inline(always)]
    pub fn uint(&mut self) -> Option<u64> {
        match self.next()? {
            (Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint, word) => Some(word),
            _ => None,
        }
    }

    /// The next field, a FLOAT.
    #[inline(always)]
    pub fn f32(&mut self) -> Option<f32> {
        match self.next()? {
            (Op::Float, word) => Some(f32::from_bits(word as u32)),
            _ => None,
        }
    }

    /// The next field, a DOUBLE.
    #[inline(always)]
    pub fn f64(&mut self) -> Option<f64> {
        match self.next()? {
            (Op::Double, word) => Some(f64::from_bits(word)),
            _ => None,
        }
    }

    /// The next field, text that is declared to be UTF-8.
    #[inline(always)]
    pub fn text(&mut self) -> Option<&'d str> {
        match self.next()? {
            (Op::Text, word) => wire::utf8(self.view.bytes(word)),
            _ => None,
        }
    }

    /// The next field, the bytes of text, in whatever encoding.
    #[inline(always)]
    pub fn octets(&mut self) -> Option<&'d [u8]> {
        match self.next()? {
            (Op::Text | Op::Octets, word) => Some(self.view.bytes(word)),
            _ => None,
        }
    }

    /// The next field, of whatever type.
    #[inline(always)]
    pub fn scalar(&mut self) -> Option<Scalar<'d>> {
        let (op, word) = self.next()?;
        Some(self.view.scalar(op, word))
    }
}

/// A structure of scalars that is filled. Fields are given in the order of their ids.
#[derive(Debug)]
pub struct RowMut<'r> {
    pub(super) plan: &'r Plan,
    /// Types, and where their words go.
    fields: Zip<Iter<'r, Op>, IterMut<'r, u64>>,
    pub(super) text: &'r mut Vec<u8>,
    /// Where in the document the text starts that is not part of the input.
    pub(super) boundary: usize,
}

impl<'r> RowMut<'r> {
    /// The fields of a structure in these words.
    #[inline(always)]
    pub(super) fn fields(plan: &'r Plan, ops: &'r [Op], words: &'r mut [u64], text: &'r mut Vec<u8>, boundary: usize) -> RowMut<'r> {
        RowMut { plan, fields: ops.iter().zip(words), text, boundary }
    }

    /// Number of fields that are left.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.fields.len()
    }

    /// A new structure in these words, presence first.
    #[inline(always)]
    pub(super) fn new(plan: &'r Plan, ops: &'r [Op], words: &'r mut [u64], text: &'r mut Vec<u8>, boundary: usize) -> RowMut<'r> {
        let (presence, words) = words.split_at_mut(1.min(words.len()));
        presence.fill(u64::MAX);
        RowMut { plan, fields: ops.iter().zip(words), text, boundary }
    }

    /// Whether all fields were given.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.fields.len() == 0
    }

    /// A value of a type that has no way of its own.
    #[inline(never)]
    fn other(plan: &Plan, text: &mut Vec<u8>, boundary: usize, field: Option<(&Op, &mut u64)>, value: Scalar<'_>) -> Result<(), Failure> {
        let put = match field {
            Some((op, place)) => rare_word(plan, text, boundary, *op, value).map(|word| *place = word),
            None => Err(Problem::NotFound),
        };
        put.map_err(|problem| Failure::new(problem, plan.wire(), 0))
    }

    /// The next field, a BOOLEAN.
    ///
    /// # Errors
    /// It is none; so with all others.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) -> Result<(), Failure> {
        match self.fields.next() {
            Some((Op::Boolean, place)) => *place = truth(value),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::Bool(value)),
        }
        Ok(())
    }

    /// The next field, of whichever type of integers, or an enumeration.
    ///
    /// # Errors
    /// The value does not fit.
    #[inline(always)]
    pub fn int(&mut self, value: i64) -> Result<(), Failure> {
        match self.fields.next() {
            Some((Op::Long, place)) => *place = value as u64,
            Some((Op::Int, place)) if i32::try_from(value).is_ok() => *place = value as u64,
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::Int(value)),
        }
        Ok(())
    }

    /// The next field, of whichever type of integers, or an enumeration.
    ///
    /// # Errors
    /// The value does not fit.
    #[inline(always)]
    pub fn uint(&mut self, value: u64) -> Result<(), Failure> {
        match self.fields.next() {
            Some((Op::Uvarint, place)) => *place = value,
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::UInt(value)),
        }
        Ok(())
    }

    /// The next field, a FLOAT.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f32(&mut self, value: f32) -> Result<(), Failure> {
        match self.fields.next() {
            Some((Op::Float, place)) => *place = u64::from(value.to_bits()),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::F32(value)),
        }
        Ok(())
    }

    /// The next field, a DOUBLE.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn f64(&mut self, value: f64) -> Result<(), Failure> {
        match self.fields.next() {
            Some((Op::Double, place)) => *place = value.to_bits(),
            field => return Self::other(self.plan, self.text, self.boundary, field, Scalar::F64(value)),
        }
        Ok(())
    }

    /// The next field, text; or an enumeration, by the name of the enumerator.
    ///
    /// # Errors
    /// It is none.
    #[inline(always)]
    pub fn text(&mut self, value: &str) -> Result<(), Failure> {
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

    /// The next field, text in no declared encoding.
    ///
    /// # Errors
    /// It is none, or bytes that are no UTF-8 where that is declared.
    pub fn octets(&mut self, value: &[u8]) -> Result<(), Failure> {
        self.scalar(Scalar::Octets(value))
    }

    /// The next field, of whatever type.
    ///
    /// # Errors
    /// The value does not fit.
    #[inline(always)]
    pub fn scalar(&mut self, value: Scalar<'_>) -> Result<(), Failure> {
        let field = self.fields.next();
        Self::other(self.plan, self.text, self.boundary, field, value)
    }
}
