//! Lists, maps and unknown fields, for messages that own what they have and for those that borrow it.
//!
//! Those that borrow take a list in one piece: what comes in several is put in order by the slow way first.

use std::collections::BTreeMap;

use polywire_runtime::Arena;

use crate::read::{Failed, Own, Read, Reader};

impl Reader<'_, Own> {
    /// Values that follow each other, each behind `tag`, the first of which is read. `count` counts them ahead.
    ///
    /// # Errors
    /// Those of `read`.
    #[inline(always)]
    pub fn values<const N: usize, T>(
        &mut self,
        list: &mut Vec<T>,
        tag: [u8; N],
        count: impl Fn(&[u8], &[u8]) -> usize,
        mut read: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<()> {
        list.reserve(count(self.window(), &tag));
        loop {
            list.push(read(self)?);
            if !self.next(tag) {
                return Ok(());
            }
        }
    }

    /// As [`values`](Self::values), of values that are made in their place, from `T::default()`.
    ///
    /// # Errors
    /// Those of `read`.
    #[inline(always)]
    pub fn places<const N: usize, T: Default>(
        &mut self,
        list: &mut Vec<T>,
        tag: [u8; N],
        count: impl Fn(&[u8], &[u8]) -> usize,
        mut read: impl FnMut(&mut T, &mut Self) -> Read<()>,
    ) -> Read<()> {
        list.reserve(count(self.window(), &tag));
        loop {
            list.push(T::default());
            if let Some(place) = list.last_mut() {
                read(place, self)?;
            }
            if !self.next(tag) {
                return Ok(());
            }
        }
    }

    /// Packed varints. Those that `make` makes nothing of are left out.
    ///
    /// # Errors
    /// The bytes end, or a number does not.
    #[inline(always)]
    pub fn packed<T>(&mut self, list: &mut Vec<T>, make: impl Fn(u64) -> Read<Option<T>>) -> Read<()> {
        self.numbers(|r, count| {
            list.reserve(count);
            while !r.done() {
                list.extend(make(r.varint()?)?);
            }
            Ok(())
        })
    }

    /// Packed truth values.
    ///
    /// # Errors
    /// The bytes end, or a number does not.
    #[inline(always)]
    pub fn packed_bools(&mut self, list: &mut Vec<bool>) -> Read<()> {
        self.numbers(|r, count| {
            list.reserve(count);
            while !r.done() {
                list.push(r.varint()? != 0);
            }
            Ok(())
        })
    }

    /// Packed values of `N` bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn packed_fixed<const N: usize, T>(&mut self, list: &mut Vec<T>, make: impl Fn([u8; N]) -> T) -> Read<()> {
        let (values, []) = self.octets()?.as_chunks::<N>() else { return Err(Failed) };
        list.extend(values.iter().map(|value| make(*value)));
        Ok(())
    }

    /// As [`values`](Self::values), of closed enums: numbers that `make` makes nothing of are left out. If they are kept, none is read behind the
    /// first, and what is given back is where that field starts.
    ///
    /// # Errors
    /// The bytes end, or a number does not.
    #[inline(always)]
    pub fn cases<const N: usize, T>(
        &mut self,
        list: &mut Vec<T>,
        tag: [u8; N],
        keeps: bool,
        make: impl Fn(u64) -> Option<T>,
    ) -> Read<Option<usize>> {
        loop {
            let mark = self.mark() + N;
            match make(self.varint()?) {
                Some(value) => list.push(value),
                None if keeps => return Ok(Some(mark)),
                None => {}
            }
            if !self.next(tag) {
                return Ok(None);
            }
        }
    }

    /// Entries of a map that follow each other. What `read` makes nothing of is left out; if it is kept, none is read behind the first, and what is given
    /// back is where that field starts.
    ///
    /// # Errors
    /// Those of `read`.
    #[inline(always)]
    pub fn entries<const N: usize, K: Ord, V>(
        &mut self,
        map: &mut BTreeMap<K, V>,
        tag: [u8; N],
        keeps: bool,
        mut read: impl FnMut(&mut Self) -> Read<Option<(K, V)>>,
    ) -> Read<Option<usize>> {
        loop {
            let mark = self.mark() + N;
            match read(self)? {
                Some((key, value)) => drop(map.insert(key, value)),
                None if keeps => return Ok(Some(mark)),
                None => {}
            }
            if !self.next(tag) {
                return Ok(None);
            }
        }
    }

    /// Keeps the unknown field that started at the mark.
    ///
    /// # Errors
    /// The mark is none.
    #[cold]
    pub fn keep(&mut self, kept: &mut Vec<u8>, mark: usize) -> Read<()> {
        kept.extend_from_slice(self.since(mark)?);
        Ok(())
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// Values that follow each other, each behind `tag`, the first of which is read. `count` counts them ahead.
    ///
    /// # Errors
    /// Those of `read`; the list has values already.
    #[inline(always)]
    pub fn values<const N: usize, T: Copy>(
        &mut self,
        list: &mut &'a [T],
        tag: [u8; N],
        count: impl Fn(&[u8], &[u8]) -> usize,
        mut read: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<()> {
        if !list.is_empty() {
            return Err(Failed);
        }
        let count = count(self.window(), &tag);
        let mut room = self.store.room(count);
        for n in 0..count {
            if n > 0 && !self.next(tag) {
                return Err(Failed);
            }
            room.push(read(self)?);
        }
        *list = room.finish();
        Ok(())
    }

    /// As [`values`](Self::values), of values that are made in their place, from `T::default()`.
    ///
    /// # Errors
    /// Those of `read`; the list has values already.
    #[inline(always)]
    pub fn places<const N: usize, T: Copy + Default>(
        &mut self,
        list: &mut &'a [T],
        tag: [u8; N],
        count: impl Fn(&[u8], &[u8]) -> usize,
        mut read: impl FnMut(&mut T, &mut Self) -> Read<()>,
    ) -> Read<()> {
        if !list.is_empty() {
            return Err(Failed);
        }
        let count = count(self.window(), &tag);
        let mut room = self.store.room(count);
        for n in 0..count {
            if n > 0 && !self.next(tag) {
                return Err(Failed);
            }
            read(room.add(T::default()), self)?;
        }
        *list = room.finish();
        Ok(())
    }

    /// A place of its own for a value.
    #[inline(always)]
    pub fn place<T: Copy>(&mut self, value: T) -> &'a mut T {
        let mut room = self.store.room(1);
        room.push(value);
        &mut room.finish_mut()[0]
    }

    /// Packed varints. Those that `make` makes nothing of are left out.
    ///
    /// # Errors
    /// The bytes end, or a number does not; the list has values already.
    #[inline(always)]
    pub fn packed<T: Copy>(&mut self, list: &mut &'a [T], make: impl Fn(u64) -> Read<Option<T>>) -> Read<()> {
        let read = self.numbers(|r, count| {
            let mut room = r.store.room(count);
            for _ in 0..count {
                if let Some(value) = make(r.varint()?)? {
                    room.push(value);
                }
            }
            Ok(room.finish())
        })?;
        only(list, read)
    }

    /// Packed truth values.
    ///
    /// # Errors
    /// The bytes end, or a number does not; the list has values already.
    #[inline(always)]
    pub fn packed_bools(&mut self, list: &mut &'a [bool]) -> Read<()> {
        self.packed(list, |number| Ok(Some(number != 0)))
    }

    /// Packed values of `N` bytes.
    ///
    /// # Errors
    /// The bytes end; the list has values already.
    #[inline(always)]
    pub fn packed_fixed<const N: usize, T: Copy>(&mut self, list: &mut &'a [T], make: impl Fn([u8; N]) -> T) -> Read<()> {
        let (values, []) = self.octets()?.as_chunks::<N>() else { return Err(Failed) };
        if values.is_empty() {
            return Ok(());
        }
        if !list.is_empty() {
            return Err(Failed);
        }
        let mut room = self.store.room(values.len());
        values.iter().for_each(|value| room.push(make(*value)));
        *list = room.finish();
        Ok(())
    }

    /// As [`values`](Self::values), of closed enums: numbers that `make` makes nothing of are left out. If they are kept, none is read behind the
    /// first, and what is given back is where that field starts.
    ///
    /// # Errors
    /// The bytes end, or a number does not; the list has values already.
    #[inline(always)]
    pub fn cases<const N: usize, T: Copy>(
        &mut self,
        list: &mut &'a [T],
        tag: [u8; N],
        keeps: bool,
        make: impl Fn(u64) -> Option<T>,
    ) -> Read<Option<usize>> {
        let count = crate::read::varints(self.window(), &tag);
        let mut room = self.store.room(count);
        let mut stray = None;
        for n in 0..count {
            if n > 0 && !self.next(tag) {
                return Err(Failed);
            }
            let mark = self.mark() + N;
            match make(self.varint()?) {
                Some(value) => room.push(value),
                None if keeps => {
                    stray = Some(mark);
                    break;
                }
                None => {}
            }
        }
        only(list, room.finish())?;
        Ok(stray)
    }

    /// Entries of a map that follow each other: in the order of their keys, each once. What `read` makes nothing of is left out; if it is kept, none is read
    /// behind the first, and what is given back is where that field starts.
    ///
    /// # Errors
    /// Those of `read`; the map has entries already.
    #[inline(always)]
    pub fn entries<const N: usize, K: Copy + Ord, V: Copy>(
        &mut self,
        map: &mut &'a [(K, V)],
        tag: [u8; N],
        keeps: bool,
        mut read: impl FnMut(&mut Self) -> Read<Option<(K, V)>>,
    ) -> Read<Option<usize>> {
        let count = crate::read::lens(self.window(), &tag);
        let mut room = self.store.room(count);
        let mut stray = None;
        for n in 0..count {
            if n > 0 && !self.next(tag) {
                return Err(Failed);
            }
            let mark = self.mark() + N;
            match read(self)? {
                Some(entry) => room.push(entry),
                None if keeps => {
                    stray = Some(mark);
                    break;
                }
                None => {}
            }
        }
        only(map, sorted(room.finish_mut()))?;
        Ok(stray)
    }

    /// Keeps the unknown field that started at the mark.
    ///
    /// # Errors
    /// Something else came between it and those before it.
    #[cold]
    pub fn keep(&mut self, kept: &mut &'a [u8], mark: usize) -> Read<()> {
        *kept = if kept.is_empty() { self.since(mark)? } else { self.joined(kept, mark).ok_or(Failed)? };
        Ok(())
    }
}

/// Makes a list what was read of it, if it is all there is of it.
#[inline(always)]
fn only<'a, T>(list: &mut &'a [T], read: &'a [T]) -> Read<()> {
    if read.is_empty() {
        return Ok(());
    }
    if !list.is_empty() {
        return Err(Failed);
    }
    *list = read;
    Ok(())
}

/// Entries in the order of their keys; of those with one key the last.
fn sorted<K: Copy + Ord, V: Copy>(entries: &mut [(K, V)]) -> &[(K, V)] {
    if entries.is_sorted_by(|one, other| one.0 < other.0) {
        return entries;
    }
    entries.sort_by_key(|entry| entry.0);
    let mut count = 0;
    for index in 0..entries.len() {
        if index + 1 == entries.len() || entries[index].0 < entries[index + 1].0 {
            entries[count] = entries[index];
            count += 1;
        }
    }
    &entries[..count]
}
