//! Writing messages backwards: the length of a composite is known when its prefix is written, and no byte is written twice.

use std::marker::PhantomData;

use crate::wire::{scatter, wire_type, zigzag};

/// The most that a vint takes, and a word that one is stored with.
const VINT_ROOM: usize = 16;

/// The free end of a vector, filled from its last byte down. [`finish`](Output::finish) moves what was written behind what the vector had.
pub struct Output<'v> {
    vector: *mut Vec<u8>,
    /// The first free byte of the vector.
    start: *mut u8,
    /// The first byte written.
    at: *mut u8,
    /// The end of the vector's memory.
    end: *mut u8,
    vector_lifetime: PhantomData<&'v mut Vec<u8>>,
}

impl<'v> Output<'v> {
    /// Writes behind what the vector has.
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        let room = vector.spare_capacity_mut().as_mut_ptr_range();
        let (start, end) = (room.start.cast(), room.end.cast());
        Output { vector, start, at: end, end, vector_lifetime: PhantomData }
    }

    /// Bytes written. A composite's elements are what came since.
    #[inline(always)]
    pub fn written(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Moves what was written to its place in the vector.
    pub fn finish(self) {
        let written = self.written();
        // SAFETY: `start..end` is the free memory of the vector, `at..end` is written, and moves to `start`. The vector was not used by
        // anybody else since `new` or `grown` took the pointers, as it is borrowed.
        unsafe {
            std::ptr::copy(self.at, self.start, written);
            let vector = &mut *self.vector;
            vector.set_len(vector.len() + written);
        }
    }

    /// Makes room for `size` more bytes.
    #[inline(always)]
    fn room(&mut self, size: usize) {
        if (self.at as usize - self.start as usize) < size {
            // SAFETY: the vector is borrowed for as long as this output lives.
            let (start, at, end) = grown(unsafe { &mut *self.vector }, self.written(), size);
            (self.start, self.at, self.end) = (start, at, end);
        }
    }

    /// Writes `N` bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.room(N);
        // SAFETY: there is room for `N` bytes below `at`.
        unsafe {
            self.at = self.at.sub(N);
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
        }
    }

    /// Writes eight bytes and, before them, their prefix.
    #[inline(always)]
    fn prefixed(&mut self, prefix: u64, bytes: [u8; 8]) {
        let mut all = [prefix as u8; 9];
        all[1..].copy_from_slice(&bytes);
        self.put(all);
    }

    /// Writes a vint.
    #[inline(always)]
    pub fn vint(&mut self, number: u64) {
        if number < 0x80 {
            self.put([number as u8]);
        } else {
            self.long_vint(number);
        }
    }

    /// Writes a number. Its size costs no branch: sizes of numbers are hard to foresee.
    #[inline(always)]
    fn long_vint(&mut self, number: u64) {
        if number >= 1 << 56 {
            return self.longest_vint(number);
        }
        let size = (70 - (number | 1).leading_zeros()) / 7;
        let unused = 8 * (8 - size);
        // The top bit of each byte but the last.
        let more = 0x0080_8080_8080_8080 & (u64::MAX >> unused >> 8);
        self.room(VINT_ROOM);
        // SAFETY: there is room for eight bytes below `at`. The vint's bytes are the upper ones of the word.
        unsafe {
            self.at.sub(8).cast::<[u8; 8]>().write_unaligned(((scatter(number) | more) << unused).to_le_bytes());
            self.at = self.at.sub(size as usize);
        }
    }

    #[inline(never)]
    fn longest_vint(&mut self, number: u64) {
        let low = number & ((1 << 56) - 1);
        if number >= 1 << 63 {
            self.put([0x80 | (number >> 56) as u8, 1]);
        } else {
            self.put([(number >> 56) as u8]);
        }
        self.put((scatter(low) | 0x8080_8080_8080_8080).to_le_bytes());
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
        let number = zigzag(value);
        self.long_vint(number);
        if number >= 1 << 56 {
            return self.put([wire_type::VINT as u8]);
        }
        // SAFETY: `long_vint` made room for more than the vint takes, at least one byte more.
        unsafe {
            self.at = self.at.sub(1);
            self.at.write(wire_type::VINT as u8);
        }
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
        self.verbatim(value);
        if value.len() < 0x80 {
            self.put([wire_type::BYTES as u8, value.len() as u8]);
        } else {
            self.vint(value.len() as u64);
            self.put([wire_type::BYTES as u8]);
        }
    }

    /// Writes bytes as they are.
    #[inline(always)]
    pub fn verbatim(&mut self, bytes: &[u8]) {
        self.room(bytes.len());
        // SAFETY: there is room for them below `at`, in memory that `bytes` is no part of, as it is free.
        unsafe {
            self.at = self.at.sub(bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
        }
    }

    /// Writes a constant constructor, or any other prefix.
    #[inline(always)]
    pub fn prefix(&mut self, prefix: u64) {
        self.vint(prefix);
    }

    /// Writes the head of a composite whose elements came since `before` was written.
    #[inline(always)]
    pub fn composite(&mut self, prefix: u64, count: usize, before: usize) {
        let inside = self.written() - before;
        if (prefix | count as u64 | (inside + 1) as u64) < 0x80 {
            self.put([prefix as u8, (inside + 1) as u8, count as u8]);
        } else {
            self.vint(count as u64);
            let length = self.written() - before;
            self.vint(length as u64);
            self.vint(prefix);
        }
    }

    /// Writes the head of a list.
    #[inline(always)]
    pub fn list(&mut self, count: usize, before: usize) {
        self.composite(wire_type::HTUPLE, count, before);
    }

    /// Writes a list of bools, four at a time.
    #[inline(always)]
    pub fn bools(&mut self, values: &[bool]) {
        /// Prefix and value of four.
        fn pairs(four: [bool; 4]) -> [u8; 8] {
            let flags = u64::from(u32::from_le_bytes(four.map(u8::from)));
            let pairs = (flags | flags << 16) & 0x0000_ffff_0000_ffff;
            let word = (pairs | pairs << 8) & 0x00ff_00ff_00ff_00ff;
            (word << 8 | 0x0002_0002_0002_0002).to_le_bytes()
        }
        let before = self.written();
        self.room(2 * values.len());
        let (rest, fours) = values.as_rchunks::<4>();
        for four in fours.iter().rev() {
            self.put(pairs(*four));
        }
        match values.first_chunk::<4>() {
            // SAFETY: there is room for the pairs of `rest` below `at`. The word of the first four starts where they do, and ends within what is
            // written, where it has the same bytes.
            Some(four) => unsafe {
                self.at = self.at.sub(2 * rest.len());
                self.at.cast::<[u8; 8]>().write_unaligned(pairs(*four));
            },
            None => rest.iter().rev().for_each(|value| self.bool(*value)),
        }
        self.list(values.len(), before);
    }

    /// Writes a list of bytes.
    #[inline(always)]
    pub fn bytes(&mut self, values: &[u8]) {
        self.pairs(values.len(), values.iter().copied());
    }

    #[inline(always)]
    fn pairs(&mut self, count: usize, values: impl DoubleEndedIterator<Item = u8>) {
        let before = self.written();
        self.room(2 * count);
        for value in values.rev() {
            self.byte(value);
        }
        self.list(count, before);
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("written", &self.written()).finish_non_exhaustive()
    }
}

/// The vector with room for `size` bytes more than the `written` at its end, which move to the new end: where the free memory starts, where
/// the written bytes do, and where both end.
#[cold]
#[inline(never)]
fn grown(vector: &mut Vec<u8>, written: usize, size: usize) -> (*mut u8, *mut u8, *mut u8) {
    // At least twice as large as before, so that each byte moves a bounded number of times, also where many messages are appended.
    let capacity = (vector.len() + written + size).max(vector.capacity()).max(32).saturating_mul(2);
    let mut larger: Vec<u8> = Vec::with_capacity(capacity);
    larger.extend_from_slice(vector);
    let old = vector.spare_capacity_mut().as_mut_ptr_range();
    let new = larger.spare_capacity_mut().as_mut_ptr_range();
    let (start, end) = (new.start.cast::<u8>(), new.end.cast::<u8>());
    // SAFETY: the last `written` bytes of the old memory are written, and the new one has room for more than those.
    let at = unsafe {
        let at = end.sub(written);
        std::ptr::copy_nonoverlapping(old.end.cast::<u8>().sub(written), at, written);
        at
    };
    *vector = larger;
    (start, at, end)
}
