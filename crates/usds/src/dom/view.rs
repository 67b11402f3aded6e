//! Words of a document as scalars.

use super::arena::Arena;
use crate::events::Scalar;
use crate::plan::{Op, Plan};

/// The words of a document, with the texts that they refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'d> {
    pub(super) arena: &'d Arena,
    pub(super) input: &'d [u8],
}

impl<'d> View<'d> {
    #[inline(always)]
    pub(super) fn plan(self) -> &'d Plan {
        &self.arena.plan
    }

    #[inline(always)]
    pub(super) fn words(self) -> &'d [u64] {
        &self.arena.words
    }

    /// Returns the bytes of text. Offsets past the input are in the arena's own text.
    #[inline(always)]
    pub(super) fn bytes(self, word: u64) -> &'d [u8] {
        let (start, len) = (word as u32 as usize, (word >> 32) as usize);
        match self.input.get(start..start + len) {
            Some(bytes) => bytes,
            None => self.own_bytes(start, len),
        }
    }

    #[inline(always)]
    fn own_bytes(self, start: usize, len: usize) -> &'d [u8] {
        let start = start.wrapping_sub(self.input.len());
        self.arena.text.get(start..start.wrapping_add(len)).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn scalar(self, op: Op, word: u64) -> Scalar<'d> {
        match op {
            Op::Boolean => Scalar::Bool(word != 0),
            Op::Byte | Op::Short | Op::Int | Op::Long | Op::Varint => Scalar::Int(word as i64),
            Op::Ubyte | Op::Ushort | Op::Uint | Op::Ulong | Op::Uvarint => Scalar::UInt(word),
            Op::Float => Scalar::F32(f32::from_bits(word as u32)),
            Op::Double => Scalar::F64(f64::from_bits(word)),
            Op::Text => Scalar::Text(crate::wire::utf8(self.bytes(word)).unwrap_or_default()),
            Op::Enumeration(index) => {
                let names = &self.plan().enumerations[index as usize].names;
                Scalar::Enumerator {
                    enumeration: index,
                    position: word as u32,
                    number: names.get(word as usize).map_or(0, |(_, number)| *number),
                }
            }
            _ => Scalar::Octets(self.bytes(word)),
        }
    }
}
