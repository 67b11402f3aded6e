//! Writing messages backwards: the length of a composite is known when its prefix is written, and no byte is written twice.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::wire::{scatter, wire_type, zigzag};

/// The most that a vint takes, and a word that one is stored with.
const VINT_ROOM: usize = 16;

/// Bytes that messages are moved in. As many are left free behind what is written, where there is room for twice as many: then it takes no look at
/// how many the last are.
const CHUNK: usize = 128;

/// Texts and lists of bools up to this size cost no branch on it: sizes are hard to foresee.
const SHORT: usize = 8;

/// The free end of a vector, filled from its last byte down. [`finish`](Output::finish) moves what was written behind what the vector had.
pub struct Output<'v> {
    vector: *mut Vec<u8>,
    /// The first free byte of the vector.
    start: *mut u8,
    /// The first byte written.
    at: *mut u8,
    /// The end of what is written: of the vector's memory, or a chunk before it.
    end: *mut u8,
    vector_lifetime: PhantomData<&'v mut Vec<u8>>,
}

impl<'v> Output<'v> {
    /// Writes behind what the vector has.
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        let (start, end) = free(vector);
        Output { vector, start, at: end, end, vector_lifetime: PhantomData }
    }

    /// This output, which is left without memory until it is put back: a function's own stays in registers.
    #[inline(always)]
    #[must_use]
    pub fn take(&mut self) -> Output<'v> {
        let nowhere = std::ptr::NonNull::dangling().as_ptr();
        let empty = Output { vector: self.vector, start: nowhere, at: nowhere, end: nowhere, vector_lifetime: PhantomData };
        std::mem::replace(self, empty)
    }

    /// Writes by a function that is not told where this output is kept: it stays in registers.
    #[inline(always)]
    pub fn apart(&mut self, write: impl FnOnce(&mut Self)) {
        let mut own = self.take();
        write(&mut own);
        *self = own;
    }

    /// Bytes written. A composite's elements are what came since.
    #[inline(always)]
    pub fn written(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// What was written, where it is: not in the vector, but in its free memory.
    pub fn unmoved(self) -> &'v [u8] {
        // SAFETY: `at..end` is written, or there is nothing between them. It is memory of the vector, which is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts(self.at, self.written()) }
    }

    /// Moves what was written to its place in the vector.
    pub fn finish(self) {
        let written = self.written();
        if written == 0 {
            return;
        }
        // SAFETY: the vector was not used by anybody else since `new` or `grown` took the pointers, as it is borrowed.
        let vector = unsafe { &mut *self.vector };
        if vector.spare_capacity_mut().as_ptr_range().end as usize >= self.end as usize + CHUNK {
            let mut moved = 0;
            loop {
                // SAFETY: what is read starts within what is written, or at its end, and a chunk of the vector's memory follows that. What is
                // written starts no later, and takes no byte that is still to be read, as each chunk is read first. The memory may be without
                // values, and so may its copy.
                unsafe {
                    let chunk = self.at.add(moved).cast::<[MaybeUninit<u8>; CHUNK]>().read_unaligned();
                    self.start.add(moved).cast::<[MaybeUninit<u8>; CHUNK]>().write_unaligned(chunk);
                }
                moved += CHUNK;
                if moved >= written {
                    break;
                }
            }
        } else {
            // SAFETY: `start..end` is free memory of the vector, and `at..end` is written.
            unsafe { std::ptr::copy(self.at, self.start, written) };
        }
        // SAFETY: so many bytes behind the vector's are written.
        unsafe { vector.set_len(vector.len() + written) };
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
    pub fn put<const N: usize>(&mut self, bytes: [u8; N]) {
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
        // Seven bits a byte, by a product that is exact up to 64 bits.
        let size = ((number | 1).ilog2() * 9 + 73) >> 6;
        let unused = 8 * (8 - size);
        self.room(VINT_ROOM);
        // SAFETY: there is room for eight bytes below `at`. The vint's bytes are the upper ones of the word; all but the last have the top bit.
        unsafe {
            self.at.sub(8).cast::<[u8; 8]>().write_unaligned(((scatter(number) << unused) | 0x0080_8080_8080_8080).to_le_bytes());
            self.at = self.at.sub(size as usize);
        }
    }

    /// In place like all else: a call that takes the output would have it in memory.
    #[inline(always)]
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
        self.vint_behind([wire_type::VINT as u8], zigzag(value));
    }

    /// Writes a vint, and `N` bytes in front of it. Its size costs no branch.
    #[inline(always)]
    pub fn vint_behind<const N: usize>(&mut self, front: [u8; N], number: u64) {
        const { assert!(N <= VINT_ROOM - 8) }
        self.long_vint(number);
        if number >= 1 << 56 {
            return self.put(front);
        }
        // SAFETY: `long_vint` made room for `VINT_ROOM` bytes, of which the vint takes eight at most.
        unsafe {
            self.at = self.at.sub(N);
            self.at.cast::<[u8; N]>().write_unaligned(front);
        }
    }

    /// Writes bytes of which short ones cost no branch on how many they are.
    #[inline(always)]
    pub fn octets(&mut self, value: &[u8]) {
        if value.len() <= SHORT {
            self.upper(last(value), value.len());
        } else {
            self.verbatim(value);
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

    /// Writes a word of which the last `size` bytes count.
    #[inline(always)]
    fn upper(&mut self, word: [u8; 8], size: usize) {
        self.room(word.len());
        // SAFETY: there is room for eight bytes below `at`. Those that don't count are free memory again.
        unsafe {
            self.at.sub(word.len()).cast::<[u8; 8]>().write_unaligned(word);
            self.at = self.at.sub(size.min(word.len()));
        }
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
            let head = (prefix as u32) << 8 | (inside as u32 + 1) << 16 | (count as u32) << 24;
            self.room(4);
            // SAFETY: there is room for four bytes below `at`. The head's bytes are the upper three.
            unsafe {
                self.at.sub(4).cast::<[u8; 4]>().write_unaligned(head.to_le_bytes());
                self.at = self.at.sub(3);
            }
        } else {
            self.vint(count as u64);
            let length = self.written() - before;
            self.vint(length as u64);
            self.vint(prefix);
        }
    }

    /// The same for lists and messages, of which some are longer than 127 bytes: that costs no branch.
    #[inline(always)]
    pub fn large_composite(&mut self, prefix: u64, count: usize, before: usize) {
        let length = self.written() - before + 1;
        if (prefix | count as u64) >= 0x80 || length >= 1 << 14 {
            return self.composite(prefix, count, before);
        }
        let more = u32::from(length > 0x7f);
        let sizes = length as u32 & 0x7f | more << 7 | (length as u32 >> 7) << 8;
        let head = prefix as u32 | sizes << 8 | (count as u32) << (16 + 8 * more);
        self.room(4);
        // SAFETY: there is room for four bytes below `at`. The head's bytes are the upper ones of the word.
        unsafe {
            self.at.sub(4).cast::<[u8; 4]>().write_unaligned((head << (8 - 8 * more)).to_le_bytes());
            self.at = self.at.sub(3 + more as usize);
        }
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

    /// Writes a list of values of one byte each, eight at a time.
    #[inline(always)]
    fn pairs<T: Copy + Default>(&mut self, values: &[T], byte: fn(T) -> u8) {
        let before = self.written();
        self.room(2 * values.len() + 2 * SHORT);
        let mut left = values;
        loop {
            let pairs = pairs(last(left).map(byte));
            let count = left.len().min(SHORT);
            // SAFETY: there is room for the pairs of all values and of eight more. Those that don't count are free memory again.
            unsafe {
                self.at.sub(pairs.len()).cast::<[u8; 2 * SHORT]>().write_unaligned(pairs);
                self.at = self.at.sub(2 * count);
            }
            if left.len() <= SHORT {
                break;
            }
            left = &left[..left.len() - count];
        }
        self.composite(wire_type::HTUPLE, values.len(), before);
    }
}

/// The last eight of some values; where there are less, the first stands before them.
#[inline(always)]
fn last<T: Copy + Default>(values: &[T]) -> [T; SHORT] {
    let none = [T::default()];
    let values = if values.is_empty() { &none } else { values };
    let end = values.len() - 1;
    std::array::from_fn(|index| values[end.saturating_sub(SHORT - 1 - index)])
}

/// Prefix and value of eight bools or bytes.
#[inline(always)]
fn pairs(values: [u8; SHORT]) -> [u8; 2 * SHORT] {
    let mut pairs = [wire_type::BITS8 as u8; 2 * SHORT];
    for (pair, value) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(values) {
        pair[1] = value;
    }
    pairs
}

/// The free memory of a vector that is written to: from its start to its end, or a chunk before that.
#[inline(always)]
fn free(vector: &mut Vec<u8>) -> (*mut u8, *mut u8) {
    let room = vector.spare_capacity_mut();
    let size = if room.len() >= 2 * CHUNK { room.len() - CHUNK } else { room.len() };
    let room = room[..size].as_mut_ptr_range();
    (room.start.cast(), room.end.cast())
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
    let capacity = capacity.max(vector.len() + written + size + CHUNK);
    let mut larger: Vec<u8> = Vec::with_capacity(capacity);
    larger.extend_from_slice(vector);
    let (_, old) = free(vector);
    let (start, end) = free(&mut larger);
    // SAFETY: `written` bytes before the end of the old memory are written, and the new one has room for more than those.
    let at = unsafe {
        let at = end.sub(written);
        std::ptr::copy_nonoverlapping(old.sub(written), at, written);
        at
    };
    *vector = larger;
    (start, at, end)
}
