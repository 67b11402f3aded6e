//! Fields of one name in a record, which together are a list.

use std::collections::HashMap;
use std::hash::RandomState;

use crate::value::Tree;

/// The fields of a record by their names, where a name repeats.
#[derive(Debug)]
pub(super) struct Siblings {
    /// Nodes of all values, those of one name beside each other and in order.
    values: Vec<u32>,
    /// Range in `values` of each name that repeats, by the node of its first value, sorted.
    groups: Vec<(u32, u32, u32)>,
    /// Nodes of the fields that are not the first of their name, sorted.
    taken: Vec<u32>,
}

/// Most entries whose names are compared one by one; with more, hashing is faster.
const FEW: usize = 16;

impl Siblings {
    /// Returns the fields of the record at `at`; none if no name repeats.
    pub(super) fn of(tree: &Tree<'_>, at: usize) -> Option<Siblings> {
        match tree.count_at(at) as usize {
            0 | 1 => None,
            2..=FEW => Siblings::few(tree, at),
            _ => Siblings::many(tree, at),
        }
    }

    /// Returns the fields of a record with at most [`FEW`], by comparing each name with each.
    fn few(tree: &Tree<'_>, at: usize) -> Option<Siblings> {
        // Most names differ in their outlines, and are not compared themselves then.
        let (mut outlines, mut places) = ([0; FEW], [0; FEW]);
        let mut count = 0;
        let mut repeats = false;
        for ((field, outlined), place) in fields(tree, at).zip(&mut outlines).zip(&mut places) {
            *outlined = outline(tree.field_at(field).name.get().as_bytes());
            *place = field;
            count += 1;
        }
        let (outlines, places) = (&outlines[..count], &places[..count]);
        let name = |n: usize| tree.field_at(places[n]).name.get();
        let is_same = |n: usize, other: usize| outlines[n] == outlines[other] && name(n) == name(other);
        for n in 1..count {
            repeats |= outlines[..n].contains(&outlines[n]);
        }
        if !repeats {
            return None;
        }
        let is_first = |n: usize| (0..n).all(|other| !is_same(n, other));
        if (1..count).all(is_first) {
            return None;
        }
        let value = |n: usize| tree.skip_notes(places[n] + 1) as u32;
        let mut siblings = Siblings { values: Vec::with_capacity(count), groups: Vec::new(), taken: Vec::new() };
        for n in 0..count {
            if !is_first(n) {
                siblings.taken.push(places[n] as u32);
                continue;
            }
            let start = siblings.values.len();
            siblings.values.push(value(n));
            siblings.values.extend((n + 1..count).filter(|&other| is_same(n, other)).map(value));
            match siblings.values.len() - start {
                1 => siblings.values.truncate(start),
                len => siblings.groups.push((value(n), start as u32, (start + len) as u32)),
            }
        }
        Some(siblings)
    }

    /// Returns the fields of a record with many, by hashing their names.
    fn many(tree: &Tree<'_>, at: usize) -> Option<Siblings> {
        // Names are the sender's: a random key keeps them from being made to collide.
        let mut groups: HashMap<&str, Vec<u32>, RandomState> = HashMap::default();
        let mut taken = Vec::new();
        for field in fields(tree, at) {
            let group = groups.entry(tree.field_at(field).name.get()).or_default();
            if !group.is_empty() {
                taken.push(field as u32);
            }
            group.push(tree.skip_notes(field + 1) as u32);
        }
        let mut siblings = Siblings { values: Vec::new(), groups: Vec::new(), taken };
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let start = siblings.values.len() as u32;
            siblings.groups.push((group[0], start, start + group.len() as u32));
            siblings.values.extend(group);
        }
        siblings.groups.sort_unstable();
        Some(siblings)
    }

    /// Returns the node of the first entry from `at` on that no other one has taken along, or of
    /// the record's end.
    pub(super) fn skip_taken(&self, tree: &Tree<'_>, at: usize) -> usize {
        let mut at = tree.skip_notes(at);
        while self.taken.binary_search(&(at as u32)).is_ok() {
            at = tree.skip_notes(tree.after_value(tree.skip_notes(at + 1)));
        }
        at
    }

    /// Returns the nodes of all values of a name, if the value at `first` is its first and there
    /// are more.
    pub(super) fn all(&self, first: usize) -> Option<&[u32]> {
        let group = self.groups.binary_search_by_key(&(first as u32), |group| group.0).ok()?;
        let (_, start, end) = self.groups[group];
        Some(&self.values[start as usize..end as usize])
    }
}

/// Returns a number that is the same for equal names, and mostly another one for others: length,
/// first, middle and last byte.
#[inline]
fn outline(name: &[u8]) -> u32 {
    let (Some(first), Some(last)) = (name.first(), name.last()) else { return 0 };
    u32::from_le_bytes([name.len() as u8, *first, name[name.len() / 2], *last])
}

/// Iterates over the nodes of a record's fields.
fn fields<'t, 'm>(tree: &'t Tree<'m>, at: usize) -> impl Iterator<Item = usize> + use<'t, 'm> {
    let mut next = at + 1;
    std::iter::from_fn(move || {
        loop {
            let at = tree.skip_notes(next);
            if tree.is_close(at) {
                return None;
            }
            if tree.is_field(at) {
                next = tree.after_value(tree.skip_notes(at + 1));
                return Some(at);
            }
            next = tree.after_value(tree.skip_notes(tree.after_value(at)));
        }
    })
}
