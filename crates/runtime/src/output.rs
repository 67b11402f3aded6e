//! Writing messages backwards: the length of a composite is known when its prefix is written, and
//! no byte is written twice. The encodings that do so add their values to [`Output`].

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::vint::scatter;

/// Bytes that a number of variable length takes at most, and those that it is stored with.
const VINT_ROOM: usize = 16;

/// Bytes that messages are moved in. A vector with room for twice as many leaves one chunk free
/// behind what is written, so that the last chunk needs no look at its size.
const CHUNK: usize = 128;

/// Largest size of texts that costs no branch, since sizes are hard to foresee.
pub const SHORT: usize = 8;

/// The free end of a vector, filled from its last byte down. [`finish`](Output::finish) moves what
/// was written behind the earlier contents of the vector.
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
    /// Starts to write behind the contents of a vector.
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        let (start, end) = free(vector);
        Output { vector, start, at: end, end, vector_lifetime: PhantomData }
    }

    /// Takes this output, which is left without memory until it is put back. A function's own
    /// output stays in registers.
    #[inline(always)]
    #[must_use]
    pub fn take(&mut self) -> Output<'v> {
        let nowhere = std::ptr::NonNull::dangling().as_ptr();
        let empty = Output { vector: self.vector, start: nowhere, at: nowhere, end: nowhere, vector_lifetime: PhantomData };
        std::mem::replace(self, empty)
    }

    /// Writes by a function that gets an output of its own, which stays in registers.
    #[inline(always)]
    pub fn apart(&mut self, write: impl FnOnce(&mut Self)) {
        let mut own = self.take();
        write(&mut own);
        *self = own;
    }

    /// Returns the number of bytes written. The difference of two such numbers is the size of what
    /// was written between them.
    #[inline(always)]
    pub fn written(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Returns what was written, which stays in the free memory of the vector.
    pub fn unmoved(self) -> &'v [u8] {
        // SAFETY: `at..end` is written, or there is nothing between them. It is memory of the
        // vector, which is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts(self.at, self.written()) }
    }

    /// Moves what was written to its place in the vector.
    pub fn finish(self) {
        let written = self.written();
        if written == 0 {
            return;
        }
        // SAFETY: the vector was not used by anybody else since `new` or `grown` took the pointers,
        // as it is borrowed.
        let vector = unsafe { &mut *self.vector };
        if vector.spare_capacity_mut().as_ptr_range().end as usize >= self.end as usize + CHUNK {
            let mut moved = 0;
            loop {
                // SAFETY: the read starts within what is written, or at its end, and a chunk of the
                // vector's memory follows that. The write starts no later, and covers no byte that
                // is still to be read, as each chunk is read first. The memory may be without
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
        // SAFETY: `written` bytes behind the contents of the vector are written.
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

    /// Writes a number of variable length.
    #[inline(always)]
    pub fn vint(&mut self, number: u64) {
        if number < 0x80 {
            self.put([number as u8]);
        } else {
            self.long_vint(number);
        }
    }

    /// Writes a number of any size without a branch on its size, which is hard to foresee.
    #[inline(always)]
    fn long_vint(&mut self, number: u64) {
        if number >= 1 << 56 {
            return self.longest_vint(number);
        }
        // Seven bits a byte, by a product that is exact up to 64 bits.
        let size = ((number | 1).ilog2() * 9 + 73) >> 6;
        let unused = 8 * (8 - size);
        self.room(VINT_ROOM);
        // SAFETY: there is room for eight bytes below `at`. The vint's bytes are the upper ones of
        // the word; all but the last have the top bit.
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

    /// Writes a number of variable length and `N` bytes in front of it, without a branch on its
    /// size.
    #[inline(always)]
    pub fn vint_behind<const N: usize>(&mut self, front: [u8; N], number: u64) {
        const { assert!(N <= VINT_ROOM - 8) }
        self.long_vint(number);
        if number >= 1 << 56 {
            return self.put(front);
        }
        // SAFETY: `long_vint` made room for `VINT_ROOM` bytes, of which the vint takes eight at
        // most.
        unsafe {
            self.at = self.at.sub(N);
            self.at.cast::<[u8; N]>().write_unaligned(front);
        }
    }

    /// Writes bytes. At most [`SHORT`] of them cost no branch on their number.
    #[inline(always)]
    pub fn octets(&mut self, value: &[u8]) {
        if value.len() <= SHORT {
            self.upper(last(value), value.len());
        } else {
            self.verbatim(value);
        }
    }

    /// Writes the last `size` of `N` bytes.
    #[inline(always)]
    pub fn upper<const N: usize>(&mut self, bytes: [u8; N], size: usize) {
        self.room(N);
        // SAFETY: there is room for `N` bytes below `at`. Those that don't count are free memory
        // again.
        unsafe {
            self.at.sub(N).cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.sub(size.min(N));
        }
    }

    /// Writes bytes as they are.
    #[inline(always)]
    pub fn verbatim(&mut self, bytes: &[u8]) {
        self.room(bytes.len());
        // SAFETY: there is room for them below `at`, in memory that `bytes` is no part of, as it is
        // free.
        unsafe {
            self.at = self.at.sub(bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len());
        }
    }

    /// Writes values of `N` bytes each, eight at a time, without a branch on the number of the
    /// last.
    #[inline(always)]
    pub fn eights<T: Copy + Default, const N: usize>(&mut self, values: &[T], bytes: impl Fn([T; SHORT]) -> [[u8; N]; SHORT]) {
        self.room(N * (values.len() + SHORT));
        let mut left = values;
        loop {
            let eight = bytes(last(left));
            let count = left.len().min(SHORT);
            // SAFETY: there is room for the bytes of all values and of eight more. Those that don't
            // count are free memory again.
            unsafe {
                self.at.sub(N * SHORT).cast::<[[u8; N]; SHORT]>().write_unaligned(eight);
                self.at = self.at.sub(N * count);
            }
            if left.len() <= SHORT {
                break;
            }
            left = &left[..left.len() - count];
        }
    }
}

/// Returns the last eight values. If there are fewer, the first one is repeated in front of them.
#[inline(always)]
fn last<T: Copy + Default>(values: &[T]) -> [T; SHORT] {
    let none = [T::default()];
    let values = if values.is_empty() { &none } else { values };
    let end = values.len() - 1;
    std::array::from_fn(|index| values[end.saturating_sub(SHORT - 1 - index)])
}

/// Returns the part of a vector's free memory that is written to: to its end, or a chunk before
/// that.
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

/// Makes room in a vector for `size` bytes more than the `written` ones at its end, which move to
/// the new end. Returns where the free memory starts, where the written bytes start, and where both
/// end.
#[cold]
#[inline(never)]
fn grown(vector: &mut Vec<u8>, written: usize, size: usize) -> (*mut u8, *mut u8, *mut u8) {
    // At least twice as large as before, so that each byte moves a bounded number of times, also
    // where many messages are appended.
    let capacity = (vector.len() + written + size).max(vector.capacity()).max(32).saturating_mul(2);
    let capacity = capacity.max(vector.len() + written + size + CHUNK);
    let mut larger: Vec<u8> = Vec::with_capacity(capacity);
    larger.extend_from_slice(vector);
    let (_, old) = free(vector);
    let (start, end) = free(&mut larger);
    // SAFETY: `written` bytes before the end of the old memory are written, and the new one has
    // room for more than those.
    let at = unsafe {
        let at = end.sub(written);
        std::ptr::copy_nonoverlapping(old.sub(written), at, written);
        at
    };
    *vector = larger;
    (start, at, end)
}
