//! Writing values at the end of a vector.

use std::marker::PhantomData;

use crate::wire::{FALSE, TRUE};

/// The free end of a vector. What was written is part of the vector when this is dropped.
#[derive(Debug)]
pub struct Output<'v> {
    vector: *mut Vec<u8>,
    /// Where the next byte goes.
    at: *mut u8,
    /// The end of the vector's memory.
    end: *mut u8,
    vector_lifetime: PhantomData<&'v mut Vec<u8>>,
}

impl<'v> Output<'v> {
    /// Writes behind what the vector has.
    #[inline(always)]
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        let room = vector.spare_capacity_mut().as_mut_ptr_range();
        Output { vector, at: room.start.cast(), end: room.end.cast(), vector_lifetime: PhantomData }
    }

    /// Makes room for `size` more bytes, if there is too little.
    #[inline(always)]
    fn room(&mut self, size: usize) {
        if (self.end as usize - self.at as usize) < size {
            // SAFETY: the vector is borrowed for as long as this lives; all bytes up to `at` are written.
            (self.at, self.end) = unsafe { grown(&mut *self.vector, self.at, size) };
        }
    }

    /// Writes `N` bytes: values of fixed size, one behind the other.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.room(N);
        // SAFETY: there is room for `N` bytes.
        unsafe {
            self.at.cast::<[u8; N]>().write_unaligned(bytes);
            self.at = self.at.add(N);
        }
    }

    /// Writes a UVARINT.
    #[inline(always)]
    pub fn uvarint(&mut self, number: u64) {
        if number < 0x80 {
            self.put([number as u8]);
        } else if number < 0x4000 {
            self.put([number as u8 | 0x80, (number >> 7) as u8]);
        } else {
            self.long(u128::from(number));
        }
    }

    /// Writes a VARINT.
    #[inline(always)]
    pub fn varint(&mut self, number: i64) {
        self.long(u128::from(number.unsigned_abs()) << 1 | u128::from(number < 0));
    }

    #[inline(never)]
    fn long(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.put([number as u8 | 0x80]);
            number >>= 7;
        }
        self.put([number as u8]);
    }

    /// Writes text or bytes behind their length.
    #[inline(always)]
    pub fn octets(&mut self, octets: &[u8]) {
        if octets.len() >= 0x80 {
            self.uvarint(octets.len() as u64);
            self.room(octets.len());
        } else {
            self.room(1 + octets.len());
            // SAFETY: there is room for one byte.
            unsafe {
                self.at.write(octets.len() as u8);
                self.at = self.at.add(1);
            }
        }
        // SAFETY: there is room for all bytes.
        unsafe { self.copy(octets) };
    }

    /// Writes bytes as they are. Short ones are mostly two words that may overlap: a call costs more than those.
    ///
    /// # Safety
    /// There is room for them.
    #[inline(always)]
    unsafe fn copy(&mut self, bytes: &[u8]) {
        // SAFETY: the caller's promise. The words are the first and the last of `bytes`, which is no part of the free memory.
        unsafe {
            match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
                (Some(first), Some(last)) if bytes.len() <= 16 => {
                    self.at.cast::<[u8; 8]>().write_unaligned(*first);
                    self.at.add(bytes.len() - 8).cast::<[u8; 8]>().write_unaligned(*last);
                }
                _ => std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, bytes.len()),
            }
            self.at = self.at.add(bytes.len());
        }
    }
}

impl Drop for Output<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the vector is borrowed for as long as this lives. `at` is in its memory, and all bytes up to there are written.
        unsafe {
            let vector = &mut *self.vector;
            vector.set_len(self.at as usize - vector.as_ptr() as usize);
        }
    }
}

/// The vector with room for `size` more bytes behind `at`: where the free memory starts and ends.
///
/// # Safety
/// `at` is in the memory of the vector, and all bytes up to there are written.
#[cold]
#[inline(never)]
unsafe fn grown(vector: &mut Vec<u8>, at: *mut u8, size: usize) -> (*mut u8, *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { vector.set_len(at as usize - vector.as_ptr() as usize) };
    vector.reserve(size.max(64));
    let room = vector.spare_capacity_mut().as_mut_ptr_range();
    (room.start.cast(), room.end.cast())
}

/// The byte of a truth value.
#[inline(always)]
pub const fn truth(value: bool) -> u8 {
    if value { TRUE } else { FALSE }
}

/// Copies the bytes of a value to its place in a run.
#[inline(always)]
pub fn part<const AT: usize, const M: usize, const N: usize>(run: &mut [u8; N], bytes: [u8; M]) {
    run[AT..AT + M].copy_from_slice(&bytes);
}
