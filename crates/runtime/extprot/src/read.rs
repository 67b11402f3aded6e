//! The fast reader: generated code asks for the value that it expects, and gets it or [`Failed`].
//!
//! The common case is inline: prefixes and sizes of one byte, a value's own wire type. The rest is
//! out of line: long forms, widening, primitives inside tuples (docs/spec/extprot.md 5.2). The
//! reader does not explain errors: [`Shape::explain`](crate::shape::Shape::explain) reads a refused
//! message a second time.

use polywire_runtime::bits::{self, BLOCK};
pub use polywire_runtime::read::{Check, Failed, Own, Read};
use polywire_runtime::vint::{gather, unzigzag};
use polywire_runtime::{Arena, Room};

use crate::limits::Limits;
use crate::scan::{self, Cases, Each, One};
use crate::wire::{self, wire_type};

/// Prefix and value of bools or bytes, in turn.
type Pairs<'a> = &'a [[u8; 2]];

/// The head of a composite.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    count: u64,
    /// Number of bytes of the message behind the composite.
    after: usize,
}

impl Row {
    /// Returns whether the element of that number is present.
    #[inline(always)]
    pub const fn has(&self, number: u64) -> bool {
        self.count > number
    }

    /// Checks that the element of that number is present.
    ///
    /// # Errors
    /// It is absent.
    #[inline(always)]
    pub const fn need(&self, number: u64) -> Read<()> {
        if self.count > number { Ok(()) } else { Err(Failed) }
    }
}

/// The head of a composite with the sizes that checks need.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    row: Row,
    length: usize,
    /// Number of bytes of the elements.
    inside: usize,
}

/// A reader of a message. `S` is where lists and strings go: `&Arena`, [`Own`] or [`Check`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    /// The bytes from the next value on.
    rest: &'a [u8],
    bytes: &'a [u8],
    limits: &'a Limits,
    store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// Returns a reader of the value at the first byte.
    pub const fn new(bytes: &'a [u8], limits: &'a Limits, store: S) -> Reader<'a, S> {
        Reader { rest: bytes, bytes, limits, store }
    }

    /// Returns the offset of the next value.
    pub const fn offset(&self) -> usize {
        self.bytes.len() - self.rest.len()
    }

    /// Reads by a copy of this reader, which stays in registers.
    ///
    /// # Errors
    /// Those of `read`. This reader then stays where it was.
    #[inline(always)]
    pub fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let mut copy = *self;
        let value = read(&mut copy)?;
        *self = copy;
        Ok(value)
    }

    /// Returns the next eight bytes, with zeros behind the last. Near the end of a message they
    /// come from its last eight bytes, which costs no loop.
    #[inline(always)]
    fn word(&self) -> u64 {
        if let Some(word) = self.rest.first_chunk::<8>() {
            return u64::from_le_bytes(*word);
        }
        last_word(self.bytes, self.rest.len())
    }

    /// Skips bytes.
    #[inline(always)]
    fn step(&mut self, size: usize) -> Read<()> {
        self.rest = self.rest.get(size..).ok_or(Failed)?;
        Ok(())
    }

    /// Reads a prefix: tag and wire type (docs/spec/extprot.md 4.2).
    ///
    /// # Errors
    /// The bytes end; a number above 64 bits.
    #[inline(always)]
    pub fn prefix(&mut self) -> Read<u64> {
        match self.rest {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            _ => self.long_vint(),
        }
    }

    /// Returns the prefix of the next value without reading it.
    ///
    /// # Errors
    /// Those of [`prefix`](Self::prefix).
    #[inline(always)]
    pub fn peek(&self) -> Read<u64> {
        self.clone().prefix()
    }

    #[inline(always)]
    fn long_vint(&mut self) -> Read<u64> {
        let (value, at) = long_vint(self.rest, 0)?;
        self.step(at)?;
        Ok(value)
    }

    /// Reads a number without a branch on its size, which is hard to foresee.
    #[inline(always)]
    fn vint(&mut self) -> Read<u64> {
        let word = self.word();
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.long_vint();
        }
        self.step(ends.trailing_zeros() as usize / 8 + 1)?;
        Ok(gather(word & (ends ^ (ends - 1))))
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Failed)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Reads the head of a composite behind its prefix. Its elements come next;
    /// [`leave`](Self::leave) goes on behind it.
    ///
    /// # Errors
    /// The composite goes beyond the bytes; a number above 64 bits.
    #[inline(always)]
    pub fn composite(&mut self) -> Read<Row> {
        self.short_sizes(self.word(), 0).map(|sizes| sizes.row)
    }

    /// Reads the head of a tuple, as [`composite`](Self::composite) does, or the prefix of another
    /// value, whose wire type it returns.
    ///
    /// # Errors
    /// The tuple goes beyond the bytes; a number above 64 bits.
    #[inline(always)]
    pub fn tuple(&mut self) -> Read<Result<Row, u64>> {
        let word = self.word();
        if word & 0x0080_808f == wire_type::TUPLE {
            return self.short_sizes(word >> 8, 1).map(|sizes| Ok(sizes.row));
        }
        match self.prefix()? & 15 {
            wire_type::TUPLE => self.composite().map(Ok),
            other => Ok(Err(other)),
        }
    }

    /// Reads the sizes behind the next `before` bytes. Sizes of one byte each are in `word`.
    #[inline(always)]
    fn short_sizes(&mut self, word: u64, before: usize) -> Read<Sizes> {
        if word & 0x8080 != 0 {
            return self.sizes(word, before);
        }
        let length = (word & 0x7f) as usize;
        let after = self.rest.len().wrapping_sub(before + 1 + length);
        // A count takes at least one byte.
        if length == 0 || after > self.rest.len() {
            return Err(Failed);
        }
        self.step(before + 2)?;
        Ok(Sizes { row: Row { count: word >> 8 & 0x7f, after }, length, inside: length - 1 })
    }

    /// Does the same without a branch on whether the length has one byte or two.
    #[inline(always)]
    fn sizes(&mut self, word: u64, before: usize) -> Read<Sizes> {
        let more = (word >> 7) & 1;
        let behind = word >> (8 * more);
        if behind & 0x8080 != 0 {
            self.step(before)?;
            let Head { length, count, elements, end } = head(self.rest, 0)?;
            let after = self.rest.len() - end;
            self.step(elements)?;
            return Ok(Sizes { row: Row { count, after }, length, inside: end - elements });
        }
        let length = (word & 0x7f | (behind & 0x7f) << (7 * more)) as usize;
        let size = before + 1 + more as usize;
        let after = self.rest.len().wrapping_sub(size + length);
        if length == 0 || after > self.rest.len() {
            return Err(Failed);
        }
        self.step(size + 1)?;
        Ok(Sizes { row: Row { count: (behind >> 8) & 0x7f, after }, length, inside: length - 1 })
    }

    /// Reads the head of a message or list, as [`composite`](Self::composite) does, and checks it
    /// against the limits.
    ///
    /// # Errors
    /// Those of `composite`; a size above its limit.
    #[inline(always)]
    pub fn limited(&mut self) -> Read<Row> {
        let sizes = self.sizes(self.word(), 0)?;
        self.limit(sizes)?;
        Ok(sizes.row)
    }

    #[inline(always)]
    fn limit(&self, sizes: Sizes) -> Read<()> {
        if sizes.row.count > self.limits.elements || sizes.length as u64 > self.limits.message_length {
            return Err(Failed);
        }
        Ok(())
    }

    /// Goes on behind a composite. Elements are read without a look at its end, which is checked
    /// here.
    ///
    /// # Errors
    /// An element went beyond the end.
    #[inline(always)]
    pub fn leave(&mut self, row: Row) -> Read<()> {
        self.step(self.rest.len().checked_sub(row.after).ok_or(Failed)?)
    }

    /// Reads the head of a list and returns it with the number of elements, which come next;
    /// [`leave`](Self::leave) goes on behind them. An element takes at least `LEAST` bytes.
    ///
    /// # Errors
    /// Another value; a list that goes beyond the bytes or is too short for its elements; a size
    /// above its limit.
    #[inline(always)]
    pub fn elements<const LEAST: usize>(&mut self) -> Read<(Row, usize)> {
        self.list_head::<LEAST>(Self::sizes)
    }

    /// Does what [`elements`](Self::elements) does, for a list that is seldom long.
    #[inline(always)]
    fn short_elements(&mut self) -> Read<(Row, usize)> {
        self.list_head::<2>(Self::short_sizes)
    }

    #[inline(always)]
    fn list_head<const LEAST: usize>(&mut self, read: fn(&mut Self, u64, usize) -> Read<Sizes>) -> Read<(Row, usize)> {
        let word = self.word();
        let sizes = if word & 0x8f == wire_type::HTUPLE {
            read(self, word >> 8, 1)?
        } else if self.long_vint()? & 15 == wire_type::HTUPLE {
            self.sizes(self.word(), 0)?
        } else {
            return Err(Failed);
        };
        self.limit(sizes)?;
        // An element can't be shorter: one is missing, or can't be read.
        if sizes.row.count > (sizes.inside / LEAST) as u64 {
            return Err(Failed);
        }
        Ok((sizes.row, sizes.row.count as usize))
    }

    /// Reads a bool (docs/spec/extprot.md 5.2).
    ///
    /// # Errors
    /// Another value, or none.
    #[inline(always)]
    pub fn bool(&mut self) -> Read<bool> {
        Ok(self.byte()? != 0)
    }

    /// Reads a byte.
    ///
    /// # Errors
    /// Another value, or none.
    #[inline(always)]
    pub fn byte(&mut self) -> Read<u8> {
        match self.rest {
            [prefix, byte, rest @ ..] if u64::from(*prefix) == wire_type::BITS8 => {
                self.rest = rest;
                Ok(*byte)
            }
            _ => self.other(Expected::Byte).map(|bits| bits as u8),
        }
    }

    /// Reads an int. Prefix and number are taken from one word, if it holds them.
    ///
    /// # Errors
    /// Another value, or none.
    #[inline(always)]
    pub fn int(&mut self) -> Read<i64> {
        let word = self.word();
        let ends = !word & 0x8080_8080_8080_8000;
        if word & 0xff != wire_type::VINT || ends == 0 {
            let (number, at) = long_int(self.rest)?;
            self.step(at)?;
            return Ok(number);
        }
        self.step(ends.trailing_zeros() as usize / 8 + 1)?;
        Ok(unzigzag(gather((word & (ends ^ (ends - 1))) >> 8)))
    }

    /// Reads a long.
    ///
    /// # Errors
    /// Another value, or none.
    #[inline(always)]
    pub fn long(&mut self) -> Read<i64> {
        match self.rest.split_first_chunk::<9>() {
            Some((&[prefix, ref bytes @ ..], rest)) if u64::from(prefix) == wire_type::BITS64_LONG => {
                self.rest = rest;
                Ok(i64::from_le_bytes(*bytes))
            }
            _ => self.other(Expected::Long).map(|bits| bits as i64),
        }
    }

    /// Reads a float.
    ///
    /// # Errors
    /// Another value, or none.
    #[inline(always)]
    pub fn float(&mut self) -> Read<f64> {
        match self.rest.split_first_chunk::<9>() {
            Some((&[prefix, ref bytes @ ..], rest)) if u64::from(prefix) == wire_type::BITS64_FLOAT => {
                self.rest = rest;
                Ok(f64::from_le_bytes(*bytes))
            }
            _ => self.other(Expected::Float).map(f64::from_bits),
        }
    }

    /// Reads a string and returns its bytes in their place.
    ///
    /// # Errors
    /// Another value, or none; a size above the limit.
    #[inline(always)]
    pub fn slice(&mut self) -> Read<&'a [u8]> {
        let text = match self.rest {
            [prefix, length, rest @ ..] if u64::from(*prefix) == wire_type::BYTES && *length < 0x80 => {
                let (text, rest) = rest.split_at_checked(usize::from(*length)).ok_or(Failed)?;
                self.rest = rest;
                text
            }
            _ => {
                let (text, at) = other_string(self.rest)?;
                self.step(at)?;
                text
            }
        };
        if text.len() as u64 > self.limits.string_length {
            return Err(Failed);
        }
        Ok(text)
    }

    #[inline(always)]
    fn other(&mut self, expected: Expected) -> Read<u64> {
        let (bits, at) = other(self.rest, expected)?;
        self.step(at)?;
        Ok(bits)
    }

    /// Reads the payload of an int behind its prefix: a value that stands for a tuple, a message or
    /// a sum (docs/spec/extprot.md 5.3).
    ///
    /// # Errors
    /// The bytes end; a number above 64 bits.
    #[inline(always)]
    pub fn bare_int(&mut self) -> Read<i64> {
        self.vint().map(unzigzag)
    }

    /// Reads the payload of a bool behind its prefix.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_bool(&mut self) -> Read<bool> {
        Ok(self.bare_byte()? != 0)
    }

    /// Reads the payload of a byte behind its prefix.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_byte(&mut self) -> Read<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// Reads the payload of a long behind its prefix.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_long(&mut self) -> Read<i64> {
        self.take().map(i64::from_le_bytes)
    }

    /// Reads the payload of a float behind its prefix.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_float(&mut self) -> Read<f64> {
        self.take().map(f64::from_le_bytes)
    }

    /// Reads the payload of a string behind its prefix.
    ///
    /// # Errors
    /// The bytes end; a size above the limit.
    #[inline(always)]
    pub fn bare_slice(&mut self) -> Read<&'a [u8]> {
        let length = self.vint()?;
        if length > self.rest.len() as u64 || length > self.limits.string_length {
            return Err(Failed);
        }
        let (text, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(text)
    }

    /// Reads over a value and returns its bytes, prefix included. Only its end is checked
    /// (docs/spec/extprot.md 4.2).
    ///
    /// # Errors
    /// An invalid wire type; the bytes end; a number above 64 bits.
    pub fn value(&mut self) -> Read<&'a [u8]> {
        let (value, rest) = self.rest.split_at(skip(self.rest)?);
        self.rest = rest;
        Ok(value)
    }

    /// Returns the next `count` bools, if they are few, and all have their own wire type.
    #[inline(always)]
    fn few_bools(&self, count: usize) -> Option<[bool; BLOCK]> {
        let window = self.rest.first_chunk()?;
        if count > BLOCK {
            return None;
        }
        let (own, bools) = bits::pairs(window, wire_type::BITS8 as u8);
        let others = !own & 0x5555_5555 & ((1 << (2 * count)) - 1);
        (others == 0).then_some(bools)
    }

    /// Returns prefix and value of the next `count` bools or bytes, if all have their own wire
    /// type.
    #[inline(always)]
    fn pairs(&self, count: usize) -> Option<Pairs<'a>> {
        pairs(self.rest, count)
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// Returns room for a list of `count` values.
    #[inline(always)]
    pub fn room<T: Copy>(&self, count: usize) -> Room<'a, T> {
        self.store.room(count)
    }

    /// Reads a list of values of a sum type whose constructors have one primitive each, or none:
    /// `cases`. `make` makes a value without a branch, `read` reads values in other forms.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn cases<T: Copy>(&mut self, cases: &Cases, make: impl Fn(One<'a>) -> T, read: fn(&mut Self) -> Read<T>) -> Read<&'a [T]> {
        let (row, count) = self.elements::<1>()?;
        let mut list = self.store.room(count);
        let mut each = Each::new(cases, self.bytes, self.offset());
        for _ in 0..count {
            match each.next() {
                Some(one) => list.push(make(one)),
                None => break,
            }
        }
        let list = list.finish();
        let list = if list.len() == count && each.end_at(self.bytes.len() - row.after) && self.limits.string_length >= 0x80 {
            list
        } else {
            let mut own = *self;
            let list = own.store.fill(count, || read(&mut own))?;
            *self = own;
            list
        };
        self.leave(row)?;
        Ok(list)
    }

    /// Reads a list of bools.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn bools(&mut self) -> Read<&'a [bool]> {
        let (row, count) = self.short_elements()?;
        let store = self.store;
        let list = if let Some(few) = self.few_bools(count) {
            store.first(few, count)
        } else if let Some(pairs) = self.pairs(count) {
            let mut pairs = pairs.iter();
            store.fill(count, || pairs.next().map(|pair| pair[1] != 0).ok_or(Failed))?
        } else {
            store.fill(count, || self.bool())?
        };
        self.leave(row)?;
        Ok(list)
    }

    /// Reads a list of bytes.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let (row, count) = self.short_elements()?;
        let store = self.store;
        let list = if let Some(pairs) = self.pairs(count) {
            let mut pairs = pairs.iter();
            store.fill(count, || pairs.next().map(|pair| pair[1]).ok_or(Failed))?
        } else {
            store.fill(count, || self.byte())?
        };
        self.leave(row)?;
        Ok(list)
    }
}

impl Reader<'_, Own> {
    /// Reads a string.
    ///
    /// # Errors
    /// Those of [`slice`](Self::slice).
    #[inline(always)]
    pub fn string(&mut self) -> Read<Vec<u8>> {
        let before = self.rest;
        let text = self.slice()?;
        Ok(owned(text, before))
    }

    /// Reads the payload of a string behind its prefix.
    ///
    /// # Errors
    /// Those of [`bare_slice`](Self::bare_slice).
    #[inline(always)]
    pub fn bare_string(&mut self) -> Read<Vec<u8>> {
        Ok(self.bare_slice()?.to_vec())
    }

    /// Reads a list of bools.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn bools(&mut self) -> Read<Vec<bool>> {
        let (row, count) = self.short_elements()?;
        let list = if count == 0 {
            Vec::new()
        } else if let Some(few) = self.few_bools(count) {
            first(few, count)
        } else if let Some(pairs) = self.pairs(count) {
            pairs.iter().map(|pair| pair[1] != 0).collect()
        } else {
            (0..count).map(|_| self.bool()).collect::<Read<_>>()?
        };
        self.leave(row)?;
        Ok(list)
    }

    /// Reads a list of bytes.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<Vec<u8>> {
        let (row, count) = self.short_elements()?;
        let list = if let Some(pairs) = self.pairs(count) {
            pairs.iter().map(|pair| pair[1]).collect()
        } else {
            (0..count).map(|_| self.byte()).collect::<Read<_>>()?
        };
        self.leave(row)?;
        Ok(list)
    }
}

impl<'a> Reader<'a, Check> {
    /// Checks a list of bools or bytes.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<()> {
        let (row, count) = self.short_elements()?;
        // The elements are wholly in the list: it has two bytes for each.
        if !scan::octets(self.bytes, self.offset(), count) && self.pairs(count).is_none() {
            for _ in 0..count {
                self.byte()?;
            }
        }
        self.leave(row)
    }

    /// Checks a list of ints.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn ints(&mut self) -> Read<()> {
        let (row, count) = self.elements::<2>()?;
        if !scan::ints(self.bytes, self.offset(), self.bytes.len() - row.after, count) {
            for _ in 0..count {
                self.int()?;
            }
        }
        self.leave(row)
    }

    /// Checks a list of values of a sum type whose constructors have one primitive each, or none:
    /// `cases`. `check` checks values in other forms.
    ///
    /// # Errors
    /// Another value; an element can't be read; a size above its limit.
    #[inline(always)]
    pub fn cases(&mut self, cases: &Cases, check: fn(&mut Reader<'a, Check>) -> Read<()>) -> Read<()> {
        let (row, count) = self.elements::<1>()?;
        let stop = self.bytes.len() - row.after;
        if self.limits.string_length < 0x80 || !cases.fill(self.bytes, self.offset(), stop, count) {
            let mut own = *self;
            for _ in 0..count {
                check(&mut own)?;
            }
            *self = own;
        }
        self.leave(row)
    }
}

/// Returns the first values of an array. A vector with room for all of them costs an allocator no
/// more, and the copy needs no loop.
#[inline(always)]
fn first<T: Copy, const N: usize>(values: [T; N], count: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(N);
    list.extend_from_slice(&values);
    list.truncate(count);
    list
}

/// Returns a copy of a string. A short one is copied with the bytes behind it, which needs no loop.
/// `before` starts at its prefix.
#[inline(always)]
fn owned(text: &[u8], before: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return Vec::new();
    }
    match before.get(2..).and_then(|around| around.first_chunk::<16>()) {
        Some(around) if text.len() <= 16 && std::ptr::eq(around.as_ptr(), text.as_ptr()) => first(*around, text.len()),
        _ => text.to_vec(),
    }
}

/// A primitive that may come in another wire type, or in a long form.
#[derive(Debug, Clone, Copy)]
enum Expected {
    Byte,
    Int,
    Long,
    Float,
}

#[cold]
#[inline(never)]
fn long_vint(bytes: &[u8], at: usize) -> Read<(u64, usize)> {
    wire::vint(bytes, at).map_err(|_| Failed)
}

/// Returns the first `count` pairs, if all have the wire type of bools and bytes.
#[inline(never)]
fn pairs(bytes: &[u8], count: usize) -> Option<Pairs<'_>> {
    let pairs = bytes.get(..2 * count)?.as_chunks::<2>().0;
    let wrong = pairs.iter().fold(0, |wrong, pair| wrong | (pair[0] ^ wire_type::BITS8 as u8));
    (wrong == 0).then_some(pairs)
}

/// Returns the last `left` bytes, fewer than eight, and zeros.
#[inline(never)]
fn last_word(bytes: &[u8], left: usize) -> u64 {
    match bytes.last_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word).checked_shr(64 - 8 * left as u32).unwrap_or(0),
        None => bytes.iter().rev().take(left).fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Reads an int that is longer than a word with its prefix, or in another wire type. Returns where
/// it ends, too.
#[inline(never)]
fn long_int(bytes: &[u8]) -> Read<(i64, usize)> {
    match bytes {
        [prefix, rest @ ..] if u64::from(*prefix) == wire_type::VINT => {
            let (value, at) = long_vint(rest, 0)?;
            Ok((unzigzag(value), 1 + at))
        }
        _ => other(bytes, Expected::Int).map(|(bits, at)| (bits as i64, at)),
    }
}

/// The head of a composite in long form.
#[derive(Debug, Clone, Copy)]
struct Head {
    length: usize,
    count: u64,
    /// Start and end of the elements.
    elements: usize,
    end: usize,
}

/// Reads the head of the composite whose length is at `at`.
#[cold]
#[inline(never)]
fn head(bytes: &[u8], at: usize) -> Read<Head> {
    let (length, inside) = long_vint(bytes, at)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len() - inside).ok_or(Failed)?;
    let end = inside + length;
    let (count, elements) = long_vint(&bytes[..end], inside)?;
    Ok(Head { length, count, elements, end })
}

/// Follows steps 1, 3 and 4 of docs/spec/extprot.md 5.2. Returns the bits of the number, and
/// where the value ends.
#[cold]
#[inline(never)]
fn other(bytes: &[u8], expected: Expected) -> Read<(u64, usize)> {
    let (prefix, at) = long_vint(bytes, 0)?;
    if prefix == wire_type::TUPLE {
        let Head { count, elements, end, .. } = head(bytes, at)?;
        if count == 0 {
            return Err(Failed);
        }
        let (prefix, payload) = long_vint(&bytes[..end], elements)?;
        let (bits, _) = number(&bytes[..end], payload, prefix, expected)?;
        return Ok((bits, end));
    }
    number(bytes, at, prefix, expected)
}

/// Reads a number of the expected type or a narrower one (docs/spec/extprot.md 5.4). Returns its
/// bits, and where it ends.
fn number(bytes: &[u8], at: usize, prefix: u64, expected: Expected) -> Read<(u64, usize)> {
    fn fixed<const N: usize>(bytes: &[u8], at: usize) -> Read<([u8; N], usize)> {
        Ok((*bytes[at..].first_chunk::<N>().ok_or(Failed)?, at + N))
    }
    let (value, at) = match (prefix, expected) {
        (wire_type::BITS64_FLOAT, Expected::Float) => {
            let (bits, at) = fixed(bytes, at)?;
            return Ok((u64::from_le_bytes(bits), at));
        }
        (wire_type::BITS8, _) => fixed::<1>(bytes, at).map(|([byte], at)| (i64::from(byte), at))?,
        (wire_type::VINT, Expected::Int | Expected::Long | Expected::Float) => {
            long_vint(bytes, at).map(|(value, at)| (unzigzag(value), at))?
        }
        (wire_type::BITS32, Expected::Long | Expected::Float) => {
            fixed(bytes, at).map(|(bits, at)| (i64::from(i32::from_le_bytes(bits)), at))?
        }
        (wire_type::BITS64_LONG, Expected::Long | Expected::Float) => fixed(bytes, at).map(|(bits, at)| (i64::from_le_bytes(bits), at))?,
        _ => return Err(Failed),
    };
    Ok((if let Expected::Float = expected { (value as f64).to_bits() } else { value as u64 }, at))
}

/// Reads a string in a tuple, or with sizes in long form.
#[cold]
#[inline(never)]
fn other_string(bytes: &[u8]) -> Read<(&[u8], usize)> {
    fn text(bytes: &[u8], at: usize) -> Read<(&[u8], usize)> {
        let (length, start) = long_vint(bytes, at)?;
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length)).ok_or(Failed)?;
        Ok((bytes.get(start..end).ok_or(Failed)?, end))
    }
    let (prefix, at) = long_vint(bytes, 0)?;
    match prefix {
        wire_type::BYTES => text(bytes, at),
        wire_type::TUPLE => {
            let Head { count, elements, end, .. } = head(bytes, at)?;
            if count == 0 {
                return Err(Failed);
            }
            let (prefix, at) = long_vint(&bytes[..end], elements)?;
            if prefix != wire_type::BYTES {
                return Err(Failed);
            }
            Ok((text(&bytes[..end], at)?.0, end))
        }
        _ => Err(Failed),
    }
}

/// Returns where the first value ends.
fn skip(bytes: &[u8]) -> Read<usize> {
    let (prefix, at) = long_vint(bytes, 0)?;
    let size = match prefix & 15 {
        wire_type::VINT => return long_vint(bytes, at).map(|(_, end)| end),
        wire_type::ENUM => 0,
        wire_type::BITS8 => 1,
        wire_type::BITS32 => 4,
        wire_type::BITS64_LONG | wire_type::BITS64_FLOAT => 8,
        wire_type::TUPLE | wire_type::HTUPLE | wire_type::ASSOC | wire_type::BYTES => {
            let (length, start) = long_vint(bytes, at)?;
            return usize::try_from(length)
                .ok()
                .and_then(|length| start.checked_add(length))
                .filter(|end| *end <= bytes.len())
                .ok_or(Failed);
        }
        _ => return Err(Failed),
    };
    at.checked_add(size).filter(|end| *end <= bytes.len()).ok_or(Failed)
}
