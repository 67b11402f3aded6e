//! Reading values, the fast way: generated code says which value comes, and gets it or [`Failed`].
//!
//! What is met most is done inline: one byte prefixes and sizes, a value's own wire type. The rest is out of line: long forms, widening,
//! primitives inside of tuples (section 5.2). No error is told here: a message that can't be read is looked at a second time, by
//! [`Shape::explain`](crate::shape::Shape::explain).

use polywire_runtime::bits::{self, BLOCK};
pub use polywire_runtime::read::{Check, Failed, Own, Read};
use polywire_runtime::vint::{gather, unzigzag};
use polywire_runtime::{Arena, Room};

use crate::limits::Limits;
use crate::scan::{self, Cases, Each, One};
use crate::wire::{self, wire_type};

/// Prefix and value of bools or bytes, in turn.
type Pairs<'a> = &'a [[u8; 2]];

/// What a composite's head says.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    count: u64,
    /// Bytes of the message that follow the composite.
    after: usize,
}

impl Row {
    /// Whether the element of that number is there.
    #[inline(always)]
    pub const fn has(&self, number: u64) -> bool {
        self.count > number
    }

    /// Holds that the element of that number is there.
    ///
    /// # Errors
    /// It is not.
    #[inline(always)]
    pub const fn need(&self, number: u64) -> Read<()> {
        if self.count > number { Ok(()) } else { Err(Failed) }
    }
}

/// What the head of a composite says, and what it takes to judge it.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    row: Row,
    length: usize,
    /// Bytes of the elements.
    inside: usize,
}

/// A message, and what of it is still to be read. `S` is where lists and strings go: `&Arena`, [`Own`] or [`Check`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    /// From the next value on.
    rest: &'a [u8],
    bytes: &'a [u8],
    limits: &'a Limits,
    store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// A reader of what starts with the first byte.
    pub const fn new(bytes: &'a [u8], limits: &'a Limits, store: S) -> Reader<'a, S> {
        Reader { rest: bytes, bytes, limits, store }
    }

    /// Offset of the next value.
    pub const fn offset(&self) -> usize {
        self.bytes.len() - self.rest.len()
    }

    /// Reads by a copy that the caller's function has for itself: it stays in registers.
    ///
    /// # Errors
    /// Those of `read`; this reader is then where it was.
    #[inline(always)]
    pub fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let mut copy = *self;
        let value = read(&mut copy)?;
        *self = copy;
        Ok(value)
    }

    /// The next eight bytes; zeros follow the last. Those at the end of a message are taken from its last eight: where it ends is hard to
    /// foresee, and should cost no loop.
    #[inline(always)]
    fn word(&self) -> u64 {
        if let Some(word) = self.rest.first_chunk::<8>() {
            return u64::from_le_bytes(*word);
        }
        last_word(self.bytes, self.rest.len())
    }

    /// Steps over bytes.
    #[inline(always)]
    fn step(&mut self, size: usize) -> Read<()> {
        self.rest = self.rest.get(size..).ok_or(Failed)?;
        Ok(())
    }

    /// The next prefix: tag and wire type (section 4.2).
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

    /// The prefix at the next value, which stays the next.
    ///
    /// # Errors
    /// As for [`prefix`](Self::prefix).
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

    /// A number. Its size costs no branch: sizes of numbers are hard to foresee.
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

    /// The head of a composite whose prefix is read. Its elements come next; [`leave`](Self::leave) goes on behind it.
    ///
    /// # Errors
    /// The composite is not all there; a number above 64 bits.
    #[inline(always)]
    pub fn composite(&mut self) -> Read<Row> {
        self.short_sizes(self.word(), 0).map(|sizes| sizes.row)
    }

    /// The head of a tuple, as [`composite`](Self::composite) has it; or the wire type of another value, whose prefix is read.
    ///
    /// # Errors
    /// The tuple is not all there; a number above 64 bits.
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

    /// The sizes behind the first `before` bytes of the next ones; those of one byte each are in `word`.
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

    /// The same of lengths that may well be of two bytes: which comes is hard to foresee, and costs no branch.
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

    /// As [`composite`](Self::composite), for messages and lists: sizes are within the limits.
    ///
    /// # Errors
    /// As there, and a size above its limit.
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

    /// Goes on behind a composite. Elements are read without a look at its end; that none went beyond it is held here.
    ///
    /// # Errors
    /// One did.
    #[inline(always)]
    pub fn leave(&mut self, row: Row) -> Read<()> {
        self.step(self.rest.len().checked_sub(row.after).ok_or(Failed)?)
    }

    /// A list's head and number of elements, if at least `LEAST` bytes are there for each. They come next; [`leave`](Self::leave) goes on behind
    /// them.
    ///
    /// # Errors
    /// Something else is there, or not all of it; a size is above its limit.
    #[inline(always)]
    pub fn elements<const LEAST: usize>(&mut self) -> Read<(Row, usize)> {
        self.list_head::<LEAST>(Self::sizes)
    }

    /// As [`elements`](Self::elements), of a list that is seldom long.
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

    /// A bool (section 5.2).
    ///
    /// # Errors
    /// Another value is there, or none.
    #[inline(always)]
    pub fn bool(&mut self) -> Read<bool> {
        Ok(self.byte()? != 0)
    }

    /// A byte.
    ///
    /// # Errors
    /// Another value is there, or none.
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

    /// An int. Prefix and number are taken from one word, if that holds them.
    ///
    /// # Errors
    /// Another value is there, or none.
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

    /// A long.
    ///
    /// # Errors
    /// Another value is there, or none.
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

    /// A float.
    ///
    /// # Errors
    /// Another value is there, or none.
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

    /// The bytes of a string, where they are.
    ///
    /// # Errors
    /// Another value is there, or none; it is longer than the limit.
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

    /// The payload of an int whose prefix is read: a value that stands for a tuple, a message or a sum (section 5.3).
    ///
    /// # Errors
    /// The bytes end; a number above 64 bits.
    #[inline(always)]
    pub fn bare_int(&mut self) -> Read<i64> {
        self.vint().map(unzigzag)
    }

    /// The payload of a bool whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_bool(&mut self) -> Read<bool> {
        Ok(self.bare_byte()? != 0)
    }

    /// The payload of a byte whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_byte(&mut self) -> Read<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// The payload of a long whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_long(&mut self) -> Read<i64> {
        self.take().map(i64::from_le_bytes)
    }

    /// The payload of a float whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bare_float(&mut self) -> Read<f64> {
        self.take().map(f64::from_le_bytes)
    }

    /// The payload of a string whose prefix is read.
    ///
    /// # Errors
    /// The bytes end; it is longer than the limit.
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

    /// The bytes of the next value, prefix included. They are not looked at further than is needed to find their end (section 4.2).
    ///
    /// # Errors
    /// An invalid wire type; the bytes end; a number above 64 bits.
    pub fn value(&mut self) -> Read<&'a [u8]> {
        let (value, rest) = self.rest.split_at(skip(self.rest)?);
        self.rest = rest;
        Ok(value)
    }

    /// The next `count` bools, if they are few, and all have their own wire type.
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

    /// Prefix and value of each of the next `count` bools or bytes in turn, if all have their own wire type.
    #[inline(always)]
    fn pairs(&self, count: usize) -> Option<Pairs<'a>> {
        pairs(self.rest, count)
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// Room for a list of that many values.
    #[inline(always)]
    pub fn room<T: Copy>(&self, count: usize) -> Room<'a, T> {
        self.store.room(count)
    }

    /// A list of values of a sum type whose constructors have one primitive each, or none: `cases`. `make` makes them of what was found there without a
    /// branch, `read` reads those that come in other forms.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

    /// A list of bools.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

    /// A list of bytes.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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
    /// A string.
    ///
    /// # Errors
    /// As for [`slice`](Self::slice).
    #[inline(always)]
    pub fn string(&mut self) -> Read<Vec<u8>> {
        let before = self.rest;
        let text = self.slice()?;
        Ok(owned(text, before))
    }

    /// The payload of a string whose prefix is read.
    ///
    /// # Errors
    /// As for [`bare_slice`](Self::bare_slice).
    #[inline(always)]
    pub fn bare_string(&mut self) -> Read<Vec<u8>> {
        Ok(self.bare_slice()?.to_vec())
    }

    /// A list of bools.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

    /// A list of bytes.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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
    /// A list of bools or bytes.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

    /// A list of ints.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

    /// A list of values of a sum type whose constructors have one primitive each, or none: `cases`, which `check` reads too.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
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

/// The first values of an array. A vector that has room for all of them is no larger in an allocator's eyes, and needs no loop.
#[inline(always)]
fn first<T: Copy, const N: usize>(values: [T; N], count: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(N);
    list.extend_from_slice(&values);
    list.truncate(count);
    list
}

/// A string as its own: a short one is taken with the bytes around it, which needs no loop. `before` starts at its prefix.
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

/// A primitive that is not there in its own wire type, or not in the shortest form.
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

/// The first `count` pairs, if all have the wire type of bools and bytes.
#[inline(never)]
fn pairs(bytes: &[u8], count: usize) -> Option<Pairs<'_>> {
    let pairs = bytes.get(..2 * count)?.as_chunks::<2>().0;
    let wrong = pairs.iter().fold(0, |wrong, pair| wrong | (pair[0] ^ wire_type::BITS8 as u8));
    (wrong == 0).then_some(pairs)
}

/// The last `left` bytes, fewer than eight, and zeros.
#[inline(never)]
fn last_word(bytes: &[u8], left: usize) -> u64 {
    match bytes.last_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word).checked_shr(64 - 8 * left as u32).unwrap_or(0),
        None => bytes.iter().rev().take(left).fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// An int that is longer than a word with its prefix, or not there in its own wire type; where it ends.
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
    /// Where the elements start, and where they end.
    elements: usize,
    end: usize,
}

/// The head of the composite whose length is at `at`.
#[cold]
#[inline(never)]
fn head(bytes: &[u8], at: usize) -> Read<Head> {
    let (length, inside) = long_vint(bytes, at)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len() - inside).ok_or(Failed)?;
    let end = inside + length;
    let (count, elements) = long_vint(&bytes[..end], inside)?;
    Ok(Head { length, count, elements, end })
}

/// Steps 1, 3 and 4 of section 5.2: the bits of the number, and where the value ends.
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

/// The bits of a number of the expected type or a narrower one (section 5.4), and where it ends.
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

/// A string in a tuple, or with sizes in long form.
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

/// Where the value ends that the bytes start with.
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
