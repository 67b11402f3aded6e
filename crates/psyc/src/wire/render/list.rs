//! Lists (docs/spec/psyc.md 11.5).

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::error::RenderError;
use super::output::{Buffer, Output};
use super::size::{digits, value_wants_size};
use crate::packet::Sizing;
use crate::wire::bytes::BAR;

/// An element of a list, or a value of a dict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Item<'a> {
    /// Its own type, empty if it has none.
    pub kind: &'a [u8],
    /// Its value. An empty one is never sized.
    pub value: &'a [u8],
    /// The rule for its size.
    pub sizing: Sizing,
}

impl<'a> Item<'a> {
    /// Returns an element without a type, with a size by docs/spec/psyc.md 11.1.
    pub const fn new(value: &'a [u8]) -> Item<'a> {
        Item { kind: b"", value, sizing: Sizing::Check }
    }

    /// Returns an element with a type of its own.
    pub const fn typed(kind: &'a [u8], value: &'a [u8]) -> Item<'a> {
        Item { kind, value, sizing: Sizing::Check }
    }

    /// Returns whether its size is written. `stop` is `|` in a list, and `{` in a dict.
    #[inline]
    pub fn wants_size(&self, stop: u8) -> bool {
        !self.value.is_empty() && value_wants_size(self.value, self.sizing, stop)
    }

    /// Returns its length, without the bar or brace before it.
    pub fn length(&self, stop: u8) -> usize {
        let kind = if self.kind.is_empty() { 0 } else { 1 + self.kind.len() };
        if self.value.is_empty() {
            return kind;
        }
        let size = if self.wants_size(stop) { usize::from(kind > 0) + digits(self.value.len()) } else { 0 };
        (kind + size + 1).saturating_add(self.value.len())
    }

    pub(super) fn put(&self, out: &mut impl Output, stop: u8) -> Option<()> {
        if !self.kind.is_empty() {
            out.byte(b'=')?;
            out.put(self.kind)?;
        }
        if self.value.is_empty() {
            return Some(());
        }
        if self.wants_size(stop) {
            if !self.kind.is_empty() {
                out.byte(b':')?;
            }
            out.number(self.value.len())?;
        }
        out.byte(b' ')?;
        out.put(self.value)
    }

    /// Renders it at the start of `out`, without the bar or brace before it, and returns its
    /// length.
    pub fn render(&self, stop: u8, out: &mut [u8]) -> Result<usize, RenderError> {
        let length = self.length(stop);
        self.put(&mut Buffer::new(out.get_mut(..length).ok_or(RenderError::Buffer)?), stop).ok_or(RenderError::Buffer)?;
        Ok(length)
    }
}

/// A list to be rendered, with elements from any iterator that can be cloned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List<'a, I> {
    /// The default type, for elements without a type of their own; may be empty.
    pub default: &'a [u8],
    /// The elements.
    pub items: I,
}

impl<'a, I: IntoIterator<Item = Item<'a>> + Clone> List<'a, I> {
    /// Returns its length.
    pub fn length(&self) -> usize {
        self.items.clone().into_iter().fold(self.default.len(), |sum, item| sum.saturating_add(1).saturating_add(item.length(BAR)))
    }

    fn put(&self, out: &mut impl Output) -> Option<()> {
        out.put(self.default)?;
        for item in self.items.clone() {
            out.byte(BAR)?;
            item.put(out, BAR)?;
        }
        Some(())
    }

    /// Renders it at the start of `out`, and returns its length.
    ///
    /// ```
    /// use polywire_psyc::wire::render::{Item, List};
    ///
    /// let mut out = [0; 32];
    /// let length = List { default: b"", items: [Item::new(b"a|b"), Item::typed(b"_nick", b"ann")] }.render(&mut out)?;
    /// assert_eq!(&out[..length], b"|3 a|b|=_nick ann");
    /// # Ok::<(), polywire_psyc::wire::RenderError>(())
    /// ```
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
