//! Fields, lengths and fragments (X.691 11, X.696 8.6).

use polywire_core::Result;

use super::super::layout::{Field, Size};
use super::{Encode, FRAGMENT, beyond_size};
use crate::walk::lower::Value;

impl<'w, 't> Encode<'w, 't> {
    pub(super) fn align(&mut self) {
        if self.layout.aligned {
            self.out.align();
        }
    }

    pub(super) fn field(&mut self, field: Field, number: u128) {
        if field.align {
            self.align();
        }
        self.out.put_wide(number, field.bits);
    }

    /// Puts a length without bounds, in PER less than 16K.
    pub(super) fn length(&mut self, count: u64) {
        if self.layout.octets {
            // The shortest form (X.696 8.6.5).
            if count < 0x80 {
                self.out.put(count, 8);
            } else {
                let octets = 8 - u64::from(count.leading_zeros()) / 8;
                self.out.put(0x80 | octets, 8);
                self.out.put(count, octets as u32 * 8);
            }
            return;
        }
        self.align();
        if count < 128 {
            self.out.put(count, 8);
        } else {
            self.out.put(0x8000 | count, 16);
        }
    }

    /// Puts a count of things, and the things, in fragments if they are many (X.691 11.9).
    pub(super) fn fragments(&mut self, count: u64, mut put: impl FnMut(&mut Self, u64, u64) -> Result<()>) -> Result<()> {
        let mut done = 0;
        while count - done >= FRAGMENT && !self.layout.octets {
            let blocks = ((count - done) / FRAGMENT).min(4);
            self.align();
            self.out.put(0xc0 | blocks, 8);
            put(self, done, blocks * FRAGMENT)?;
            done += blocks * FRAGMENT;
        }
        self.length(count - done);
        put(self, done, count - done)
    }

    /// Puts the octets at hand with a length of their number, in a size that holds it.
    pub(super) fn counted_octets(&mut self, size: &Size) {
        let octets = std::mem::take(&mut self.octets);
        let count = octets.len() as u64;
        match size.high {
            Some(high) => {
                if high != size.low {
                    self.field(size.field, u128::from(count - size.low));
                }
                if count > 0 && (high != size.low || high > 2) {
                    self.align();
                }
                self.out.copy(&octets, count * 8);
            }
            None => {
                // Nothing in it can fail.
                let _ = self.fragments(count, |encode, from, count| {
                    encode.out.copy(&octets[from as usize..], count * 8);
                    Ok(())
                });
            }
        }
        self.octets = octets;
    }

    /// Puts the extension bit of a size, and returns the size that the encoding has.
    pub(super) fn sized(&mut self, size: &'w Size, count: u64, item: Value<'t>, what: &'static str) -> Result<&'w Size> {
        let inside = size.contains(count);
        if size.extensible {
            self.out.flag(!inside);
            return Ok(if inside { size } else { &Size::ANY });
        }
        if inside { Ok(size) } else { Err(beyond_size(size, count, what, item)) }
    }

    /// Puts a small number (X.691 11.6).
    pub(super) fn small(&mut self, number: u64) {
        if number < 64 {
            self.out.put(number, 7);
            return;
        }
        self.out.flag(true);
        let octets = u64::from(64 - number.leading_zeros()).div_ceil(8);
        self.length(octets);
        self.out.put(number, octets as u32 * 8);
    }
}
