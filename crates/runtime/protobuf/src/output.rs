//! Writing fields of Protobuf, from the last byte of a message to its first.

use std::ops::{Deref, DerefMut};

use polywire_runtime::output::Output as Bytes;
pub use polywire_runtime::vint::zigzag;

/// The free end of a vector, filled from its last byte down. Tags are passed as their bytes.
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

    /// Writes a varint behind its tag.
    #[inline(always)]
    pub fn varint<const N: usize>(&mut self, tag: [u8; N], number: u64) {
        self.0.vint_behind(tag, number);
    }

    /// Writes a truth value behind its tag.
    #[inline(always)]
    pub fn bool<const N: usize>(&mut self, tag: [u8; N], value: bool) {
        self.0.put([u8::from(value)]);
        self.0.put(tag);
    }

    /// Writes bytes of fixed size behind their tag.
    #[inline(always)]
    pub fn fixed<const N: usize, const M: usize>(&mut self, tag: [u8; N], bytes: [u8; M]) {
        self.0.put(bytes);
        self.0.put(tag);
    }

    /// Writes bytes behind their tag and length.
    #[inline(always)]
    pub fn octets<const N: usize>(&mut self, tag: [u8; N], bytes: &[u8]) {
        self.0.octets(bytes);
        self.head(tag, bytes.len());
    }

    /// Writes a tag and a length in front of what is written.
    #[inline(always)]
    fn head<const N: usize>(&mut self, tag: [u8; N], length: usize) {
        if length < 0x80 {
            self.0.put([length as u8]);
        } else {
            self.0.vint(length as u64);
        }
        self.0.put(tag);
    }

    /// Writes tag and length of what was written since `before`.
    #[inline(always)]
    pub fn wrap<const N: usize>(&mut self, tag: [u8; N], before: usize) {
        self.head(tag, self.0.written() - before);
    }

    /// Writes packed varints.
    #[inline(always)]
    pub fn varints<const N: usize, T>(&mut self, tag: [u8; N], values: &[T], number: impl Fn(&T) -> u64) {
        if values.is_empty() {
            return;
        }
        let before = self.0.written();
        for value in values.iter().rev() {
            self.0.vint(number(value));
        }
        self.wrap(tag, before);
    }

    /// Writes packed truth values.
    #[inline(always)]
    pub fn bools<const N: usize>(&mut self, tag: [u8; N], values: &[bool]) {
        if values.is_empty() {
            return;
        }
        let before = self.0.written();
        for value in values.iter().rev() {
            self.0.put([u8::from(*value)]);
        }
        self.wrap(tag, before);
    }

    /// Writes packed values of fixed size.
    #[inline(always)]
    pub fn fixeds<const N: usize, const M: usize, T>(&mut self, tag: [u8; N], values: &[T], bytes: impl Fn(&T) -> [u8; M]) {
        if values.is_empty() {
            return;
        }
        let before = self.0.written();
        for value in values.iter().rev() {
            self.0.put(bytes(value));
        }
        self.wrap(tag, before);
    }
}
