//! Writing values.

use std::marker::PhantomData;

use crate::wire::{Protocol, kind};

/// The end of a vector that values are written to.
#[derive(Debug)]
pub struct Output<'v, P> {
    out: &'v mut Vec<u8>,
    protocol: PhantomData<P>,
}

/// Returns a length or count as a message has it.
///
/// # Panics
/// Above 2^31 - 1, which no protocol can say.
#[inline(always)]
fn length(len: usize) -> u32 {
    assert!(len <= i32::MAX as usize, "a list or text of {len}");
    len as u32
}

impl<'v, P: Protocol> Output<'v, P> {
    /// Starts to write behind the contents of a vector.
    pub fn new(out: &'v mut Vec<u8>) -> Output<'v, P> {
        Output { out, protocol: PhantomData }
    }

    /// Writes the head of a field behind the field `last`.
    #[inline(always)]
    pub fn field(&mut self, last: &mut i16, id: i16, kind: u8) {
        P::put_field(self.out, *last, id, kind);
        *last = id;
    }

    /// Writes a field that is a truth value.
    #[inline(always)]
    pub fn truth(&mut self, last: &mut i16, id: i16, truth: bool) {
        P::put_truth(self.out, *last, id, truth);
        *last = id;
    }

    /// Writes the end of a struct.
    #[inline(always)]
    pub fn stop(&mut self) {
        self.out.push(kind::STOP);
    }

    /// Writes a truth value that stands alone.
    #[inline(always)]
    pub fn bool(&mut self, truth: bool) {
        P::put_bool(self.out, truth);
    }

    /// Writes a number of 8 bits.
    #[inline(always)]
    pub fn int8(&mut self, number: i8) {
        self.out.push(number as u8);
    }

    /// Writes a number of 16 bits.
    #[inline(always)]
    pub fn int16(&mut self, number: i16) {
        P::put_int16(self.out, number);
    }

    /// Writes a number of 32 bits.
    #[inline(always)]
    pub fn int32(&mut self, number: i32) {
        P::put_int32(self.out, number);
    }

    /// Writes a number of 64 bits.
    #[inline(always)]
    pub fn int64(&mut self, number: i64) {
        P::put_int64(self.out, number);
    }

    /// Writes a double.
    #[inline(always)]
    pub fn double(&mut self, number: f64) {
        P::put_double(self.out, number);
    }

    /// Writes a universal unique identifier: its first and its last eight bytes.
    #[inline(always)]
    pub fn uuid(&mut self, (high, low): (u64, u64)) {
        self.out.extend_from_slice(&high.to_be_bytes());
        self.out.extend_from_slice(&low.to_be_bytes());
    }

    /// Writes text.
    ///
    /// # Panics
    /// Above 2^31 - 1 bytes, which no protocol can say.
    #[inline(always)]
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes bytes.
    ///
    /// # Panics
    /// Above 2^31 - 1 bytes, which no protocol can say.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        P::put_length(self.out, length(bytes.len()));
        self.out.extend_from_slice(bytes);
    }

    /// Writes the head of a list or set.
    ///
    /// # Panics
    /// Above 2^31 - 1 elements, which no protocol can say.
    #[inline(always)]
    pub fn list(&mut self, kind: u8, count: usize) {
        P::put_list(self.out, kind, length(count));
    }

    /// Writes the head of a map.
    ///
    /// # Panics
    /// Above 2^31 - 1 entries, which no protocol can say.
    #[inline(always)]
    pub fn map(&mut self, key: u8, value: u8, count: usize) {
        P::put_map(self.out, key, value, length(count));
    }
}
