//! Losses of a conversion, once per path with a count.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use crate::error::Result;
use crate::limits::{Budget, Limits};
use crate::tools::trial::listed;
use crate::walk::event::{Field, Next, Note, Open, Part, Scalar, Span};
use crate::walk::loss::{LossKind, Lost};
use crate::walk::path::{Path, PathStep};
use crate::walk::read::Reader;
use crate::walk::sink::Sink;
use crate::walk::track::Tracker;

/// Losses of many messages, by path in the schema and by description. Memory is bounded: past
/// [`LossReport::PATHS`] different losses, the others are counted together.
#[derive(Debug, Clone, Default)]
pub struct LossReport {
    /// With the number of entries before it.
    entries: BTreeMap<(Path, &'static str), (usize, Loss)>,
    /// Number of entries that have keys, by their paths without.
    keyed: BTreeMap<(Path, &'static str), usize>,
    /// Number of further ones, by kind.
    others: BTreeMap<LossKind, u64>,
    /// True if all are listed, since the messages are few.
    is_part: bool,
}

/// How often one thing was lost at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Path in the schema: indices are `[]`, and so are keys that are no text, beyond the first
    /// [`LossReport::KEYS`] of one place.
    pub path: Path,
    /// Description of the loss, for people.
    pub what: &'static str,
    /// Number of times.
    pub count: u64,
    /// Byte offset of the first time.
    pub first: u64,
    /// Severity.
    pub kind: LossKind,
}

/// Writes path, description and count: `/a/b: bytes became base64 text (3 times)`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)?;
        if self.count > 1 { write!(f, " ({} times)", self.count) } else { Ok(()) }
    }
}

impl LossReport {
    /// Most different losses that are listed one by one.
    pub const PATHS: usize = 1000;

    /// Most keys of one place, other than text, whose losses are listed one by one.
    pub const KEYS: usize = 16;

    /// Makes a report for a part of the messages, which lists all losses until another report takes
    /// it over.
    pub fn part() -> LossReport {
        LossReport { is_part: true, ..LossReport::default() }
    }

    /// Takes over the report of the messages that follow those so far.
    pub fn join(&mut self, later: LossReport) {
        let mut entries: Vec<(usize, Loss)> = later.entries.into_values().collect();
        entries.sort_by_key(|(order, _)| *order);
        for (_, loss) in entries {
            self.insert(loss);
        }
        for (kind, count) in later.others {
            *self.others.entry(kind).or_default() += count;
        }
    }

    /// Adds the losses of the message at `base`. Their paths are found by walking it once more.
    pub fn add(&mut self, reader: &mut dyn Reader, msg: &[u8], base: u64, lost: &[Lost], limits: &Limits) {
        if lost.is_empty() {
            return;
        }
        let mut order: Vec<u32> = (0..lost.len().min(u32::MAX as usize) as u32).collect();
        order.sort_by_key(|index| lost[*index as usize].at);
        let mut trace = Trace { tracker: Tracker::default(), lost, order: &order, told: vec![false; order.len()], report: self };
        // The first walk reported any error.
        let _ = reader.walk(msg, base, &mut trace, &mut Budget::new(limits));
        let told = trace.told;
        for (place, index) in order.iter().enumerate() {
            if !told[place] {
                self.count(Path::default(), &lost[*index as usize]);
            }
        }
    }

    fn count(&mut self, path: Path, lost: &Lost) {
        self.insert(Loss { path, what: lost.what, count: 1, first: lost.at.start, kind: lost.kind });
    }

    fn insert(&mut self, mut loss: Loss) {
        let by_key = loss.path.0.iter().any(|step| matches!(step, PathStep::Key(_)));
        if by_key && !self.is_part && !self.entries.contains_key(&(loss.path.clone(), loss.what)) {
            let path = loss.path.in_schema();
            let place = (path.clone(), loss.what);
            let is_full = self.keyed.len() >= Self::PATHS && !self.keyed.contains_key(&place);
            if is_full || {
                let keys = self.keyed.entry(place).or_default();
                *keys += 1;
                *keys > Self::KEYS
            } {
                loss.path = path;
            }
        }
        let known = self.entries.len();
        match self.entries.entry((std::mem::take(&mut loss.path), loss.what)) {
            Entry::Occupied(mut entry) => entry.get_mut().1.count += loss.count,
            Entry::Vacant(entry) if known < Self::PATHS || self.is_part => {
                loss.path = entry.key().0.clone();
                entry.insert((known, loss));
            }
            Entry::Vacant(_) => *self.others.entry(loss.kind).or_default() += loss.count,
        }
    }

    /// Returns true if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.kinds().next().is_none()
    }

    /// Returns the kinds of the losses, each at least once.
    pub fn kinds(&self) -> impl Iterator<Item = LossKind> {
        let others = self.others.keys().copied().filter(|kind| *kind != LossKind::Caution);
        self.iter().map(|loss| loss.kind).chain(others)
    }

    /// Returns the losses, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = &Loss> {
        self.entries.values().map(|(_, loss)| loss).filter(|loss| loss.kind != LossKind::Caution)
    }

    /// Returns values that were kept but may trip up other readers, sorted by path.
    pub fn cautions(&self) -> impl Iterator<Item = &Loss> {
        self.entries.values().map(|(_, loss)| loss).filter(|loss| loss.kind == LossKind::Caution)
    }

    /// Returns the number of losses at further paths, counted together.
    pub fn others(&self) -> u64 {
        self.others.iter().filter(|(kind, _)| **kind != LossKind::Caution).map(|(_, count)| count).sum()
    }
}

/// Returns the losses of a value that has no bytes, in words, each once; `None` without losses.
pub fn summary(lost: &[Lost]) -> Option<String> {
    let mut whats: Vec<&str> = Vec::new();
    for Lost { what, .. } in lost.iter().filter(|lost| lost.kind != LossKind::Caution) {
        if !whats.contains(what) {
            whats.push(what);
        }
    }
    (!whats.is_empty()).then(|| listed(&whats))
}

/// Finds the paths of the events that have the spans of what was lost, and counts it there.
struct Trace<'a> {
    tracker: Tracker,
    lost: &'a [Lost],
    /// Indices into `lost`, sorted by span.
    order: &'a [u32],
    /// Those already counted, in that order.
    told: Vec<bool>,
    report: &'a mut LossReport,
}

impl Trace<'_> {
    fn seen(&mut self, at: Span) {
        self.seen_at(at, Tracker::last_path);
    }

    fn seen_at(&mut self, at: Span, path: fn(&Tracker) -> Path) {
        let span = |index: &u32| self.lost[*index as usize].at;
        let first = self.order.partition_point(|index| span(index) < at);
        let count = self.order[first..].iter().take_while(|index| span(index) == at).count();
        if count == 0 || self.told[first] {
            return;
        }
        let path = path(&self.tracker).in_lists();
        for place in first..first + count {
            self.told[place] = true;
            self.report.count(path.clone(), &self.lost[self.order[place] as usize]);
        }
    }
}

impl<'m> Sink<'m> for Trace<'_> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.tracker.open(&open);
        self.seen(at);
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.tracker.field(field.name.get());
        self.seen(at);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.tracker.scalar(&value);
        self.seen(at);
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.tracker.part(&part);
        self.seen(at);
        Ok(())
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.tracker.close();
        self.seen(at);
        Ok(())
    }

    fn note(&mut self, _: Note<'_>, at: Span) -> Result<()> {
        // A remark behind a value is about what that stands in.
        self.seen_at(at, Tracker::path);
        Ok(())
    }
}
