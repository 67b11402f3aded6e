//! Reading values, the fast way: generated code says which value comes, and gets it or [`Failed`].
//!
//! What is met most is done inline: one byte prefixes and sizes, a value's own wire type. The rest is out of line: long forms, widening,
//! primitives inside of tuples (section 5.2). No error is told here: a message that can't be read is looked at a second time, by
//! [`Shape::explain`](crate::shape::Shape::explain).

use crate::arena::Arena;
use crate::limits::Limits;
use crate::wire::{self, gather, unzigzag, wire_type};

/// The message can't be read. [`Shape::explain`](crate::shape::Shape::explain) says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// What a reading function gives.
pub type Read<T> = Result<T, Failed>;

/// Where decoded lists and strings go: nowhere, as they are only checked.
#[derive(Debug, Clone, Copy)]
pub struct Check;

/// Where decoded lists and strings go: each to memory of its own.
#[derive(Debug, Clone, Copy)]
pub struct Own;

/// Prefix and value of bools or bytes, in turn.
type Pairs<'a> = &'a [[u8; 2]];

/// What a composite's head says.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    count: u64,
    end: usize,
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

/// A message, and where in it the next value starts. `S` is where lists and strings go: `&Arena`, [`Own`] or [`Check`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    bytes: &'a [u8],
    at: usize,
    limits: &'a Limits,
    store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// A reader of what starts with the first byte.
    pub const fn new(bytes: &'a [u8], limits: &'a Limits, store: S) -> Reader<'a, S> {
        Reader { bytes, at: 0, limits, store }
    }

    /// Offset of the next value.
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Bytes up to the end of all.
    #[inline(always)]
    const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next prefix: tag and wire type (section 4.2).
    ///
    /// # Errors
    /// The bytes end; a number above 64 bits.
    #[inline(always)]
    pub fn prefix(&mut self) -> Read<u64> {
        let byte = *self.bytes.get(self.at).ok_or(Failed)?;
        if byte < 0x80 {
            self.at += 1;
            return Ok(u64::from(byte));
        }
        self.long_vint()
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
        let (value, at) = long_vint(self.bytes, self.at)?;
        self.at = at;
        Ok(value)
    }

    /// A number. Its size costs no branch: sizes of numbers are hard to foresee. The last bytes of a message are taken from its last eight.
    #[inline(always)]
    fn vint(&mut self) -> Read<u64> {
        let left = self.left();
        let word = if let Some(word) = self.bytes[self.at..].first_chunk::<8>() {
            u64::from_le_bytes(*word)
        } else if let Some(word) = self.bytes.last_chunk::<8>()
            && left > 0
        {
            u64::from_le_bytes(*word) >> (8 * (8 - left))
        } else {
            return self.long_vint();
        };
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.long_vint();
        }
        let size = ends.trailing_zeros() as usize / 8 + 1;
        if size > left {
            return Err(Failed);
        }
        self.at += size;
        Ok(gather(word & (ends ^ (ends - 1))))
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Read<[u8; N]> {
        let bytes = *self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(Failed)?;
        self.at += N;
        Ok(bytes)
    }

    /// The head of a composite whose prefix is read. Its elements come next; [`leave`](Self::leave) goes on behind it.
    ///
    /// # Errors
    /// The composite is not all there; a number above 64 bits.
    #[inline(always)]
    pub fn composite(&mut self) -> Read<Row> {
        if let Some(&[length, count]) = self.bytes[self.at..].first_chunk::<2>()
            && (length | count) < 0x80
        {
            let end = self.at + 1 + usize::from(length);
            if length == 0 || end > self.bytes.len() {
                return Err(Failed);
            }
            self.at += 2;
            return Ok(Row { count: u64::from(count), end });
        }
        if let Some(&[low, high, count]) = self.bytes[self.at..].first_chunk::<3>()
            && (high | count) < 0x80
            && low >= 0x80
        {
            let length = usize::from(low & 0x7f) | usize::from(high) << 7;
            let end = self.at + 2 + length;
            if length == 0 || end > self.bytes.len() {
                return Err(Failed);
            }
            self.at += 3;
            return Ok(Row { count: u64::from(count), end });
        }
        let (at, row) = long_composite(self.bytes, self.at)?;
        self.at = at;
        Ok(row)
    }

    /// As [`composite`](Self::composite), for messages and lists: sizes are within the limits.
    ///
    /// # Errors
    /// As there, and a size above its limit.
    #[inline(always)]
    pub fn limited(&mut self) -> Read<Row> {
        let before = self.at;
        let row = self.composite()?;
        if row.count > self.limits.elements || (self.limits.message_length < self.bytes.len() as u64 && self.is_too_long(before)) {
            return Err(Failed);
        }
        Ok(row)
    }

    fn is_too_long(&self, at: usize) -> bool {
        long_vint(self.bytes, at).is_ok_and(|(length, _)| length > self.limits.message_length)
    }

    /// Goes on behind a composite. Elements are read without a look at its end; that none went beyond it is held here.
    ///
    /// # Errors
    /// One did.
    #[inline(always)]
    pub fn leave(&mut self, row: Row) -> Read<()> {
        if self.at > row.end {
            return Err(Failed);
        }
        self.at = row.end;
        Ok(())
    }

    /// A list's head and number of elements, if at least `LEAST` bytes are there for each.
    #[inline(always)]
    fn elements<const LEAST: usize>(&mut self) -> Read<(Row, usize)> {
        if self.prefix()? & 15 != wire_type::HTUPLE {
            return Err(Failed);
        }
        let row = self.limited()?;
        // An element can't be shorter: one is missing, or can't be read.
        if row.count > (row.end.saturating_sub(self.at) / LEAST) as u64 {
            return Err(Failed);
        }
        Ok((row, row.count as usize))
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
        match self.bytes[self.at..].first_chunk::<2>() {
            Some(&[prefix, byte]) if u64::from(prefix) == wire_type::BITS8 => {
                self.at += 2;
                Ok(byte)
            }
            _ => self.other(Expected::Byte).map(|bits| bits as u8),
        }
    }

    /// An int.
    ///
    /// # Errors
    /// Another value is there, or none.
    #[inline(always)]
    pub fn int(&mut self) -> Read<i64> {
        match self.bytes[self.at..].first() {
            Some(&prefix) if u64::from(prefix) == wire_type::VINT => {
                self.at += 1;
                self.vint().map(unzigzag)
            }
            _ => self.other(Expected::Int).map(|bits| bits as i64),
        }
    }

    /// A long.
    ///
    /// # Errors
    /// Another value is there, or none.
    #[inline(always)]
    pub fn long(&mut self) -> Read<i64> {
        match self.bytes[self.at..].first_chunk::<9>() {
            Some(&[prefix, ref bytes @ ..]) if u64::from(prefix) == wire_type::BITS64_LONG => {
                self.at += 9;
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
        match self.bytes[self.at..].first_chunk::<9>() {
            Some(&[prefix, ref bytes @ ..]) if u64::from(prefix) == wire_type::BITS64_FLOAT => {
                self.at += 9;
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
        let text = match self.bytes[self.at..].first_chunk::<2>() {
            Some(&[prefix, length]) if u64::from(prefix) == wire_type::BYTES && length < 0x80 => {
                let start = self.at + 2;
                let text = self.bytes.get(start..start + usize::from(length)).ok_or(Failed)?;
                self.at = start + text.len();
                text
            }
            _ => {
                let (text, at) = other_string(self.bytes, self.at)?;
                self.at = at;
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
        let (bits, at) = other(self.bytes, self.at, expected)?;
        self.at = at;
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
    pub fn bare_bool(&mut self) -> Read<bool> {
        Ok(self.bare_byte()? != 0)
    }

    /// The payload of a byte whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    pub fn bare_byte(&mut self) -> Read<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// The payload of a long whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    pub fn bare_long(&mut self) -> Read<i64> {
        self.take().map(i64::from_le_bytes)
    }

    /// The payload of a float whose prefix is read.
    ///
    /// # Errors
    /// The bytes end.
    pub fn bare_float(&mut self) -> Read<f64> {
        self.take().map(f64::from_le_bytes)
    }

    /// The payload of a string whose prefix is read.
    ///
    /// # Errors
    /// The bytes end; it is longer than the limit.
    pub fn bare_slice(&mut self) -> Read<&'a [u8]> {
        let length = self.vint()?;
        if length > self.left() as u64 {
            return Err(Failed);
        }
        let text = &self.bytes[self.at..self.at + length as usize];
        if length > self.limits.string_length {
            return Err(Failed);
        }
        self.at += text.len();
        Ok(text)
    }

    /// The bytes of the next value, prefix included. They are not looked at further than is needed to find their end (section 4.2).
    ///
    /// # Errors
    /// An invalid wire type; the bytes end; a number above 64 bits.
    pub fn value(&mut self) -> Read<&'a [u8]> {
        let start = self.at;
        self.at = skip(self.bytes, start)?;
        Ok(&self.bytes[start..self.at])
    }

    /// A list of bools or bytes: its head, and prefix and value of each in turn, if all have their own wire type; if not, they come next.
    #[inline(always)]
    fn pairs(&mut self) -> Read<(Row, usize, Option<Pairs<'a>>)> {
        let (row, count) = self.elements::<2>()?;
        let (pairs, _) = self.bytes[self.at..self.at + 2 * count].as_chunks::<2>();
        let own = pairs.iter().fold(0, |all, pair| all | (pair[0] ^ wire_type::BITS8 as u8)) == 0;
        if !own {
            return Ok((row, count, None));
        }
        self.at = row.end;
        Ok((row, count, Some(pairs)))
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// A list of whatever `read` reads, each at least `LEAST` bytes long.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
    #[inline(always)]
    pub fn list<const LEAST: usize, T: Copy>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<&'a [T]> {
        let (row, count) = self.elements::<LEAST>()?;
        let store = self.store;
        let list = store.fill(count, || read(self))?;
        self.leave(row)?;
        Ok(list)
    }

    /// A list of bools.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    #[inline(always)]
    pub fn bools(&mut self) -> Read<&'a [bool]> {
        let (row, count) = self.elements::<2>()?;
        let store = self.store;
        if let Some(list) = store.bools(&self.bytes[self.at..], count) {
            self.at = row.end;
            return Ok(list);
        }
        let list = store.fill(count, || self.bool())?;
        self.leave(row)?;
        Ok(list)
    }

    /// A list of bytes.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let (row, count, pairs) = self.pairs()?;
        match pairs {
            Some(pairs) => {
                let mut pairs = pairs.iter();
                Ok(self.store.fill(count, || pairs.next().map(|pair| pair[1]).ok_or(Failed))?)
            }
            None => {
                let store = self.store;
                let list = store.fill(count, || self.byte())?;
                self.leave(row)?;
                Ok(list)
            }
        }
    }
}

impl Reader<'_, Own> {
    /// A string.
    ///
    /// # Errors
    /// As for [`slice`](Self::slice).
    #[inline(always)]
    pub fn string(&mut self) -> Read<Vec<u8>> {
        Ok(self.slice()?.to_vec())
    }

    /// The payload of a string whose prefix is read.
    ///
    /// # Errors
    /// As for [`bare_slice`](Self::bare_slice).
    pub fn bare_string(&mut self) -> Read<Vec<u8>> {
        Ok(self.bare_slice()?.to_vec())
    }

    /// A list of whatever `read` reads, each at least `LEAST` bytes long.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
    #[inline(always)]
    pub fn list<const LEAST: usize, T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let (row, count) = self.elements::<LEAST>()?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        self.leave(row)?;
        Ok(list)
    }

    /// A list of bools.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    #[inline(always)]
    pub fn bools(&mut self) -> Read<Vec<bool>> {
        let (row, count, pairs) = self.pairs()?;
        match pairs {
            Some(pairs) => Ok(pairs.iter().map(|pair| pair[1] != 0).collect()),
            None => {
                let list = (0..count).map(|_| self.bool()).collect::<Read<_>>()?;
                self.leave(row)?;
                Ok(list)
            }
        }
    }

    /// A list of bytes.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<Vec<u8>> {
        let (row, count, pairs) = self.pairs()?;
        match pairs {
            Some(pairs) => Ok(pairs.iter().map(|pair| pair[1]).collect()),
            None => {
                let list = (0..count).map(|_| self.byte()).collect::<Read<_>>()?;
                self.leave(row)?;
                Ok(list)
            }
        }
    }
}

impl Reader<'_, Check> {
    /// A list of whatever `read` reads, each at least `LEAST` bytes long.
    ///
    /// # Errors
    /// Something else is there; an element can't be read; a size is above its limit.
    #[inline(always)]
    pub fn list<const LEAST: usize>(&mut self, mut read: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        let (row, count) = self.elements::<LEAST>()?;
        for _ in 0..count {
            read(self)?;
        }
        self.leave(row)
    }

    /// A list of bools or bytes.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<()> {
        let (row, count, pairs) = self.pairs()?;
        if pairs.is_none() {
            for _ in 0..count {
                self.byte()?;
            }
        }
        self.leave(row)
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

/// Where the elements start, and the head of the composite whose length is at `at`.
#[cold]
#[inline(never)]
fn long_composite(bytes: &[u8], at: usize) -> Read<(usize, Row)> {
    let (length, inside) = long_vint(bytes, at)?;
    let end = usize::try_from(length).ok().filter(|length| *length <= bytes.len() - inside).ok_or(Failed)? + inside;
    let (count, elements) = long_vint(&bytes[..end], inside)?;
    Ok((elements, Row { count, end }))
}

/// Steps 1, 3 and 4 of section 5.2: the bits of the number, and where the value ends.
#[cold]
#[inline(never)]
fn other(bytes: &[u8], at: usize, expected: Expected) -> Read<(u64, usize)> {
    let (prefix, at) = long_vint(bytes, at)?;
    if prefix == wire_type::TUPLE {
        let (inside, Row { count, end }) = long_composite(bytes, at)?;
        if count == 0 {
            return Err(Failed);
        }
        let (prefix, payload) = long_vint(&bytes[..end], inside)?;
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
fn other_string(bytes: &[u8], at: usize) -> Read<(&[u8], usize)> {
    fn text(bytes: &[u8], at: usize) -> Read<(&[u8], usize)> {
        let (length, start) = long_vint(bytes, at)?;
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length)).ok_or(Failed)?;
        Ok((bytes.get(start..end).ok_or(Failed)?, end))
    }
    let (prefix, at) = long_vint(bytes, at)?;
    match prefix {
        wire_type::BYTES => text(bytes, at),
        wire_type::TUPLE => {
            let (inside, Row { count, end }) = long_composite(bytes, at)?;
            if count == 0 {
                return Err(Failed);
            }
            let (prefix, at) = long_vint(&bytes[..end], inside)?;
            if prefix != wire_type::BYTES {
                return Err(Failed);
            }
            Ok((text(&bytes[..end], at)?.0, end))
        }
        _ => Err(Failed),
    }
}

/// Where the value ends that starts at `at`.
fn skip(bytes: &[u8], at: usize) -> Read<usize> {
    let (prefix, at) = long_vint(bytes, at)?;
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
