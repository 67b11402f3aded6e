//! Two values side by side.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::RandomState;

use crate::tools::adapt::{Hits, Places, Projection};
use crate::value::show;
use crate::value::tree::{Entry, Item, View};
use crate::walk::event::{Open, Scalar, Span};
use crate::walk::path::{Path, PathStep};

use super::align::{align, pair};
use super::difference::Difference;
use super::digest::{Digester, Ignored, Memo};
use super::key::{Key, key, step};
use super::keyed::{ListKey, matched};
use super::listing::{Change, Line, listing};
use super::tolerance::Tolerance;

/// Characters of a value that a difference shows.
const SHOWN: usize = 40;

/// Returns the first `limit` differences between two values.
///
/// Values are equal if they have the same kind and contents. Fields and map entries are matched by
/// key, in any order; those with the same key, in their order. A map whose keys are all text equals
/// a record with those fields. Numbers are equal if kind and value are: 1 is not 1.0, and a float32
/// equals the float64 that it widens to. All NaNs are one value.
pub fn differences(left: Item<'_, '_>, right: Item<'_, '_>, limit: usize) -> Vec<Difference> {
    Diff::new(None, limit, SHOWN, &How::default()).stop_at_limit().all(left, right).0
}

/// Returns true if [`differences`] would find none.
pub fn equal(left: Item<'_, '_>, right: Item<'_, '_>) -> bool {
    differences(left, right, 1).is_empty()
}

/// How values are matched and compared. Default: exactly, elements of lists as they stand.
#[derive(Debug, Clone, Default)]
pub(super) struct How {
    /// Elements of lists are aligned.
    pub(super) align: bool,
    pub(super) keys: Vec<ListKey>,
    pub(super) tolerance: Tolerance,
}

/// A comparison of two values that counts all differences and describes the first `limit`.
pub(super) struct Diff<'t> {
    how: &'t How,
    digester: Digester,
    /// Digests of containers, left and right.
    memos: [Memo; 2],
    /// The differences by their places, if they are to be listed.
    changes: Option<Changes<'t>>,
    /// The containers around the current place.
    around: Vec<Around>,
    /// The outcome of a look at whether two values are equal; `None` outside of such a look.
    probe: Option<bool>,
    /// The keys that were used.
    pub(super) used: Vec<bool>,
    /// Elements of lists with the key of another one.
    pub(super) doubled: u64,
    ignore: Option<Ignore<'t>>,
    /// Where the place that is compared stands among the paths that are ignored.
    places: Places,
    path: Vec<Way<'t>>,
    found: Vec<Difference>,
    count: u64,
    limit: usize,
    shown: usize,
    /// Nothing is compared past the limit.
    stops: bool,
    hasher: RandomState,
}

/// Differences by their places in the left tree.
#[derive(Default)]
struct Changes<'t> {
    all: Vec<Change<'t>>,
    /// The containers that have one inside.
    touched: HashSet<usize>,
}

/// A container around the current place.
struct Around {
    /// Its place on the left.
    place: usize,
    /// Place of the last value in it that the left side has.
    last: Option<usize>,
}

/// The paths that a comparison leaves out.
pub(super) struct Ignore<'t> {
    pub(super) paths: &'t Projection,
    /// Marks for the paths that named something.
    pub(super) hits: &'t mut Hits,
    /// A field that stands alone may be a list of one.
    pub(super) repeats: bool,
}

/// The values at one place, left and right.
type Sides<'t> = [Option<Item<'t, 't>>; 2];

/// A step down. It borrows, since most steps are never reported.
#[derive(Clone, Copy)]
enum Way<'t> {
    Entry(Entry<'t, 't>),
    /// A step to an element, by its index on the left and on the right.
    Index(Option<u64>, Option<u64>),
    Case(&'t str),
    /// Into a tagged value.
    Content,
}

impl<'t> Diff<'t> {
    /// Leaves out what `ignore` names; values are cut to about `shown` characters.
    pub(super) fn new(ignore: Option<Ignore<'t>>, limit: usize, shown: usize, how: &'t How) -> Diff<'t> {
        let places = if ignore.is_some() { Places::root() } else { Places::NOWHERE };
        let repeats = ignore.as_ref().is_some_and(|ignore| ignore.repeats);
        let digester = Digester { state: foldhash::fast::RandomState::default(), tolerance: how.tolerance, repeats };
        Diff {
            how,
            digester,
            memos: [Memo::default(), Memo::default()],
            changes: None,
            around: Vec::new(),
            probe: None,
            used: vec![false; how.keys.len()],
            doubled: 0,
            ignore,
            places,
            path: Vec::new(),
            found: Vec::new(),
            count: 0,
            limit,
            shown,
            stops: false,
            hasher: RandomState::new(),
        }
    }

    fn stop_at_limit(mut self) -> Self {
        self.stops = true;
        self
    }

    /// Keeps the differences for a listing.
    pub(super) fn listed(mut self, listed: bool) -> Self {
        self.changes = listed.then(Changes::default);
        self
    }

    /// Returns the message `left` as lines, with the differences that were found in it.
    pub(super) fn lines(&self, left: Item<'t, 't>) -> Option<Vec<Line>> {
        let changes = self.changes.as_ref()?;
        Some(listing(left, &changes.all, &changes.touched, self.shown))
    }

    /// Returns the differences, and their number.
    pub(super) fn all(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) -> (Vec<Difference>, u64) {
        // Most messages are equal, and take no digests.
        if !self.how.align || !self.are_equal(left, right) {
            self.values(left, right);
        }
        (std::mem::take(&mut self.found), self.count)
    }

    /// Returns whether two values at the current place are equal.
    fn are_equal(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) -> bool {
        let around = self.probe.replace(true);
        self.values(left, right);
        std::mem::replace(&mut self.probe, around) == Some(true)
    }

    fn done(&self) -> bool {
        self.probe == Some(false) || self.stops && self.found.len() >= self.limit
    }

    fn report(&mut self, left: Option<Item<'t, 't>>, right: Option<Item<'t, 't>>) {
        if let Some(equal) = &mut self.probe {
            *equal = false;
            return;
        }
        self.count += 1;
        if let Some(changes) = &mut self.changes {
            changes.touched.extend(self.around.iter().map(|around| around.place));
            let container = self.around.last();
            changes.all.push(Change {
                left: left.map(Item::place),
                right: right.map(|right| (right, self.path.last().map(|way| way.step(1)))),
                container: container.map(|around| around.place),
                after: container.and_then(|around| around.last),
            });
        }
        if self.found.len() < self.limit {
            let path = |side: usize| Path(self.path.iter().map(|way| way.step(side)).collect());
            let mut difference = difference(path(0), left, right, self.shown);
            if self.path.iter().any(|way| matches!(way, Way::Index(one, other) if one != other)) {
                difference.right_path = path(1);
            }
            self.found.push(difference);
        }
    }

    /// Recursion is bounded by the depth that the readers' budgets allowed.
    fn values(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) {
        if self.done() {
            return;
        }
        match (left.view(), right.view()) {
            (View::Scalar(one), View::Scalar(other)) if self.how.tolerance.same(&one, &other) => {}
            (View::Open(one), View::Open(other)) if alike(&one, &other) => {
                self.around.push(Around { place: left.place(), last: None });
                match one {
                    Open::Map(_) | Open::Record { .. } => self.named(left, right),
                    Open::Variant { name, .. } => {
                        self.down(Way::Case(name), [Some(left), Some(right)], [0; 2], |this| this.in_order(left, right));
                    }
                    Open::Tagged { .. } => self.tagged(left, right),
                    Open::List(_) => self.list(left, right),
                    _ => self.in_order(left, right),
                }
                self.around.pop();
            }
            _ => self.report(Some(left), Some(right)),
        }
    }

    /// Compares one step down, unless that place is ignored: on one of the sides suffices. `sides`
    /// are the values there, and `lens` the lengths of the lists that they stand in.
    fn down(&mut self, way: Way<'t>, sides: Sides<'t>, lens: [u64; 2], compare: impl FnOnce(&mut Self)) {
        let mut around = None;
        if !self.places.is_nowhere()
            && let Some(ignore) = &mut self.ignore
        {
            let inside = |places: &Places| match way {
                Way::Entry(Entry::Field(name, _)) | Way::Case(name) => {
                    let places = places.named(ignore.paths, name);
                    let is_list = |side: &Option<Item<'_, '_>>| {
                        side.is_some_and(|item| matches!(item.view(), View::Open(Open::List(_) | Open::Tuple(_))))
                    };
                    let alone = ignore.repeats && matches!(way, Way::Entry(_)) && !sides.iter().any(is_list);
                    if alone { places.element(ignore.paths, 0, 1) } else { places }
                }
                Way::Entry(Entry::Pair(key, _)) => match key.view() {
                    View::Scalar(Scalar::UInt(key, _)) => i64::try_from(key).map_or(Places::NOWHERE, |key| places.keyed(ignore.paths, key)),
                    View::Scalar(Scalar::Int(key, _)) => places.keyed(ignore.paths, key),
                    _ => Places::NOWHERE,
                },
                Way::Entry(Entry::Element(_)) | Way::Content => places.clone(),
                Way::Index(one, other) => {
                    let at = |index: Option<u64>, len: u64| index.map(|index| places.element(ignore.paths, index, len));
                    let mut both = at(one, lens[0]).unwrap_or(Places::NOWHERE);
                    if (one, lens[0]) != (other, lens[1])
                        && let Some(other) = at(other, lens[1])
                    {
                        both.join(other);
                    }
                    both
                }
            };
            let places = inside(&self.places);
            if places.is_whole(ignore.paths) {
                places.mark(ignore.paths, ignore.hits);
                return;
            }
            around = Some(std::mem::replace(&mut self.places, places));
        }
        self.path.push(way);
        compare(self);
        self.path.pop();
        if let Some(around) = around {
            self.places = around;
        }
    }

    fn entry(&mut self, way: Way<'t>, sides: Sides<'t>, lens: [u64; 2]) {
        self.down(way, sides, lens, |this| match sides {
            [Some(left), Some(right)] => this.values(left, right),
            [left, right] => this.report(left, right),
        });
        if let (Some(around), Some(left)) = (self.around.last_mut(), sides[0]) {
            around.last = Some(left.place());
        }
    }

    /// Returns the lengths of two lists, if positions from the end ask for them.
    fn lens(&self, left: Item<'t, 't>, right: Item<'t, 't>) -> [u64; 2] {
        let counted = !self.places.is_nowhere() && self.ignore.as_ref().is_some_and(|ignore| ignore.paths.has_positions());
        if counted { [left, right].map(|side| side.entries().count() as u64) } else { [0; 2] }
    }

    /// Compares the elements of two sequences as they stand.
    fn in_order(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) {
        let lens = self.lens(left, right);
        let (mut left, mut right) = (left.entries(), right.entries());
        for index in 0.. {
            let sides = [left.next(), right.next()].map(|entry| entry.map(Entry::value));
            if sides.iter().all(Option::is_none) {
                return;
            }
            let [one, other] = sides.map(|side| side.map(|_| index));
            self.entry(Way::Index(one, other), sides, lens);
            if self.done() {
                return;
            }
        }
    }

    /// Compares the elements of two lists by their keys, by an alignment, or as they stand.
    fn list(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) {
        let key = self.key_here();
        if key.is_none() && (!self.how.align || self.probe.is_some()) {
            // An alignment of equal lists is their order.
            return self.in_order(left, right);
        }
        let sides = [left, right].map(|side| side.entries().map(Entry::value).collect::<Vec<Item<'t, 't>>>());
        if key.is_none() && sides.iter().all(|side| side.len() <= 1) {
            return self.in_order(left, right);
        }
        let lens = sides.each_ref().map(|side| side.len() as u64);
        let pairs = match key.and_then(|key| self.by_key(key, &sides)) {
            Some(pairs) => pairs,
            None if self.probe.is_some() => return self.in_order(left, right),
            None => self.aligned(&sides, lens),
        };
        for (one, other) in pairs {
            let way = Way::Index(one.map(|at| at as u64), other.map(|at| at as u64));
            self.entry(way, [one.map(|at| sides[0][at]), other.map(|at| sides[1][at])], lens);
            if self.done() {
                return;
            }
        }
    }

    /// Returns the index of the key of the list at the current place: one for this very list before
    /// one for all.
    fn key_here(&self) -> Option<usize> {
        if self.how.keys.is_empty() {
            return None;
        }
        let mut names = Vec::new();
        for way in &self.path {
            match way {
                Way::Entry(Entry::Field(name, _)) | Way::Case(name) => names.push(*name),
                Way::Entry(_) | Way::Index(..) | Way::Content => {}
            }
        }
        let fits = |key: &&(usize, &ListKey)| key.1.is_for(&names);
        let keys: Vec<(usize, &ListKey)> = self.how.keys.iter().enumerate().collect();
        let fitting = || keys.iter().filter(fits);
        fitting().find(|(_, key)| !key.is_for_all()).or_else(|| fitting().next()).map(|(at, _)| *at)
    }

    /// Returns the pairs of elements with the same key; those that have none are matched by value.
    /// Returns none if one of the sides has no element with the key.
    fn by_key(&mut self, key: usize, sides: &[Vec<Item<'t, 't>>; 2]) -> Option<Vec<(Option<usize>, Option<usize>)>> {
        let how = self.how;
        let mut keyed = [false; 2];
        let hashes = [0, 1].map(|side| {
            let hash = |element: &Item<'t, 't>| match how.keys[key].digest(*element, &self.digester) {
                Some(hash) => {
                    keyed[side] = true;
                    hash
                }
                None => !self.digester.digest(*element, &Places::NOWHERE, &mut None, &mut None),
            };
            sides[side].iter().map(hash).collect::<Vec<u64>>()
        });
        self.used[key] |= keyed.contains(&true);
        if keyed.contains(&false) && !sides.iter().any(Vec::is_empty) {
            return None;
        }
        let found = matched(&hashes[0], &hashes[1]);
        if self.probe.is_none() {
            self.doubled += found.doubled;
        }
        Some(found.pairs)
    }

    /// Returns the pairs of elements that an alignment makes. Those that are equal beyond doubt are
    /// left out.
    fn aligned(&mut self, sides: &[Vec<Item<'t, 't>>; 2], lens: [u64; 2]) -> Vec<(Option<usize>, Option<usize>)> {
        let digests = [0, 1].map(|side| {
            let mut digests = Vec::with_capacity(sides[side].len());
            for (at, element) in sides[side].iter().enumerate() {
                let mut ignored = self.ignore.as_mut().map(|ignore| Ignored { paths: ignore.paths, hits: ignore.hits });
                let places = match &ignored {
                    Some(ignored) if !self.places.is_nowhere() => self.places.element(ignored.paths, at as u64, lens[side]),
                    _ => Places::NOWHERE,
                };
                if let Some(ignored) = ignored.as_mut().filter(|ignored| places.is_whole(ignored.paths)) {
                    places.mark(ignored.paths, ignored.hits);
                    digests.push(0);
                    continue;
                }
                digests.push(self.digester.digest(*element, &places, &mut ignored, &mut Some(&mut self.memos[side])));
            }
            digests
        });
        let [left, right] = &digests;
        // A listing needs equal elements too, for what stands after them.
        let is_exact = self.how.tolerance.is_exact() && self.changes.is_none();
        let mut pairs = Vec::new();
        let (mut one, mut other) = (0, 0);
        let equal = |from: (usize, usize), to: usize, pairs: &mut Vec<(Option<usize>, Option<usize>)>| {
            if !is_exact {
                pairs.extend((from.0..to).zip(from.1..).map(|(one, other)| (Some(one), Some(other))));
            }
        };
        for hunk in align(left.iter().copied(), right.iter().copied()) {
            equal((one, other), hunk.left.start, &mut pairs);
            let sketch = |side: usize| {
                let digester = &self.digester;
                let digests = &digests;
                move |at: usize| digester.sketch(sides[side][at], digests[side][at])
            };
            pair(&hunk, sketch(0), sketch(1), |one, other| pairs.push((one, other)));
            (one, other) = (hunk.left.end, hunk.right.end);
        }
        equal((one, other), left.len(), &mut pairs);
        pairs
    }

    /// Compares the contents of two tagged values, which stand where these do.
    fn tagged(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) {
        let content = |side: Item<'t, 't>| side.entries().next().map(Entry::value);
        self.entry(Way::Content, [content(left), content(right)], [0; 2]);
    }

    fn named(&mut self, left: Item<'t, 't>, right: Item<'t, 't>) {
        let (mut one, mut other) = (left.entries(), right.entries());
        // Most often the order is the same, and nothing needs to be looked up.
        loop {
            let before = (one.clone(), other.clone());
            match (one.next(), other.next()) {
                (None, None) => return,
                (Some(l), Some(r)) if self.same_key(&l, &r) => self.entry(Way::Entry(l), [Some(l.value()), Some(r.value())], [0; 2]),
                _ => {
                    (one, other) = before;
                    break;
                }
            }
        }
        let mut rest: HashMap<Key<'t>, VecDeque<Entry<'t, 't>>> = HashMap::new();
        let mut order = Vec::new();
        for entry in other {
            rest.entry(key(&entry, &self.hasher)).or_default().push_back(entry);
            order.push(entry);
        }
        for entry in one {
            let waiting = rest.get_mut(&key(&entry, &self.hasher));
            let found = waiting.and_then(|waiting| match entry {
                Entry::Pair(wanted, _) if matches!(wanted.view(), View::Open(_)) => {
                    let same = |entry: &Entry<'t, 't>| matches!(entry, Entry::Pair(key, _) if equal(wanted, *key));
                    let place = waiting.iter().position(same);
                    place.and_then(|place| waiting.remove(place))
                }
                _ => waiting.pop_front(),
            });
            self.entry(Way::Entry(entry), [Some(entry.value()), found.map(Entry::value)], [0; 2]);
        }
        for entry in order {
            // Entries of one key wait in their order, so the first of them is the one that is met.
            if let Some(left_over) = rest.get_mut(&key(&entry, &self.hasher)).and_then(VecDeque::pop_front) {
                self.entry(Way::Entry(left_over), [None, Some(left_over.value())], [0; 2]);
            }
        }
    }

    /// Returns true if two entries have the same scalar key; a key that is a container needs a
    /// look-up.
    fn same_key(&self, left: &Entry<'t, 't>, right: &Entry<'t, 't>) -> bool {
        match (left, right) {
            (Entry::Field(one, _), Entry::Field(other, _)) => one == other,
            (Entry::Pair(one, _), Entry::Pair(other, _)) => {
                matches!((one.view(), other.view()), (View::Scalar(_), View::Scalar(_)))
                    && key(left, &self.hasher) == key(right, &self.hasher)
            }
            _ => false,
        }
    }
}

impl Way<'_> {
    /// Returns the step as the left side has it, or the right one. Where one has none, it is that
    /// of the other.
    fn step(&self, side: usize) -> PathStep {
        match self {
            Way::Entry(entry) => step(entry),
            Way::Index(left, right) => PathStep::Index(if side == 0 { left.or(*right) } else { right.or(*left) }.unwrap_or(0)),
            Way::Content => PathStep::Index(0),
            Way::Case(name) => PathStep::Name((*name).to_string()),
        }
    }
}

/// Describes a place where two values differ.
pub(super) fn difference(path: Path, left: Option<Item<'_, '_>>, right: Option<Item<'_, '_>>, shown: usize) -> Difference {
    let side = |item: Option<Item<'_, '_>>| item.map(|item| (show::item(item, shown), extent(item)));
    Difference { right_path: path.clone(), path, left: side(left), right: side(right) }
}

/// Returns the bytes of a value; for a list made of repeated fields, from its first element to its
/// last.
fn extent(item: Item<'_, '_>) -> Span {
    let span = item.span();
    if !span.is_empty() {
        return span;
    }
    let (first, last) = (item.entries().next(), item.entries().last());
    match (first, last) {
        (Some(first), Some(last)) => Span::new(extent(first.value()).start, extent(last.value()).end),
        _ => span,
    }
}

/// Returns true if two containers are of one kind, whatever their entries.
pub(super) fn alike(left: &Open<'_>, right: &Open<'_>) -> bool {
    match (left, right) {
        (Open::List(_), Open::List(_)) | (Open::Tuple(_), Open::Tuple(_)) => true,
        (Open::Variant { name, index }, Open::Variant { name: other, index: at }) => name == other && index == at,
        (Open::Tagged { space, code }, Open::Tagged { space: other, code: number }) => space == other && code == number,
        (Open::Record { name, .. }, Open::Record { name: other, .. }) => name == other,
        (Open::Record { name: "", .. } | Open::Map(_), Open::Record { name: "", .. } | Open::Map(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::owned::Value;
    use crate::value::tree::Tree;

    fn found(left: &Value, right: &Value) -> Vec<String> {
        let (mut one, mut other) = (Tree::new(), Tree::new());
        left.emit(&mut one).unwrap();
        right.emit(&mut other).unwrap();
        differences(one.root().unwrap(), other.root().unwrap(), 10).into_iter().map(|found| found.path.to_string()).collect()
    }

    #[test]
    fn order_of_fields_and_kind_of_object_do_not_matter() {
        let left = Value::record([("a", Value::UInt(1)), ("b", Value::Null)]);
        let right = Value::Map(vec![(Value::text("b"), Value::Null), (Value::text("a"), Value::UInt(1))]);
        assert!(found(&left, &right).is_empty());
    }

    #[test]
    fn differences_have_paths() {
        let left = Value::record([("a", Value::List(vec![Value::UInt(1), Value::UInt(2)])), ("b", Value::Null), ("c", Value::F64(1.0))]);
        let right = Value::record([("a", Value::List(vec![Value::UInt(1)])), ("c", Value::UInt(1)), ("d", Value::Null)]);
        assert_eq!(found(&left, &right), ["a[1]", "b", "c", "d"]);
    }

    #[test]
    fn keys_that_are_no_text_are_matched_by_value() {
        let pair = |n: u64| (Value::List(vec![Value::UInt(n)]), Value::UInt(n));
        let left = Value::Map(vec![pair(1), pair(2), (Value::UInt(3), Value::Null)]);
        let right = Value::Map(vec![(Value::UInt(3), Value::Null), pair(2), pair(1)]);
        assert!(found(&left, &right).is_empty());
        assert_eq!(found(&left, &Value::Map(vec![pair(2), pair(1), (Value::text("3"), Value::Null)])), ["[3]", "3"]);
    }

    #[test]
    fn many_containers_as_keys_in_another_order() {
        let key = |n: u64| Value::Map(vec![(Value::UInt(n), Value::F32(0.5)), (Value::text("x"), Value::Decimal("1.50".into()))]);
        let turned = |n: u64| Value::Map(vec![(Value::text("x"), Value::Decimal("15e-1".into())), (Value::UInt(n), Value::F64(0.5))]);
        let left = Value::Map((0..20_000).map(|n| (key(n), Value::UInt(n))).collect());
        let right = Value::Map((0..20_000).rev().map(|n| (turned(n), Value::UInt(n))).collect());
        assert!(found(&left, &right).is_empty());
    }

    #[test]
    fn what_is_ignored_is_not_compared_and_the_rest_is_counted() {
        let value = |n: u64| {
            let list = (0..n).map(|i| Value::record([("x", Value::UInt(i + n)), ("y", Value::UInt(i))])).collect();
            Value::record([
                ("a", Value::List(list)),
                ("b", Value::record([("c", Value::UInt(n))])),
                (if n > 2 { "d" } else { "e" }, Value::Null),
            ])
        };
        let (mut one, mut other) = (Tree::new(), Tree::new());
        let (two, three) = (value(2), value(3));
        two.emit(&mut one).unwrap();
        three.emit(&mut other).unwrap();
        let count = |paths: &[&str]| {
            let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path).unwrap()).collect();
            let paths = Projection::new(&paths);
            let mut hits = Hits::new(&paths);
            let ignore = Ignore { paths: &paths, hits: &mut hits, repeats: false };
            let (shown, count) = Diff::new(Some(ignore), 2, 10, &How::default()).all(one.root().unwrap(), other.root().unwrap());
            assert_eq!(shown.len() as u64, count.min(2));
            count
        };
        // a[0].x, a[1].x, a[2], b.c, d, e
        assert_eq!(count(&["nothing"]), 6);
        assert_eq!(count(&["a.x"]), 4);
        assert_eq!(count(&["a.x", "*.c"]), 3);
        assert_eq!(count(&["a", "b", "d", "e"]), 0);
        assert_eq!(count(&["*"]), 0);
        assert_eq!(count(&["a[0]"]), 5);
        assert_eq!(count(&["a[0].y"]), 6);
        assert_eq!(count(&["a[:2].x"]), 4);
        // The last of two elements on the left, and the last of three on the right.
        assert_eq!(count(&["a[-1]"]), 4);
        assert_eq!(count(&["a[0].x", "a[2]", "b.c"]), 3);
        assert_eq!(count(&["a[7]", "b[0]"]), 6);
    }

    #[test]
    fn numbers_are_exact() {
        assert!(found(&Value::F32(0.5), &Value::F64(0.5)).is_empty());
        assert!(found(&Value::F64(f64::NAN), &Value::F64(-f64::NAN)).is_empty());
        assert_eq!(found(&Value::F64(0.0), &Value::F64(-0.0)).len(), 1);
        assert!(found(&Value::Decimal("1.50e1".into()), &Value::Decimal("15".into())).is_empty());
        assert!(found(&Value::Decimal("0.00".into()), &Value::Decimal("0e-71".into())).is_empty());
        assert_eq!(found(&Value::Decimal("1.5".into()), &Value::Decimal("-1.5".into())).len(), 1);
    }
}
