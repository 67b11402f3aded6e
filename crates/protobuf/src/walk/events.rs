//! Events of what is visited.

use polywire_core::{Budget, Field as Named, Len, Next, Note, Open, Result, Scalar, Sink, Span, Str};

use super::visit::{Inner, Visitor};
use crate::model::Cardinality;
use crate::plain::emit_guess;
use crate::plan::{Field, Message, Plan};
use crate::scalar::Value;
use crate::wire::{WireType, tag_of, varint};

/// Emits what is visited to a sink.
pub(super) struct Events<'w, 'm, S: ?Sized> {
    pub(super) plan: &'w Plan,
    pub(super) msg: &'m [u8],
    pub(super) base: u64,
    pub(super) sink: &'w mut S,
    /// Emit unknown fields as what they are likely to be.
    pub(super) guesses: bool,
    /// Budget for such guesses.
    pub(super) limits: Budget,
}

impl<'m, S: Sink<'m> + ?Sized> Visitor<'m> for Events<'_, 'm, S> {
    #[inline(always)]
    fn message(&mut self, _: &Message, at: Span) -> Result<Next> {
        self.sink.open(Open::Record { name: "", len: Len::Unknown }, at)
    }

    #[inline(always)]
    fn message_end(&mut self, _: &Message, at: Span) -> Result<Option<Inner>> {
        self.sink.close(at).map(|()| None)
    }

    #[inline(always)]
    fn field(&mut self, field: &Field, at: Span) -> Result<Next> {
        self.sink.field(Named { name: Str::Scratch(&field.name), id: Some(u64::from(field.number)), slot: Some(field.slot) }, at)
    }

    #[inline(always)]
    fn list(&mut self, _: &Field, at: Span) -> Result<Next> {
        self.sink.open(Open::List(Len::Unknown), at)
    }

    #[inline(always)]
    fn list_end(&mut self, at: Span) -> Result<()> {
        self.sink.close(at)
    }

    fn map(&mut self, field: &Field, at: Span) -> Result<Next> {
        debug_assert_eq!(field.cardinality, Cardinality::Map);
        self.sink.open(Open::Map(Len::Unknown), at)
    }

    fn key(&mut self, value: Value<'m>, at: Span) -> Result<Next> {
        match value {
            Value::Text(text) => self.sink.field(Named::named(Str::Input(text)), at),
            other => self.sink.scalar(plain(other), at).map(|()| Next::Enter),
        }
    }

    fn map_end(&mut self, at: Span) -> Result<()> {
        self.sink.close(at)
    }

    #[inline(always)]
    fn scalar(&mut self, field: &Field, value: Value<'m>, at: Span) -> Result<()> {
        let scalar = match value {
            Value::Enum(number) => match field.enumeration().and_then(|at| self.plan.enums[at].name_of(number)) {
                Some(name) => Scalar::Text(Str::Scratch(name)),
                None => Scalar::int(i64::from(number)),
            },
            other => plain(other),
        };
        self.sink.scalar(scalar, at)
    }

    fn unknown(&mut self, start: usize, end: usize) -> Result<()> {
        if self.guesses {
            self.limits.reset();
            if emit_guess(&self.msg[..end], self.base, start, self.sink, &mut self.limits)? {
                return Ok(());
            }
        }
        self.sink.note(Note::Unknown(&self.msg[start..end]), Span::at(self.base, start, end))
    }

    fn stray(&mut self, field: &Field, start: usize, end: usize) -> Result<()> {
        // The field that would have the number by itself.
        let mut bytes = Vec::with_capacity(2 * varint::MAX_BYTES);
        varint::put(&mut bytes, u64::from(tag_of(field.number, WireType::Varint)));
        bytes.extend_from_slice(&self.msg[start..end]);
        self.sink.note(Note::Unknown(&bytes), Span::at(self.base, start, end))
    }

    fn remark(&mut self, remark: &'static str, at: Span) -> Result<()> {
        self.sink.note(Note::Coerced(remark), at)
    }
}

/// Converts a scalar other than an enum's.
#[inline(always)]
pub(super) fn plain(value: Value<'_>) -> Scalar<'_, '_> {
    match value {
        Value::Bool(value) => Scalar::Bool(value),
        Value::I32(value) | Value::Enum(value) => Scalar::int(i64::from(value)),
        Value::I64(value) => Scalar::int(value),
        Value::U32(value) => Scalar::uint(u64::from(value)),
        Value::U64(value) => Scalar::uint(value),
        Value::F32(value) => Scalar::f32(value),
        Value::F64(value) => Scalar::f64(value),
        Value::Text(text) => Scalar::Text(Str::Input(text)),
        Value::Octets(bytes) => Scalar::Octets(Str::Input(bytes)),
        Value::Bytes(bytes) => Scalar::Bytes(Str::Input(bytes)),
    }
}
