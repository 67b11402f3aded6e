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
        let mut few = [("", 0, 0); FEW];
        for (count, field) in fields(tree, at).enumerate() {
            let Some(place) = few.get_mut(count) else { return Siblings::many(tree, at) };
            *place = (tree.field_at(field).name.get(), field as u32, tree.skip_notes(field + 1) as u32);
        }
        let count = few.iter().position(|(_, field, _)| *field == 0).unwrap_or(FEW);
        Siblings::few(&few[..count])
    }

    /// Returns the fields of a record with these names, fields and values, by comparing each name
    /// with each.
    fn few(fields: &[(&str, u32, u32)]) -> Option<Siblings> {
        let is_first = |n: usize| !fields[..n].iter().any(|(name, ..)| *name == fields[n].0);
        if (1..fields.len()).all(is_first) {
            return None;
        }
        let mut siblings = Siblings { values: Vec::with_capacity(fields.len()), groups: Vec::new(), taken: Vec::new() };
        for n in 0..fields.len() {
            let (name, field, value) = fields[n];
            if !is_first(n) {
                siblings.taken.push(field);
                continue;
            }
            let start = siblings.values.len();
            siblings.values.extend(fields[n..].iter().filter(|(other, ..)| *other == name).map(|(.., value)| *value));
            match siblings.values.len() - start {
                1 => siblings.values.truncate(start),
                len => siblings.groups.push((value, start as u32, (start + len) as u32)),
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
