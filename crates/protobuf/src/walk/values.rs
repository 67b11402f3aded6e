//! Scalars and packed lists.

use polywire_core::bytes::unzigzag;
use polywire_core::{Error, Result};

use super::state::Walk;
use super::visit::Visitor;
use crate::model::Kind;
use crate::plan::Field;
use crate::scalar::Value;
use crate::wire::{Broken, array, known, length, varint, wire_error};

impl<'m, V: Visitor<'m> + ?Sized> Walk<'_, 'm, V> {
    /// Visits the packed values whose length is at `at`, and returns their end.
    pub(super) fn packed(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        let (mut at, to) = length(window, at).map_err(|error| self.located(error))?;
        let window = &window[..to];
        if field.closed {
            while at < to {
                if self.plan.is_stray(field, window, at) {
                    let (_, next) = varint::read(window, at).map_err(|error| self.located(error))?;
                    self.budget.item(self.base + at as u64)?;
                    self.visitor.stray(field, at, next)?;
                    at = next;
                } else {
                    at = self.any_scalar(field, window, at)?;
                }
            }
            return Ok(to);
        }
        while at < to {
            at = self.scalar(field, window, at)?;
        }
        Ok(to)
    }

    /// Visits the scalar at `at`, and returns its end.
    #[inline(always)]
    pub(super) fn scalar(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        // Each kind emits its own value, so that the visitor's branch on it is decided at compile
        // time.
        macro_rules! varint {
            ($value:expr) => {{
                let Some((value, end)) = known::varint(self.msg, at, window.len()) else { return Err(self.bad_varint(window, at)) };
                self.emit(field, $value(value), at, end)
            }};
        }
        macro_rules! fixed {
            ($value:path, $number:ty) => {{
                let Some(bytes) = window.get(at..).and_then(|rest| rest.first_chunk()) else { return Err(self.cut_off(window)) };
                self.emit(field, $value(<$number>::from_le_bytes(*bytes)), at, at + size_of::<$number>())
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
            // 32-bit numbers are truncated 64-bit ones (encoding guide, "Updating A Message Type").
            Kind::Int32 => varint!(|value| Value::I32(value as i32)),
            Kind::Int64 => varint!(|value| Value::I64(value as i64)),
            Kind::UInt32 => varint!(|value| Value::U32(value as u32)),
            Kind::UInt64 => varint!(Value::U64),
            Kind::SInt32 => varint!(|value| Value::I32(unzigzag(u64::from(value as u32)) as i32)),
            Kind::SInt64 => varint!(|value| Value::I64(unzigzag(value))),
            Kind::Bool => match known::byte(window, at) {
                Some(value) => self.emit(field, Value::Bool(value != 0), at, at + 1),
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
                self.emit(field, Value::Bytes(&window[from..to]), at, to)
            }
            Kind::Message(_) | Kind::Group(_) => Err(Error::internal("a message as a scalar")),
        }
    }

    /// Does as [`Walk::scalar`], without inlining.
    #[inline(never)]
    pub(super) fn any_scalar(&mut self, field: &Field, window: &'m [u8], at: usize) -> Result<usize> {
        self.scalar(field, window, at)
    }

    /// Visits the value that was read from `at` to `end`, and returns `end`.
    #[inline(always)]
    fn emit(&mut self, field: &Field, value: Value<'m>, at: usize, end: usize) -> Result<usize> {
        let span = self.span(at, end);
        self.budget.item(span.start)?;
        self.visitor.scalar(field, value, span)?;
        Ok(end)
    }

    /// Returns start and end of the value whose length is at `at`.
    #[inline(always)]
    pub(super) fn length(&self, window: &[u8], at: usize) -> Result<(usize, usize)> {
        match known::length(window, at) {
            Some(found) => Ok(found),
            None => self.careful_length(window, at),
        }
    }

    #[inline(never)]
    fn careful_length(&self, window: &[u8], at: usize) -> Result<(usize, usize)> {
        length(window, at).map_err(|error| self.located(error))
    }

    #[inline(always)]
    pub(super) fn fixed<const N: usize>(&self, window: &[u8], at: usize) -> Result<[u8; N]> {
        array(window, at).map_err(|error| self.located(error))
    }

    #[cold]
    fn bad_varint(&self, window: &[u8], at: usize) -> Error {
        varint::read(window, at).map_or_else(|error| self.located(error), |_| self.changed(at))
    }

    #[cold]
    fn cut_off(&self, window: &[u8]) -> Error {
        self.located(wire_error(Broken::End, window.len()))
    }
}
