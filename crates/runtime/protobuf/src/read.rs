//! Reading values, the fast way: generated code says which field it expects next, and gets its value or [`Failed`].
//!
//! Fields mostly come in the order of their numbers: what comes next is compared with the tag that is expected, as whole bytes. No error is told here, and what
//! is merged is not merged here: bytes that can't be read are looked at a second time, by their [`shape`](crate::shape).

pub use polywire_runtime::read::{Failed, Own, Read};
use polywire_runtime::text::utf8;
pub use polywire_runtime::vint::{gather, unzigzag};

use crate::wire::{self, wire_type};

/// The message around the one that is read.
#[derive(Debug, Clone, Copy)]
pub struct Outer {
    /// Bytes that follow it.
    after: usize,
    /// Bytes of the tag that ends the inner one.
    tail: usize,
}

/// Bytes, and where in them the next field starts. `S` is where lists go: `&Arena` or [`Own`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, S> {
    /// From the next byte on, to the end of the outermost message.
    rest: &'a [u8],
    /// How many of them follow the message that is read.
    after: usize,
    /// Messages that may still be within each other.
    depth: u32,
    whole: &'a [u8],
    pub(crate) store: S,
}

impl<'a, S: Copy> Reader<'a, S> {
    /// A reader of a message, with at most so many messages within each other.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], depth: u32, store: S) -> Reader<'a, S> {
        Reader { rest: bytes, after: 0, depth, whole: bytes, store }
    }

    /// Whether the message that is read is at its end.
    #[inline(always)]
    pub const fn done(&self) -> bool {
        self.rest.len() <= self.after
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

    /// Holds that the message that is read is at its end, and not beyond.
    ///
    /// # Errors
    /// It is not.
    #[inline(always)]
    pub const fn end(&self) -> Read<()> {
        if self.rest.len() == self.after { Ok(()) } else { Err(Failed) }
    }

    /// Steps over a tag, if it comes next.
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

    /// The first byte of the next tag; 0 at the end of the message.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        match self.rest {
            [byte, ..] if self.rest.len() > self.after => *byte,
            _ => 0,
        }
    }

    /// Steps over bytes.
    #[inline(always)]
    pub fn step(&mut self, size: usize) -> Read<()> {
        self.rest = self.rest.get(size..).ok_or(Failed)?;
        Ok(())
    }

    /// The next tag.
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

    /// The next eight bytes; zeros follow the last. Those at the end of the outermost message are taken from its last eight.
    #[inline(always)]
    fn word(&self) -> u64 {
        match self.rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => last_word(self.whole, self.rest.len()),
        }
    }

    /// A varint. What its bytes beyond the first are costs no branch.
    ///
    /// # Errors
    /// The bytes end, or it does not.
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

    /// Bytes of fixed size.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn fixed<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or(Failed)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// A length: so many bytes are there, in this message or in one around it.
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
            // Where the value would end tells its length.
            _ => {
                let (start, end) = apart(self.rest, |bytes, at| wire::length(bytes, at).map(|(start, end)| ((start, end), end)))?.0;
                self.step(start)?;
                Ok(end - start)
            }
        }
    }

    /// Bytes behind their length, where they are.
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

    /// Text behind its length, where it is.
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
    /// Those of `read`; the message ends elsewhere; it is too deep.
    #[inline(always)]
    pub fn message<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let outer = self.enter()?;
        let value = read(self)?;
        self.leave(outer)?;
        Ok(value)
    }

    /// Reads packed varints behind their length: `read` is told how many they are.
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

    /// Reads a group of that number, to its end.
    ///
    /// # Errors
    /// Those of `read`; the group does not end; it is too deep.
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

    /// Steps over the value of a field that is not known, whose tag was read.
    ///
    /// # Errors
    /// There is none.
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

    /// Where the reader is, for [`since`](Self::since).
    #[inline(always)]
    pub const fn mark(&self) -> usize {
        self.rest.len()
    }

    /// What was read since the mark.
    ///
    /// # Errors
    /// The mark is none of what was read.
    pub fn since(&self, mark: usize) -> Read<&'a [u8]> {
        let end = self.whole.len().checked_sub(self.rest.len()).ok_or(Failed)?;
        let start = self.whole.len().checked_sub(mark).ok_or(Failed)?;
        self.whole.get(start..end).ok_or(Failed)
    }

    /// The bytes of the outermost message from where `kept` starts to where the reader is, if `kept` is in it and ends where the mark was set.
    pub(crate) fn joined(&self, kept: &[u8], mark: usize) -> Option<&'a [u8]> {
        let start = (kept.as_ptr() as usize).checked_sub(self.whole.as_ptr() as usize)?;
        let end = self.whole.len().checked_sub(self.rest.len())?;
        let joined = self.whole.get(start..end)?;
        (start + kept.len() == self.whole.len() - mark).then_some(joined)
    }

    /// The bytes of the message that are still to be read.
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

/// The last bytes of a message as a word, of which `left` are still to be read; zeros follow them.
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

/// The fields of one tag that follow each other, where the first is read but for its value, which is text, bytes or a message. What is no such field any more is not
/// counted: whoever reads it finds that.
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

/// As [`lens`], of varints.
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

/// As [`lens`], of values of `N` bytes.
pub fn fixeds<const N: usize>(mut window: &[u8], tag: &[u8]) -> usize {
    let mut count = 1;
    while let Some(behind) = window.get(N..).and_then(|behind| behind.strip_prefix(tag)) {
        window = behind;
        count += 1;
    }
    count
}

/// As [`lens`], of groups.
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
