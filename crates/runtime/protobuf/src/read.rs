//! The fast reader: generated code asks for the field that it expects next, and gets its value or
//! [`Failed`].
//!
//! Fields mostly come in the order of their numbers: the next bytes are compared with the expected
//! tag. The reader neither explains errors nor merges: the slow reader reads refused bytes a second
//! time, by their [`shape`](crate::shape).

pub use polywire_runtime::read::{Failed, Own, Read};
use polywire_runtime::text::utf8;
pub use polywire_runtime::vint::{gather, unzigzag};

use crate::wire::{self, wire_type};

/// The message around the current one.
#[derive(Debug, Clone, Copy)]
pub struct Outer {
    /// Number of bytes behind it.
    after: usize,
    /// Size of the tag that ends the inner one.
    tail: usize,
}

/// A reader of messages. `S` is where lists go: `&Arena` or [`Own`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    /// The bytes from the next one on, to the end of the outermost message.
    rest: &'a [u8],
    /// The number of those bytes behind the current message.
    after: usize,
    /// Depth that is left for messages.
    depth: u32,
    whole: &'a [u8],
    pub(crate) store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// Returns a reader of a message, for messages of at most `depth`.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], depth: u32, store: S) -> Reader<'a, S> {
        Reader { rest: bytes, after: 0, depth, whole: bytes, store }
    }

    /// Returns whether the current message is at its end.
    #[inline(always)]
    pub const fn done(&self) -> bool {
        self.rest.len() <= self.after
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

    /// Checks that the current message is at its end.
    ///
    /// # Errors
    /// The reader is before the end, or beyond it.
    #[inline(always)]
    pub const fn end(&self) -> Read<()> {
        if self.rest.len() == self.after { Ok(()) } else { Err(Failed) }
    }

    /// Skips a tag and returns true, if it comes next.
    #[inline(always)]
    pub fn next<const N: usize>(&mut self, tag: [u8; N]) -> bool {
        if self.rest.len() > self.after
            && let Some((found, rest)) = self.rest.split_first_chunk::<N>()
            && *found == tag
        {
            self.rest = rest;
            return true;
        }
        false
    }

    /// Returns the first byte of the next tag, or 0 at the end of the message.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        match self.rest {
            [byte, ..] if self.rest.len() > self.after => *byte,
            _ => 0,
        }
    }

    /// Skips bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn step(&mut self, size: usize) -> Read<()> {
        self.rest = self.rest.get(size..).ok_or(Failed)?;
        Ok(())
    }

    /// Reads a tag.
    ///
    /// # Errors
    /// There is none.
    #[inline(always)]
    pub fn tag(&mut self) -> Read<u32> {
        match self.rest {
            [byte, rest @ ..] if (8..0x80).contains(byte) => {
                self.rest = rest;
                Ok(u32::from(*byte))
            }
            _ => self.slow(wire::tag),
        }
    }

    #[inline(always)]
    fn slow<T>(&mut self, read: fn(&[u8], usize) -> wire::At<T>) -> Read<T> {
        let (value, size) = apart(self.rest, read)?;
        self.step(size)?;
        Ok(value)
    }

    /// Returns the next eight bytes, with zeros behind the last. Near the end of the outermost
    /// message they come from its last eight bytes.
    #[inline(always)]
    fn word(&self) -> u64 {
        match self.rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => last_word(self.whole, self.rest.len()),
        }
    }

    /// Reads a varint. One of several bytes costs no branch on its size.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes.
    #[inline(always)]
    pub fn varint(&mut self) -> Read<u64> {
        match self.rest {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.rest = rest;
                return Ok(u64::from(*byte));
            }
            _ => {}
        }
        let word = self.word();
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return self.slow(wire::varint);
        }
        self.step(ends.trailing_zeros() as usize / 8 + 1)?;
        Ok(gather(word & (ends ^ (ends - 1))))
    }

    /// Reads `N` bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn fixed<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Failed)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Reads a length. As many bytes follow, in this message or in one around it.
    #[inline(always)]
    fn length(&mut self) -> Read<usize> {
        match self.rest {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.rest = rest;
                Ok(usize::from(*byte))
            }
            [low, high, rest @ ..] if *high < 0x80 => {
                self.rest = rest;
                Ok(usize::from(low & 0x7f) | usize::from(*high) << 7)
            }
            // The end of the value gives its length.
            _ => {
                let (start, end) = apart(self.rest, |bytes, at| wire::length(bytes, at).map(|(start, end)| ((start, end), end)))?.0;
                self.step(start)?;
                Ok(end - start)
            }
        }
    }

    /// Reads a length and returns the bytes behind it in their place.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn octets(&mut self) -> Read<&'a [u8]> {
        let length = self.length()?;
        let (octets, rest) = self.rest.split_at_checked(length).ok_or(Failed)?;
        self.rest = rest;
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

    /// Reads a message behind its length, to its end.
    ///
    /// # Errors
    /// Those of `read`; a message that ends elsewhere or is too deep.
    #[inline(always)]
    pub fn message<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let outer = self.enter()?;
        let value = read(self)?;
        self.leave(outer)?;
        Ok(value)
    }

    /// Reads packed varints behind their length. `read` gets their number.
    ///
    /// # Errors
    /// Those of `read`; the numbers end elsewhere.
    #[inline(always)]
    pub(crate) fn numbers<T>(&mut self, read: impl FnOnce(&mut Self, usize) -> Read<T>) -> Read<T> {
        let length = self.length()?;
        let window = self.rest.get(..length).ok_or(Failed)?;
        // Each has one byte without the top bit, the last among them.
        if matches!(window.last(), Some(0x80..)) {
            return Err(Failed);
        }
        let count = window.iter().filter(|byte| **byte < 0x80).count();
        let mut inner = Reader { after: self.rest.len() - length, ..*self };
        let value = read(&mut inner, count)?;
        inner.end()?;
        self.rest = inner.rest;
        Ok(value)
    }

    /// Reads a group with a field number, to its end.
    ///
    /// # Errors
    /// Those of `read`; a group without an end or too deep.
    #[inline(always)]
    pub fn group<T>(&mut self, number: u32, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let outer = self.enter_group(number)?;
        let value = read(self)?;
        self.leave(outer)?;
        Ok(value)
    }

    #[inline(always)]
    fn enter(&mut self) -> Read<Outer> {
        let length = self.length()?;
        let outer = Outer { after: self.after, tail: 0 };
        // That it ends within this message is held when it is left.
        self.after = self.rest.len().checked_sub(length).ok_or(Failed)?;
        self.depth = self.depth.checked_sub(1).ok_or(Failed)?;
        if self.depth == 0 { Err(Failed) } else { Ok(outer) }
    }

    #[inline(never)]
    fn enter_group(&mut self, number: u32) -> Read<Outer> {
        let inside = self.rest.len().checked_sub(self.after).ok_or(Failed)?;
        let (end, behind) = wire::group(&self.rest[..inside], 0, number, self.depth).map_err(|_| Failed)?;
        let outer = Outer { after: self.after, tail: behind - end };
        self.after = self.rest.len() - end;
        self.depth = self.depth.checked_sub(1).ok_or(Failed)?;
        if self.depth == 0 { Err(Failed) } else { Ok(outer) }
    }

    #[inline(always)]
    fn leave(&mut self, outer: Outer) -> Read<()> {
        if self.rest.len() != self.after || self.after < outer.after {
            return Err(Failed);
        }
        self.after = outer.after;
        self.depth += 1;
        if outer.tail > 0 { self.step(outer.tail) } else { Ok(()) }
    }

    /// Skips the value of an unknown field, whose tag was read.
    ///
    /// # Errors
    /// There is no value.
    #[cold]
    #[inline(never)]
    pub fn skip(&mut self, tag: u32) -> Read<()> {
        let inside = self.rest.len().checked_sub(self.after).ok_or(Failed)?;
        if tag & 7 == wire_type::END {
            return Err(Failed);
        }
        let end = wire::skip(&self.rest[..inside], 0, tag, self.depth).map_err(|_| Failed)?;
        self.step(end)
    }

    /// Returns the place of the reader, for [`since`](Self::since).
    #[inline(always)]
    pub const fn mark(&self) -> usize {
        self.rest.len()
    }

    /// Returns the bytes that were read since the mark.
    ///
    /// # Errors
    /// The mark is no place before this one.
    pub fn since(&self, mark: usize) -> Read<&'a [u8]> {
        let end = self.whole.len().checked_sub(self.rest.len()).ok_or(Failed)?;
        let start = self.whole.len().checked_sub(mark).ok_or(Failed)?;
        self.whole.get(start..end).ok_or(Failed)
    }

    /// Returns the bytes from the start of `kept` to the place of the reader, if `kept` is part of
    /// the outermost message and ends at the mark.
    pub(crate) fn joined(&self, kept: &[u8], mark: usize) -> Option<&'a [u8]> {
        let start = (kept.as_ptr() as usize).checked_sub(self.whole.as_ptr() as usize)?;
        let end = self.whole.len().checked_sub(self.rest.len())?;
        let joined = self.whole.get(start..end)?;
        (start + kept.len() == self.whole.len() - mark).then_some(joined)
    }

    /// Returns the unread bytes of the current message.
    #[inline(always)]
    pub(crate) fn window(&self) -> &'a [u8] {
        &self.rest[..self.rest.len().saturating_sub(self.after)]
    }
}

/// Reads at the start of some bytes, out of line.
#[cold]
#[inline(never)]
fn apart<T>(bytes: &[u8], read: impl Fn(&[u8], usize) -> wire::At<T>) -> Read<(T, usize)> {
    read(bytes, 0).map_err(|_| Failed)
}

/// Returns the last `left` bytes of a message, fewer than eight, and zeros.
#[inline(always)]
fn last_word(whole: &[u8], left: usize) -> u64 {
    match whole.last_chunk::<8>() {
        // A shift by 64 bits is none.
        Some(word) => u64::from_le_bytes(*word).checked_shr(64 - 8 * left as u32).unwrap_or(0),
        None => short_word(&whole[whole.len() - left..]),
    }
}

#[cold]
fn short_word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Counts the fields of one tag in a row, from a first one whose tag is read. Their values are
/// text, bytes or messages. The count ends at the first other field.
#[inline(always)]
pub fn lens(mut window: &[u8], tag: &[u8]) -> usize {
    let mut count = 0;
    loop {
        count += 1;
        let next = match window {
            [byte, rest @ ..] if *byte < 0x80 => rest.get(usize::from(*byte)..),
            [low, high, rest @ ..] if *high < 0x80 => rest.get(usize::from(low & 0x7f) | usize::from(*high) << 7..),
            long => wire::length(long, 0).ok().and_then(|(_, end)| long.get(end..)),
        };
        match next.and_then(|next| next.strip_prefix(tag)) {
            Some(behind) => window = behind,
            None => return count,
        }
    }
}

/// Counts as [`lens`] does, for varints.
pub fn varints(mut window: &[u8], tag: &[u8]) -> usize {
    let mut count = 1;
    while let Ok((_, end)) = wire::varint(window, 0)
        && let Some(behind) = window[end..].strip_prefix(tag)
    {
        window = behind;
        count += 1;
    }
    count
}

/// Counts as [`lens`] does, for values of `N` bytes.
pub fn fixeds<const N: usize>(mut window: &[u8], tag: &[u8]) -> usize {
    let mut count = 1;
    while let Some(behind) = window.get(N..).and_then(|behind| behind.strip_prefix(tag)) {
        window = behind;
        count += 1;
    }
    count
}

/// Counts as [`lens`] does, for groups.
pub fn groups(mut window: &[u8], tag: &[u8]) -> usize {
    let Ok((start, _)) = wire::tag(tag, 0) else { return 1 };
    let mut count = 1;
    while let Ok((_, behind)) = wire::group(window, 0, start >> 3, u32::MAX)
        && let Some(next) = window[behind..].strip_prefix(tag)
    {
        window = next;
        count += 1;
    }
    count
}
