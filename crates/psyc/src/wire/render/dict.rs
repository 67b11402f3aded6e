//! Dicts (docs/spec/psyc.md 11.5).

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::error::RenderError;
use super::list::Item;
use super::output::{Buffer, Output};
use super::size::{digits, value_wants_size};
use crate::packet::Sizing;

const KEY_START: u8 = b'{';
const KEY_END: u8 = b'}';

/// A key of a dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key<'a> {
    /// Its bytes.
    pub value: &'a [u8],
    /// The rule for its size. A key that could not be read back without a size always gets one
    /// (psyc-D15).
    pub sizing: Sizing,
}

impl<'a> Key<'a> {
    /// Returns a key with a size by docs/spec/psyc.md 11.1.
    pub const fn new(value: &'a [u8]) -> Key<'a> {
        Key { value, sizing: Sizing::Check }
    }

    /// Returns whether its size is written; an empty key can have one too (psyc-D16).
    #[inline]
    pub fn wants_size(&self) -> bool {
        value_wants_size(self.value, self.sizing, KEY_END)
            || self.value.first().is_some_and(u8::is_ascii_digit)
            || self.sizing == Sizing::No && memchr::memchr(KEY_END, self.value).is_some()
    }

    /// Returns its length, without its braces.
    pub fn length(&self) -> usize {
        let size = if self.wants_size() { digits(self.value.len()) + 1 } else { 0 };
        self.value.len().saturating_add(size)
    }

    fn put(&self, out: &mut impl Output) -> Option<()> {
        if self.wants_size() {
            out.number(self.value.len())?;
            out.byte(b' ')?;
        }
        out.put(self.value)
    }

    /// Renders it at the start of `out`, without the braces around it, and returns its length.
    pub fn render(&self, out: &mut [u8]) -> Result<usize, RenderError> {
        let length = self.length();
        self.put(&mut Buffer::new(out.get_mut(..length).ok_or(RenderError::Buffer)?)).ok_or(RenderError::Buffer)?;
        Ok(length)
    }
}

/// A key and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry<'a> {
    /// The key.
    pub key: Key<'a>,
    /// Its value.
    pub item: Item<'a>,
}

/// A dict to be rendered, with entries from any iterator that can be cloned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dict<'a, I> {
    /// The default type, for values without a type of their own; may be empty.
    pub default: &'a [u8],
    /// The entries.
    pub entries: I,
}

impl<'a, I: IntoIterator<Item = Entry<'a>> + Clone> Dict<'a, I> {
    /// Returns its length.
    pub fn length(&self) -> usize {
        self.entries.clone().into_iter().fold(self.default.len(), |sum, entry| {
            sum.saturating_add(2).saturating_add(entry.key.length()).saturating_add(entry.item.length(KEY_START))
        })
    }

    fn put(&self, out: &mut impl Output) -> Option<()> {
        out.put(self.default)?;
        for entry in self.entries.clone() {
            out.byte(KEY_START)?;
            entry.key.put(out)?;
            out.byte(KEY_END)?;
            entry.item.put(out, KEY_START)?;
        }
        Some(())
    }

    /// Renders it at the start of `out`, and returns its length.
    pub fn render(&self, out: &mut [u8]) -> Result<usize, RenderError> {
        let length = self.length();
        self.put(&mut Buffer::new(out.get_mut(..length).ok_or(RenderError::Buffer)?)).ok_or(RenderError::Buffer)?;
        Ok(length)
    }

    /// Appends it.
    #[cfg(feature = "alloc")]
    pub fn append(&self, out: &mut Vec<u8>) {
        out.reserve(self.length());
        // A vector takes all.
        let _ = self.put(out);
    }
}
