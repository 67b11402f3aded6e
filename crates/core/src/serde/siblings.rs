//! Fields of one name in a record, which together are a list.

use std::collections::HashMap;
use std::hash::RandomState;

use crate::value::Tree;

/// The fields of a record by their names, where a name repeats.
#[derive(Debug)]
pub(super) struct Siblings {
    /// Nodes of all values, those of one name beside each other and in order. Behind them come the
    /// nodes of the fields that are not the first of their name, sorted.
    nodes: Vec<u32>,
    /// Number of the values.
    values: usize,
    /// Range in `nodes` of each name that repeats, by the node of its first value, sorted.
    groups: Vec<(u32, u32, u32)>,
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
        let (mut outlines, mut places, mut firsts) = ([0; FEW], [0; FEW], [0; FEW]);
        let (mut count, mut repeats) = (0, false);
        // A bit for each outline so far: most are the first of theirs, and not compared.
        let mut seen = 0_u64;
        for (field, n) in fields(tree, at).zip(0..FEW) {
            let name = |field: usize| tree.field_at(field).name.get();
            let outline = outline(name(field).as_bytes());
            let bit = 1 << (outline.wrapping_mul(0x9e37_79b1) >> 26);
            let is_same = |other: &usize| outlines[*other] == outline && name(places[*other]) == name(field);
            let first = if seen & bit == 0 { n } else { (0..n).find(is_same).unwrap_or(n) };
            seen |= bit;
            repeats |= first < n;
            (outlines[n], places[n], firsts[n]) = (outline, field, first);
            count = n + 1;
        }
        if !repeats {
            return None;
        }
        let value = |n: usize| tree.skip_notes(places[n] + 1) as u32;
        let mut siblings = Siblings { nodes: Vec::with_capacity(2 * count), values: 0, groups: Vec::with_capacity(1) };
        for n in (0..count).filter(|&n| firsts[n] == n) {
            let start = siblings.nodes.len();
            for other in (n + 1..count).filter(|&other| firsts[other] == n) {
                if siblings.nodes.len() == start {
                    siblings.nodes.push(value(n));
                }
                siblings.nodes.push(value(other));
            }
            let end = siblings.nodes.len();
            if end > start {
                siblings.groups.push((value(n), start as u32, end as u32));
            }
        }
        siblings.values = siblings.nodes.len();
        siblings.nodes.extend((0..count).filter(|&n| firsts[n] < n).map(|n| places[n] as u32));
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
        let mut siblings = Siblings { nodes: Vec::new(), values: 0, groups: Vec::new() };
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let start = siblings.nodes.len() as u32;
            siblings.groups.push((group[0], start, start + group.len() as u32));
            siblings.nodes.extend(group);
        }
        siblings.values = siblings.nodes.len();
        siblings.nodes.extend(taken);
        siblings.groups.sort_unstable();
        Some(siblings)
    }

    /// Returns the node of the first entry from `at` on that no other one has taken along, or of
    /// the record's end.
    pub(super) fn skip_taken(&self, tree: &Tree<'_>, at: usize) -> usize {
        let mut at = tree.skip_notes(at);
        while self.nodes[self.values..].binary_search(&(at as u32)).is_ok() {
            at = tree.skip_notes(tree.after_value(tree.skip_notes(at + 1)));
        }
        at
    }

    /// Returns the nodes of all values of a name, if the value at `first` is its first and there
    /// are more.
    pub(super) fn all(&self, first: usize) -> Option<&[u32]> {
        let group = self.groups.binary_search_by_key(&(first as u32), |group| group.0).ok()?;
        let (_, start, end) = self.groups[group];
        Some(&self.nodes[start as usize..end as usize])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn few_fields_are_grouped_as_many_are() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut grouped, mut alone) = (0, 0);
        for _ in 0..5_000 {
            // Names of one outline, and of others.
            let names: Vec<String> = (0..rng.usize(2..=FEW)).map(|_| (0..5).map(|_| rng.char('a'..='b')).collect()).collect();
            let record = Value::record(names.iter().map(|name| (name.as_str(), Value::int(1))));
            let mut tree = Tree::new();
            record.emit(&mut tree).unwrap();
            let many = Siblings::many(&tree, 0).unwrap();
            let Some(few) = Siblings::few(&tree, 0) else {
                alone += 1;
                assert_eq!(many.groups, []);
                continue;
            };
            grouped += 1;
            assert_eq!(few.nodes[few.values..], many.nodes[many.values..]);
            for field in fields(&tree, 0) {
                assert_eq!(few.all(field + 1), many.all(field + 1), "{names:?}");
            }
        }
        assert!(grouped > 1000 && alone > 100, "{grouped} {alone}");
    }
}
