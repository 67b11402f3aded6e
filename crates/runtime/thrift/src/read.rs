//! The fast reader: generated code asks for the value that it expects, and gets it or [`Failed`].
//! It does not explain errors: [`Shape::explain`](crate::shape::Shape::explain) reads a refused
//! message a second time.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use polywire_runtime::Arena;
pub use polywire_runtime::read::{Check, Failed, Own, Read};
use polywire_runtime::text::utf8;

use crate::limits::Limits;
use crate::wire::{Cursor, Head, Protocol, kind};

/// A reader of a message. `S` is where lists go: `&Arena` or [`Own`].
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a, P, S> {
    cursor: Cursor<'a>,
    /// Number of values that may still be within each other.
    depth: u32,
    store: S,
    protocol: PhantomData<P>,
}

impl<'a, P: Protocol, S: Copy> Reader<'a, P, S> {
    /// Returns a reader of the struct at the first byte.
    pub fn new(bytes: &'a [u8], limits: &Limits, store: S) -> Reader<'a, P, S> {
        Reader { cursor: Cursor { rest: bytes }, depth: limits.depth(), store, protocol: PhantomData }
    }

    /// Returns the number of bytes that are left.
    pub const fn left(&self) -> usize {
        self.cursor.rest.len()
    }

    /// Enters a struct, list, set or map.
    ///
    /// # Errors
    /// More of them within each other than the limits allow.
    #[inline(always)]
    pub fn enter(&mut self) -> Read<()> {
        self.depth = self.depth.checked_sub(1).ok_or(Failed)?;
        Ok(())
    }

    /// Leaves it.
    #[inline(always)]
    pub fn leave(&mut self) {
        self.depth += 1;
    }

    /// Reads the head of the next field, or the end of the struct.
    ///
    /// # Errors
    /// The bytes end; there is no such type.
    #[inline(always)]
    pub fn field(&mut self, last: &mut i16) -> Read<Option<Head>> {
        let head = P::field(&mut self.cursor, *last)?;
        if let Some(head) = head {
            *last = head.id;
        }
        Ok(head)
    }

    /// Reads a field that is a truth value.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn truth(&mut self, head: Head) -> Read<bool> {
        Ok(P::truth(&mut self.cursor, head)?)
    }

    /// Steps over a field.
    ///
    /// # Errors
    /// The bytes end; values that cannot be read.
    #[inline(never)]
    pub fn skip(&mut self, head: Head) -> Read<()> {
        if head.kind == kind::BOOL { self.truth(head).map(drop) } else { self.skip_value(head.kind) }
    }

    fn skip_value(&mut self, of: u8) -> Read<()> {
        let cursor = &mut self.cursor;
        match of {
            kind::BOOL => drop(P::bool(cursor)?),
            kind::I8 => drop(P::int8(cursor)?),
            kind::I16 => drop(P::int16(cursor)?),
            kind::I32 => drop(P::int32(cursor)?),
            kind::I64 => drop(P::int64(cursor)?),
            kind::DOUBLE => drop(P::double(cursor)?),
            kind::UUID => drop(cursor.array::<16>()?),
            kind::STRING => drop(P::bytes(cursor)?),
            kind::LIST | kind::SET => {
                let (kind, count) = P::list(cursor)?;
                self.holds(count, P::least(kind))?;
                self.enter()?;
                for _ in 0..count {
                    self.skip_value(kind)?;
                }
                self.leave();
            }
            kind::MAP => {
                let (key, value, count) = P::map(cursor)?;
                self.holds(count, P::least(key) + P::least(value))?;
                self.enter()?;
                for _ in 0..count {
                    self.skip_value(key)?;
                    self.skip_value(value)?;
                }
                self.leave();
            }
            _ => {
                self.enter()?;
                let mut last = 0;
                while let Some(head) = self.field(&mut last)? {
                    self.skip(head)?;
                }
                self.leave();
            }
        }
        Ok(())
    }

    /// Checks that the bytes that are left can hold as many values of at least this size.
    #[inline(always)]
    fn holds(&self, count: u64, least: u64) -> Read<()> {
        if count.saturating_mul(least) > self.left() as u64 { Err(Failed) } else { Ok(()) }
    }

    /// Reads a truth value that stands alone.
    ///
    /// # Errors
    /// The bytes end; another byte.
    #[inline(always)]
    pub fn bool(&mut self) -> Read<bool> {
        Ok(P::bool(&mut self.cursor)?)
    }

    /// Reads a number of 8 bits.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn int8(&mut self) -> Read<i8> {
        Ok(P::int8(&mut self.cursor)?)
    }

    /// Reads a number of 16 bits.
    ///
    /// # Errors
    /// The bytes end; a number out of range.
    #[inline(always)]
    pub fn int16(&mut self) -> Read<i16> {
        Ok(P::int16(&mut self.cursor)?)
    }

    /// Reads a number of 32 bits.
    ///
    /// # Errors
    /// The bytes end; a number out of range.
    #[inline(always)]
    pub fn int32(&mut self) -> Read<i32> {
        Ok(P::int32(&mut self.cursor)?)
    }

    /// Reads a number of 64 bits.
    ///
    /// # Errors
    /// The bytes end; a number out of range.
    #[inline(always)]
    pub fn int64(&mut self) -> Read<i64> {
        Ok(P::int64(&mut self.cursor)?)
    }

    /// Reads a double.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn double(&mut self) -> Read<f64> {
        Ok(P::double(&mut self.cursor)?)
    }

    /// Reads a universal unique identifier: its first and its last eight bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn uuid(&mut self) -> Read<(u64, u64)> {
        let (high, low) = (self.cursor.array()?, self.cursor.array()?);
        Ok((u64::from_be_bytes(high), u64::from_be_bytes(low)))
    }

    /// Reads text.
    ///
    /// # Errors
    /// The bytes end; text that is not UTF-8.
    #[inline(always)]
    pub fn text(&mut self) -> Read<&'a str> {
        utf8(P::bytes(&mut self.cursor)?).ok_or(Failed)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        Ok(P::bytes(&mut self.cursor)?)
    }

    /// Reads the head of a list or set of elements of a type.
    ///
    /// # Errors
    /// Elements of another type; a count that the bytes cannot hold.
    #[inline(always)]
    pub fn list(&mut self, of: u8) -> Read<usize> {
        let (kind, count) = P::list(&mut self.cursor)?;
        if count > 0 && kind != of {
            return Err(Failed);
        }
        self.holds(count, P::least(of))?;
        Ok(count as usize)
    }

    /// Reads the head of a map of keys and values of these types.
    ///
    /// # Errors
    /// Keys or values of another type; a count that the bytes cannot hold.
    #[inline(always)]
    pub fn map(&mut self, of_key: u8, of_value: u8) -> Read<usize> {
        let (key, value, count) = P::map(&mut self.cursor)?;
        if count > 0 && (key, value) != (of_key, of_value) {
            return Err(Failed);
        }
        self.holds(count, P::least(of_key) + P::least(of_value))?;
        Ok(count as usize)
    }
}

impl<'a, P: Protocol> Reader<'a, P, &'a Arena> {
    /// Reads as many values into the arena.
    ///
    /// # Errors
    /// Those of `read`; too many containers within each other.
    #[inline(always)]
    pub fn fill<T: Copy>(&mut self, count: usize, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<&'a [T]> {
        self.enter()?;
        let arena = self.store;
        let values = arena.fill(count, || read(self))?;
        self.leave();
        Ok(values)
    }

    /// Moves a value into the arena.
    ///
    /// # Errors
    /// None.
    #[inline(always)]
    pub fn one<T: Copy>(&self, value: T) -> Read<&'a T> {
        self.store.fill(1, || Ok::<T, Failed>(value))?.first().ok_or(Failed)
    }
}

impl<P: Protocol> Reader<'_, P, Own> {
    /// Reads as many values into a vector.
    ///
    /// # Errors
    /// Those of `read`; too many containers within each other.
    #[inline(always)]
    pub fn vec<T>(&mut self, count: usize, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.enter()?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(read(self)?);
        }
        self.leave();
        Ok(values)
    }

    /// Reads as many entries into a map. The last of several with one key counts.
    ///
    /// # Errors
    /// Those of `read`; too many containers within each other.
    #[inline(always)]
    pub fn entries<K: Ord, V>(&mut self, count: usize, mut read: impl FnMut(&mut Self) -> Read<(K, V)>) -> Read<BTreeMap<K, V>> {
        self.enter()?;
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let (key, value) = read(self)?;
            entries.insert(key, value);
        }
        self.leave();
        Ok(entries)
    }
}
