//! Kinds of messages: those whose fields are mostly the same make a group, which is measured by
//! itself.

use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use polywire_core::{Field, Next, Open, Part, Result, Scalar, Sink, Span};

/// Most groups; the messages of rarer kinds make the last one together.
const GROUPS: usize = 8;

/// Percent of the messages that may be of rarer kinds: with more, the kinds say little, and all
/// messages are one group.
const RARE: usize = 20;

/// Fewest messages of a group.
const FEWEST: usize = 2;

/// Most outlines that are counted: more have names that are data.
const OUTLINES: usize = 1024;

/// Depth of the fields that an outline has.
const DEPTH: usize = 2;

/// Part of the fields at the top that two outlines of one kind share at least, in percent of both.
const ALIKE_AT_TOP: usize = 50;

/// The same of all fields.
const ALIKE: usize = 20;

/// The fields of a message, as a sink: names to a depth of [`DEPTH`], lists stepped through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    /// Hashes of the paths at the top, and below.
    top: Vec<u64>,
    below: Vec<u64>,
    /// Hash of the path of each open record, and `None` for lists, which have their parent's.
    levels: Vec<u64>,
    named: usize,
    /// Which levels have names.
    kinds: Vec<bool>,
    due: u64,
}

impl Outline {
    /// Starts the next message.
    fn clear(&mut self) {
        self.top.clear();
        self.below.clear();
        self.levels.clear();
        self.kinds.clear();
        (self.named, self.due) = (0, 0);
    }

    /// Returns the paths at the top, and below, sorted.
    fn key(&self) -> (Vec<u64>, Vec<u64>) {
        let sorted = |paths: &Vec<u64>| {
            let mut paths = paths.clone();
            paths.sort_unstable();
            paths.dedup();
            paths
        };
        (sorted(&self.top), sorted(&self.below))
    }

    fn value(&mut self, kind: u64) {
        // A message without names has its kind.
        if self.named == 0 && self.levels.len() < DEPTH {
            self.top.push(kind);
        }
    }
}

impl<'m> Sink<'m> for Outline {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let is_named = matches!(open, Open::Record { .. } | Open::Map(_));
        if !is_named {
            self.value(if matches!(open, Open::List(_) | Open::Tuple(_)) { 1 } else { 2 });
        }
        if is_named && self.named >= DEPTH {
            return Ok(Next::Skip);
        }
        self.levels.push(self.due);
        self.kinds.push(is_named);
        self.named += usize::from(is_named);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let mut hasher = FixedState::with_seed(self.levels.last().copied().unwrap_or(0)).build_hasher();
        hasher.write(field.name.get().as_bytes());
        let path = hasher.finish();
        let list = if self.named <= 1 { &mut self.top } else { &mut self.below };
        list.push(path);
        self.due = path;
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.value(3);
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        if let Some(path) = self.levels.pop() {
            self.due = path;
        }
        self.named -= usize::from(self.kinds.pop().unwrap_or(false));
        Ok(())
    }
}

/// The outlines of messages, and how many have each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    known: HashMap<(Vec<u64>, Vec<u64>), u32, FixedState>,
    counts: Vec<usize>,
    outline: Outline,
    /// There are too many outlines.
    lost: bool,
}

impl Shapes {
    /// Returns the sink for the next message.
    pub(crate) fn next(&mut self) -> &mut Outline {
        self.outline.clear();
        &mut self.outline
    }

    /// Returns the number of the outline of the message that was walked into [`Shapes::next`].
    pub(crate) fn done(&mut self) -> u32 {
        if self.lost {
            return 0;
        }
        let next = self.counts.len() as u32;
        match self.known.entry(self.outline.key()) {
            Entry::Occupied(known) => {
                self.counts[*known.get() as usize] += 1;
                *known.get()
            }
            Entry::Vacant(_) if self.counts.len() >= OUTLINES => {
                self.lost = true;
                0
            }
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.counts.push(1);
                next
            }
        }
    }

    /// Reports whether the message that was walked into the [`Shapes::next`] of `other` has an
    /// outline of a number.
    pub(crate) fn is_same(&self, number: u32, other: &Shapes) -> bool {
        self.known.get(&other.outline.key()) == Some(&number)
    }

    /// Returns the group of each outline, from 0; the largest group is first. There is one group if
    /// the messages are of one kind, or of too many.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let count = self.counts.len();
        let one = vec![0; count];
        if self.lost || count <= 1 {
            return one;
        }
        let mut outlines: Vec<(&Vec<u64>, &Vec<u64>)> = vec![(const { &Vec::new() }, const { &Vec::new() }); count];
        for ((top, below), index) in &self.known {
            outlines[*index as usize] = (top, below);
        }
        // Outlines that are alike, and those alike to them, are one kind.
        let mut kind: Vec<usize> = (0..count).collect();
        for one in 0..count {
            for other in 0..one {
                if kind[one] != kind[other] && alike(outlines[one], outlines[other]) {
                    let (from, to) = (kind[one], kind[other]);
                    kind.iter_mut().filter(|kind| **kind == from).for_each(|kind| *kind = to);
                }
            }
        }
        let mut sizes: Vec<(usize, usize)> = (0..count).map(|this| (this, 0)).collect();
        for (outline, kind) in kind.iter().enumerate() {
            sizes[*kind].1 += self.counts[outline];
        }
        sizes.retain(|(_, size)| *size > 0);
        sizes.sort_by_key(|(kind, size)| (std::cmp::Reverse(*size), *kind));
        let large = sizes.iter().take(GROUPS).filter(|(_, size)| *size >= FEWEST).count();
        let large = if large == sizes.len() { large } else { large.min(GROUPS - 1) };
        let all: usize = sizes.iter().map(|(_, size)| size).sum();
        let rare: usize = sizes[large..].iter().map(|(_, size)| size).sum();
        if large == 0 || 100 * rare > RARE * all {
            return one;
        }
        let place = |kind: usize| sizes[..large].iter().position(|(this, _)| *this == kind).unwrap_or(large);
        kind.into_iter().map(place).collect()
    }
}

/// Reports whether two outlines are of one kind.
fn alike(one: (&Vec<u64>, &Vec<u64>), other: (&Vec<u64>, &Vec<u64>)) -> bool {
    let common = |one: &[u64], other: &[u64]| one.iter().filter(|path| other.binary_search(path).is_ok()).count();
    let top = common(one.0, other.0);
    let all = top + common(one.1, other.1);
    let either = |one: usize, other: usize, common: usize| (one + other - common).max(1);
    100 * top >= ALIKE_AT_TOP * either(one.0.len(), other.0.len(), top)
        && 100 * all >= ALIKE * either(one.0.len() + one.1.len(), other.0.len() + other.1.len(), all)
}

#[cfg(test)]
mod tests {
    use polywire_core::Value;

    use super::*;

    fn groups(messages: &[Value]) -> Vec<usize> {
        let mut shapes = Shapes::default();
        let numbers: Vec<u32> = messages
            .iter()
            .map(|message| {
                message.emit(shapes.next()).unwrap();
                shapes.done()
            })
            .collect();
        let groups = shapes.groups();
        numbers.into_iter().map(|number| groups.get(number as usize).copied().unwrap_or(0)).collect()
    }

    fn record(names: &[&str]) -> Value {
        Value::record(names.iter().map(|name| (*name, Value::int(1))))
    }

    #[test]
    fn kinds_are_told_apart_and_optional_fields_are_not() {
        let (order, note) = (record(&["id", "customer", "lines"]), record(&["id", "customer", "lines", "note"]));
        let (login, out) = (record(&["user", "at"]), record(&["user", "at", "why"]));
        let all = [&order, &note, &login, &order, &out, &order].map(Clone::clone);
        assert_eq!(groups(&all), [0, 0, 1, 0, 1, 0]);
        assert_eq!(groups(&[order.clone(), note]), [0, 0]);
        // An envelope of one form with different contents.
        let envelope = |kind: &str, names: &[&str]| Value::record([("kind", Value::text(kind)), ("data", record(names))]);
        let (a, b) = (envelope("a", &["q", "r", "s", "t", "u", "v"]), envelope("b", &["w", "x", "y", "z"]));
        assert_eq!(groups(&[a.clone(), b.clone(), a, b]), [0, 1, 0, 1]);
    }

    #[test]
    fn names_that_are_data_make_no_kinds() {
        let many: Vec<Value> = (0..3000).map(|n| Value::record([(format!("key{n}"), Value::int(1))])).collect();
        assert!(groups(&many).iter().all(|group| *group == 0));
        let few: Vec<Value> = (0..30).map(|n| Value::record([(format!("key{n}"), Value::int(1))])).collect();
        assert!(groups(&few).iter().all(|group| *group == 0), "each of its own kind");
        assert_eq!(groups(&[Value::int(1), Value::text("x"), Value::Null]), [0, 0, 0]);
    }

    #[test]
    fn rare_kinds_are_one_group() {
        let mut all: Vec<Value> = (0..98).map(|_| record(&["a", "b"])).collect();
        all.extend([record(&["c"]), record(&["d"])]);
        let found = groups(&all);
        assert_eq!((found[0], found[98], found[99]), (0, 1, 1));
    }
}
