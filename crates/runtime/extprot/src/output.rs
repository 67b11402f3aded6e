//! Writing values of extprot, from the last byte of a message to its first.

use std::ops::{Deref, DerefMut};

use polywire_runtime::output::{Output as Bytes, SHORT};
use polywire_runtime::vint::zigzag;

use crate::wire::wire_type;

/// The free end of a vector, filled from its last byte down.
#[derive(Debug)]
pub struct Output<'v>(Bytes<'v>);

impl<'v> Deref for Output<'v> {
    type Target = Bytes<'v>;

    #[inline(always)]
    fn deref(&self) -> &Bytes<'v> {
        &self.0
    }
}

impl DerefMut for Output<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<'v> Output<'v> {
    /// Starts to write behind the contents of a vector.
    #[inline(always)]
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        Output(Bytes::new(vector))
    }

    /// Takes this output, which is left without memory until it is put back. A function's own
    /// output stays in registers.
    #[inline(always)]
    #[must_use]
    pub fn take(&mut self) -> Output<'v> {
        Output(self.0.take())
    }

    /// Writes by a function that gets an output of its own, which stays in registers.
    #[inline(always)]
    pub fn apart(&mut self, write: impl FnOnce(&mut Self)) {
        let mut own = self.take();
        write(&mut own);
        *self = own;
    }

    /// Returns what was written, which stays in the free memory of the vector.
    #[inline(always)]
    pub fn unmoved(self) -> &'v [u8] {
        self.0.unmoved()
    }

    /// Moves what was written to its place in the vector.
    #[inline(always)]
    pub fn finish(self) {
        self.0.finish();
    }

    /// Writes eight bytes and, before them, their prefix.
    #[inline(always)]
    fn prefixed(&mut self, prefix: u64, bytes: [u8; 8]) {
        let mut all = [prefix as u8; 9];
        all[1..].copy_from_slice(&bytes);
        self.put(all);
    }

    /// Writes a bool.
    #[inline(always)]
    pub fn bool(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    /// Writes a byte.
    #[inline(always)]
    pub fn byte(&mut self, value: u8) {
        self.put([wire_type::BITS8 as u8, value]);
    }

    /// Writes an int.
    #[inline(always)]
    pub fn int(&mut self, value: i64) {
        self.vint_behind([wire_type::VINT as u8], zigzag(value));
    }

    /// Writes a long.
    #[inline(always)]
    pub fn long(&mut self, value: i64) {
        self.prefixed(wire_type::BITS64_LONG, value.to_le_bytes());
    }

    /// Writes a float.
    #[inline(always)]
    pub fn float(&mut self, value: f64) {
        self.prefixed(wire_type::BITS64_FLOAT, value.to_le_bytes());
    }

    /// Writes a string.
    #[inline(always)]
    pub fn string(&mut self, value: &[u8]) {
        self.octets(value);
        if value.len() < 0x80 {
            self.put([wire_type::BYTES as u8, value.len() as u8]);
        } else {
            self.vint(value.len() as u64);
            self.put([wire_type::BYTES as u8]);
        }
    }

    /// Writes a constant constructor, or any other prefix.
    #[inline(always)]
    pub fn prefix(&mut self, prefix: u64) {
        self.vint(prefix);
    }

    /// Writes the head of a composite. Its elements are what was written since `before`.
    #[inline(always)]
    pub fn composite(&mut self, prefix: u64, count: usize, before: usize) {
        let inside = self.written() - before;
        if (prefix | count as u64 | (inside + 1) as u64) < 0x80 {
            // The head's bytes are the upper three.
            let head = (prefix as u32) << 8 | (inside as u32 + 1) << 16 | (count as u32) << 24;
            self.upper(head.to_le_bytes(), 3);
        } else {
            self.vint(count as u64);
            let length = self.written() - before;
            self.vint(length as u64);
            self.vint(prefix);
        }
    }

    /// Does what [`composite`](Self::composite) does, for lists and messages. Some of them are
    /// longer than 127 bytes, which costs no branch.
    #[inline(always)]
    pub fn large_composite(&mut self, prefix: u64, count: usize, before: usize) {
        let length = self.written() - before + 1;
        if (prefix | count as u64) >= 0x80 || length >= 1 << 14 {
            return self.composite(prefix, count, before);
        }
        let more = u32::from(length > 0x7f);
        let sizes = length as u32 & 0x7f | more << 7 | (length as u32 >> 7) << 8;
        let head = prefix as u32 | sizes << 8 | (count as u32) << (16 + 8 * more);
        // The head's bytes are the upper ones of the word.
        self.upper((head << (8 - 8 * more)).to_le_bytes(), 3 + more as usize);
    }

    /// Writes a list of bools.
    #[inline(always)]
    pub fn bools(&mut self, values: &[bool]) {
        self.pairs(values, u8::from);
    }

    /// Writes a list of bytes.
    #[inline(always)]
    pub fn bytes(&mut self, values: &[u8]) {
        self.pairs(values, |value| value);
    }

    /// Writes a list of values of one byte each.
    #[inline(always)]
    fn pairs<T: Copy + Default>(&mut self, values: &[T], byte: fn(T) -> u8) {
        let before = self.written();
        self.eights(values, |eight| pairs(eight.map(byte)));
        self.composite(wire_type::HTUPLE, values.len(), before);
    }
}

/// Returns prefix and value of eight bools or bytes.
#[inline(always)]
fn pairs(values: [u8; SHORT]) -> [[u8; 2]; SHORT] {
    values.map(|value| [wire_type::BITS8 as u8, value])
}
