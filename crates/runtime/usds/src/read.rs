//! The fast reader: generated code asks for the value that it expects, and gets it or [`Failed`].
//!
//! The common case is inline. The reader does not explain errors: [`shape`](crate::shape) reads
//! refused bytes a second time.

use polywire_runtime::Arena;
pub use polywire_runtime::read::{Failed, Own, Read};
use polywire_runtime::text::utf8;

use crate::wire::{self, FALSE, ID, SIZE, TRUE};

/// A reader of values. `S` is where arrays go: `&Arena` or [`Own`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    bytes: &'a [u8],
    at: usize,
    store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// Returns a reader of the value at `at`, or at the end if `at` is beyond it.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], at: usize, store: S) -> Reader<'a, S> {
        Reader { bytes, at: at.min(bytes.len()), store }
    }

    /// Returns the offset of the next value.
    #[inline(always)]
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Reads `N` bytes: values of fixed size in a row.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn run<const N: usize>(&mut self) -> Read<&'a [u8; N]> {
        let run = self.bytes[self.at..].first_chunk::<N>().ok_or(Failed)?;
        self.at += N;
        Ok(run)
    }

    /// Reads a UVARINT.
    ///
    /// # Errors
    /// The bytes end; it is padded, or above 64 bits.
    #[inline(always)]
    pub fn uvarint(&mut self) -> Read<u64> {
        // Two bytes at once: numbers up to 16383 cost one branch.
        match self.bytes[self.at..] {
            [low, ..] if low < 0x80 => {
                self.at += 1;
                Ok(u64::from(low))
            }
            [low, high, ..] if high < 0x80 && high != 0 => {
                self.at += 2;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.rest(long_uvarint(self.bytes, self.at)),
        }
    }

    /// Reads a VARINT.
    ///
    /// # Errors
    /// The bytes end; it is padded, a negative zero, or beyond 64 bits.
    #[inline(always)]
    pub fn varint(&mut self) -> Read<i64> {
        match self.bytes[self.at..] {
            [byte, ..] if byte < 0x80 && byte != 1 => {
                self.at += 1;
                let magnitude = i64::from(byte >> 1);
                Ok(if byte & 1 == 1 { -magnitude } else { magnitude })
            }
            _ => self.rest(long_varint(self.bytes, self.at)),
        }
    }

    /// Reads a size or a count: 32 bits.
    #[inline(always)]
    fn size(&mut self) -> Read<usize> {
        match self.bytes[self.at..] {
            [byte, ..] if byte < 0x80 => {
                self.at += 1;
                Ok(usize::from(byte))
            }
            _ => self.rest(long_narrow(self.bytes, self.at, SIZE)).map(|size| size as usize),
        }
    }

    /// Reads the id of a tag.
    ///
    /// # Errors
    /// The bytes end; it is padded, or above 31 bits.
    #[inline(always)]
    pub fn id(&mut self) -> Read<u32> {
        match self.bytes[self.at..] {
            [byte, ..] if byte < 0x80 => {
                self.at += 1;
                Ok(u32::from(byte))
            }
            _ => self.rest(long_narrow(self.bytes, self.at, ID)),
        }
    }

    #[inline(always)]
    fn rest<T>(&mut self, read: Read<(T, usize)>) -> Read<T> {
        let (value, end) = read?;
        self.at = end;
        Ok(value)
    }

    /// Reads a length and returns the bytes behind it in their place.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn octets(&mut self) -> Read<&'a [u8]> {
        let len = self.size()?;
        let octets = self.bytes[self.at..].get(..len).ok_or(Failed)?;
        self.at += len;
        Ok(octets)
    }

    /// Reads a length and returns the text behind it in its place.
    ///
    /// # Errors
    /// The bytes end, or are not UTF-8.
    #[inline(always)]
    pub fn text(&mut self) -> Read<&'a str> {
        utf8(self.octets()?).ok_or(Failed)
    }

    /// Reads `N` presence bytes, of which `nullable` bits stand for a field
    /// (docs/spec/usds.md 10).
    ///
    /// # Errors
    /// The bytes end; a bit is set that stands for no field.
    #[inline(always)]
    pub fn presence<const N: usize>(&mut self, nullable: usize) -> Read<&'a [u8; N]> {
        let bytes = self.run::<N>()?;
        let used = nullable - 8 * (N - 1);
        if u16::from(bytes[N - 1]) >> used == 0 { Ok(bytes) } else { Err(Failed) }
    }

    /// Reads the count of an array whose elements take at least `LEAST` bytes each.
    #[inline(always)]
    fn count<const LEAST: usize>(&mut self) -> Read<usize> {
        let count = self.size()?;
        if count > (self.bytes.len() - self.at) / LEAST { Err(Failed) } else { Ok(count) }
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// Reads an array of what `read` reads.
    ///
    /// # Errors
    /// An element can't be read, or too few bytes are left for all.
    #[inline(always)]
    pub fn array<const LEAST: usize, T: Copy>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<&'a [T]> {
        let count = self.count::<LEAST>()?;
        let store = self.store;
        // A copy, whose fields stay in registers.
        let mut reader = *self;
        let list = store.fill(count, || read(&mut reader))?;
        *self = reader;
        Ok(list)
    }
}

impl Reader<'_, Own> {
    /// Reads an array of what `read` reads.
    ///
    /// # Errors
    /// An element can't be read, or too few bytes are left for all.
    #[inline(always)]
    pub fn vector<const LEAST: usize, T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.count::<LEAST>()?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }
}

#[cold]
#[inline(never)]
fn long_uvarint(bytes: &[u8], at: usize) -> Read<(u64, usize)> {
    wire::uvarint(bytes, at).map_err(|_| Failed)
}

#[cold]
#[inline(never)]
fn long_varint(bytes: &[u8], at: usize) -> Read<(i64, usize)> {
    wire::varint(bytes, at).map_err(|_| Failed)
}

#[cold]
#[inline(never)]
fn long_narrow(bytes: &[u8], at: usize, last: u8) -> Read<(u32, usize)> {
    wire::narrow(bytes, at, last).map_err(|_| Failed)
}

/// Returns `M` bytes of a run, from the byte `AT`.
#[inline(always)]
pub fn part<const AT: usize, const M: usize, const N: usize>(run: &[u8; N]) -> [u8; M] {
    let mut part = [0; M];
    part.copy_from_slice(&run[AT..AT + M]);
    part
}

/// Returns the BOOLEAN of a byte.
///
/// # Errors
/// The byte is neither true nor false.
#[inline(always)]
pub const fn truth(byte: u8) -> Read<bool> {
    match byte {
        TRUE => Ok(true),
        FALSE => Ok(false),
        _ => Err(Failed),
    }
}

/// Returns whether the nullable field of a position is present.
#[inline(always)]
pub const fn is_present<const N: usize>(presence: &[u8; N], position: usize) -> bool {
    presence[position / 8] >> (position % 8) & 1 == 1
}
