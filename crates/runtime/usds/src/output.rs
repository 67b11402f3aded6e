//! Writing values at the end of a vector.

use std::marker::PhantomData;

use crate::wire::{FALSE, TRUE};

/// The way a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// Its lowest byte.
    One = 1,
    /// Its lowest two bytes.
    Two = 2,
    /// Its lowest four bytes.
    Four = 4,
    /// All of it.
    Eight = 8,
    /// As a UVARINT.
    Uvarint,
    /// As text that it stands for, behind its length.
    Text,
}

/// Maximum size of a field in bytes, for text without the text itself.
const WIDEST: usize = 10;

/// The free end of a vector. When it is dropped, what was written is part of the vector.
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
    /// Returns the length of the vector with what is written.
    #[inline(always)]
    #[must_use]
    pub fn offset(&self) -> usize {
        // SAFETY: the vector is borrowed for as long as this lives; `at` is in its memory.
        self.at as usize - unsafe { (*self.vector).as_ptr() as usize }
    }

    /// Starts to write behind the contents of a vector.
    #[inline(always)]
    pub fn new(vector: &'v mut Vec<u8>) -> Output<'v> {
        let room = vector.spare_capacity_mut().as_mut_ptr_range();
        Output { vector, at: room.start.cast(), end: room.end.cast(), vector_lifetime: PhantomData }
    }

    /// Makes room for `size` more bytes, if there is too little.
    #[inline(always)]
    fn room(&mut self, size: usize) {
        if (self.end as usize - self.at as usize) < size {
            // SAFETY: the vector is borrowed for as long as this lives; all bytes up to `at` are
            // written.
            (self.at, self.end) = unsafe { grown(&mut *self.vector, self.at, size) };
        }
    }

    /// Writes `N` bytes: values of fixed size in a row.
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

    /// Writes bytes as they are.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.room(bytes.len());
        // SAFETY: there is room for all bytes.
        unsafe { self.copy(bytes) };
    }

    /// Writes words, each as its field says. `text` returns the bytes of those that stand for text.
    /// The room is checked once for all fields up to the next text.
    #[inline(always)]
    pub fn words<'t>(&mut self, fields: &[Field], words: &[u64], text: impl Fn(u64) -> &'t [u8]) {
        let room = WIDEST * fields.len();
        self.room(room);
        for (field, &word) in fields.iter().zip(words) {
            // SAFETY: there was room for `WIDEST` bytes a field, and no field writes or takes more:
            // eight are written where fewer are taken. Behind a text there is as much room again.
            unsafe {
                if *field as usize <= Field::Eight as usize {
                    self.at.cast::<[u8; 8]>().write_unaligned(word.to_le_bytes());
                    self.at = self.at.add(*field as usize);
                } else if *field == Field::Uvarint {
                    self.put_uvarint(word);
                } else {
                    let text = text(word);
                    self.room(text.len() + room);
                    self.put_uvarint(text.len() as u64);
                    self.copy(text);
                }
            }
        }
    }

    /// Writes a UVARINT.
    ///
    /// # Safety
    /// There is room for `WIDEST` bytes.
    #[inline(always)]
    unsafe fn put_uvarint(&mut self, number: u64) {
        // SAFETY: the caller's promise; a number of 64 bits takes ten times seven.
        unsafe {
            if number < 0x80 {
                self.at.write(number as u8);
                self.at = self.at.add(1);
            } else if number < 0x4000 {
                self.at.cast::<[u8; 2]>().write_unaligned([number as u8 | 0x80, (number >> 7) as u8]);
                self.at = self.at.add(2);
            } else {
                self.at = put_long(self.at, number);
            }
        }
    }

    /// Writes bytes as they are. Short ones are mostly two words that may overlap: a call costs
    /// more than those.
    ///
    /// # Safety
    /// There is room for them.
    #[inline(always)]
    unsafe fn copy(&mut self, bytes: &[u8]) {
        // SAFETY: the caller's promise. The words are the first and the last of `bytes`, which is
        // no part of the free memory.
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
        // SAFETY: the vector is borrowed for as long as this lives. `at` is in its memory, and all
        // bytes up to there are written.
        unsafe {
            let vector = &mut *self.vector;
            vector.set_len(self.at as usize - vector.as_ptr() as usize);
        }
    }
}

/// Makes room in a vector for `size` more bytes behind `at`. Returns start and end of the free
/// memory.
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

/// Writes a UVARINT and returns where it ends.
///
/// # Safety
/// Ten bytes may be written at `at`.
#[cold]
#[inline(never)]
unsafe fn put_long(mut at: *mut u8, mut number: u64) -> *mut u8 {
    while number >= 0x80 {
        // SAFETY: the caller's promise: the loop is left at the tenth byte at the latest.
        unsafe {
            at.write(number as u8 | 0x80);
            at = at.add(1);
        }
        number >>= 7;
    }
    // SAFETY: as above.
    unsafe {
        at.write(number as u8);
        at.add(1)
    }
}

/// Returns the byte of a BOOLEAN.
#[inline(always)]
pub const fn truth(value: bool) -> u8 {
    if value { TRUE } else { FALSE }
}

/// Copies the bytes of a value to its place in a run.
#[inline(always)]
pub fn part<const AT: usize, const M: usize, const N: usize>(run: &mut [u8; N], bytes: [u8; M]) {
    run[AT..AT + M].copy_from_slice(&bytes);
}
