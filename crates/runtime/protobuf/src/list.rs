//! Lists, maps and unknown fields of messages that own them and of messages that borrow them.
//!
//! A borrowed list has to come in one piece. The slow reader joins the pieces of others first.

use std::collections::BTreeMap;

use polywire_runtime::Arena;

use crate::read::{Failed, Own, Read, Reader};

impl Reader<'_, Own> {
    /// Reads values in a row, each behind `tag`. The first tag is read. `count` counts them ahead.
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

    /// Reads as [`values`](Self::values) does, into places that start as `T::default()`.
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

    /// Reads packed varints. Those for which `make` returns none are left out.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes.
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

    /// Reads packed bools.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes.
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

    /// Reads packed values of `N` bytes.
    ///
    /// # Errors
    /// The bytes end.
    #[inline(always)]
    pub fn packed_fixed<const N: usize, T>(&mut self, list: &mut Vec<T>, make: impl Fn([u8; N]) -> T) -> Read<()> {
        let (values, []) = self.octets()?.as_chunks::<N>() else { return Err(Failed) };
        list.extend(values.iter().map(|value| make(*value)));
        Ok(())
    }

    /// Reads as [`values`](Self::values) does, for closed enums. Numbers for which `make` returns
    /// none are left out. If such fields are kept, the first one ends the list, and its mark is
    /// returned.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes.
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

    /// Reads entries of a map in a row. Those for which `read` returns none are left out. If such
    /// fields are kept, the first one ends the map, and its mark is returned.
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
    /// The mark is no place before this one.
    #[cold]
    pub fn keep(&mut self, kept: &mut Vec<u8>, mark: usize) -> Read<()> {
        kept.extend_from_slice(self.since(mark)?);
        Ok(())
    }
}

impl<'a> Reader<'a, &'a Arena> {
    /// Reads values in a row, each behind `tag`. The first tag is read. `count` counts them ahead.
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

    /// Reads as [`values`](Self::values) does, into places that start as `T::default()`.
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

    /// Returns a place in the arena for a value.
    #[inline(always)]
    pub fn place<T: Copy>(&mut self, value: T) -> &'a mut T {
        let mut room = self.store.room(1);
        room.push(value);
        &mut room.finish_mut()[0]
    }

    /// Reads packed varints. Those for which `make` returns none are left out.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes; the list has values already.
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

    /// Reads packed bools.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes; the list has values already.
    #[inline(always)]
    pub fn packed_bools(&mut self, list: &mut &'a [bool]) -> Read<()> {
        self.packed(list, |number| Ok(Some(number != 0)))
    }

    /// Reads packed values of `N` bytes.
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

    /// Reads as [`values`](Self::values) does, for closed enums. Numbers for which `make` returns
    /// none are left out. If such fields are kept, the first one ends the list, and its mark is
    /// returned.
    ///
    /// # Errors
    /// The bytes end; a varint of more than ten bytes; the list has values already.
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

    /// Reads entries of a map in a row, and returns them in the order of their keys, each key once.
    /// Those for which `read` returns none are left out. If such fields are kept, the first one
    /// ends the map, and its mark is returned.
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
    /// Another field stands between it and those before it.
    #[cold]
    pub fn keep(&mut self, kept: &mut &'a [u8], mark: usize) -> Read<()> {
        *kept = if kept.is_empty() { self.since(mark)? } else { self.joined(kept, mark).ok_or(Failed)? };
        Ok(())
    }
}

/// Sets a list to what was read, if it has no values yet.
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

/// Returns entries in the order of their keys, and only the last one of each key.
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
