//! Paths that named nothing in any message, and the names that stand where they lead.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::tools::adapt::hits::Hits;
use crate::tools::adapt::projection::Projection;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::path::{Path, PathStep};
use crate::walk::sink::Sink;
use crate::walk::track::key_text;

/// Messages that are walked once more for the names in them.
const SAMPLES: u32 = 8;

/// Names that are kept of one place.
const NAMES: usize = 100;

/// Bytes of the longest name that is kept.
const LONGEST: usize = 100;

/// A path that named nothing in any message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// The path.
    pub path: Path,
    /// The first of its steps that led nowhere; `None` if only positions did.
    pub step: Option<usize>,
    /// Names that stand there instead, and keys that are numbers, sorted. They are of the first
    /// messages, at most 100.
    pub there: Vec<PathStep>,
}

/// The paths of a projection that have named something so far, and the names that stand where the
/// others lead.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sought {
    pub(crate) hits: Hits,
    samples: u32,
    /// Names by path and by the number of names before them.
    names: BTreeMap<(usize, usize), BTreeSet<PathStep>>,
}

impl Sought {
    /// Makes the state before the first message.
    pub(crate) fn new(projection: &Projection) -> Sought {
        Sought { hits: Hits::new(projection), ..Sought::default() }
    }

    /// Makes a sink for a message to be walked into once more, if that is worth it: paths have
    /// named nothing yet, and few messages were looked at.
    pub(crate) fn names<'a>(&'a mut self, projection: &'a Projection, nested: bool) -> Option<Names<'a>> {
        if self.samples >= SAMPLES {
            return None;
        }
        let missing = self.hits.missing(projection, nested);
        if missing.is_empty() {
            return None;
        }
        self.samples += 1;
        let paths = missing.into_iter().map(|index| (index, Wanted::new(&projection.ways()[index].path))).collect();
        Some(Names { paths, found: &mut self.names, levels: Vec::new(), due: None })
    }

    /// Adds what was found in later messages.
    pub(crate) fn join(&mut self, later: Sought) {
        self.hits.join(&later.hits);
        if self.samples >= SAMPLES {
            return;
        }
        self.samples = SAMPLES.min(self.samples + later.samples);
        for (place, names) in later.names {
            let there = self.names.entry(place).or_default();
            let room = NAMES.saturating_sub(there.len());
            there.extend(names.into_iter().take(room));
        }
    }

    /// Returns the paths that have named nothing.
    pub(crate) fn missed(&self, projection: &Projection, nested: bool) -> Vec<Missed> {
        let missing = self.hits.missing(projection, nested).into_iter();
        let missed = missing.map(|index| {
            let path = projection.ways()[index].path.clone();
            let Wanted { names, .. } = Wanted::new(&path);
            let known = |depth: usize| self.names.get(&(index, depth));
            let is_name = |step: &PathStep, name: &str| matches!(step, PathStep::Name(known) if known == name);
            let is_there = |depth: &usize| {
                let mut there = known(*depth).into_iter().flatten();
                there.any(|step| is_name(step, names[*depth]) || names[*depth] == "*" && matches!(step, PathStep::Name(_)))
            };
            let depth = (0..names.len()).find(|depth| !is_there(depth));
            let step = depth.and_then(|depth| {
                let steps = path.0.iter().enumerate().filter(|(_, step)| matches!(step, PathStep::Name(_)));
                steps.map(|(at, _)| at).nth(depth)
            });
            let there = known(depth.unwrap_or(names.len())).map(|there| there.iter().cloned().collect()).unwrap_or_default();
            Missed { path, step, there }
        });
        missed.collect()
    }
}

/// The names of a path.
struct Wanted<'p> {
    names: Vec<&'p str>,
    /// True for each name, and for the end behind them, if a position is directly before it: a key
    /// that is a number may stand for it.
    positions: Vec<bool>,
}

impl<'p> Wanted<'p> {
    fn new(path: &'p Path) -> Wanted<'p> {
        let (mut names, mut positions) = (Vec::new(), vec![false]);
        for step in &path.0 {
            match step {
                PathStep::Name(name) => {
                    names.push(name.as_str());
                    positions.push(false);
                }
                _ => *positions.last_mut().unwrap_or(&mut false) = true,
            }
        }
        Wanted { names, positions }
    }
}

/// A sink that keeps the names that stand where some paths lead, whatever their positions are.
pub(crate) struct Names<'a> {
    paths: Vec<(usize, Wanted<'a>)>,
    found: &'a mut BTreeMap<(usize, usize), BTreeSet<PathStep>>,
    levels: Vec<Level>,
    /// For the value that comes: see [`Level::depths`].
    due: Option<Vec<Option<usize>>>,
}

struct Level {
    /// For each path, the number of its names that lead here, if they do.
    depths: Vec<Option<usize>>,
    named: bool,
    /// True if this is no element of a list.
    direct: bool,
}

impl Names<'_> {
    /// Returns where paths lead from `depths` by `name`. A position may be meant as a key of the
    /// record if the value came `direct`, and not as an element of a list.
    fn step(&mut self, depths: &[Option<usize>], name: &str, direct: bool) -> Vec<Option<usize>> {
        let found = &mut *self.found;
        let step = |((index, path), depth): (&(usize, Wanted<'_>), &Option<usize>)| {
            let depth = (*depth)?;
            let wanted = path.names.get(depth).copied();
            if wanted.is_none() && !(direct && path.positions[depth]) {
                return None;
            }
            let there = found.entry((*index, depth)).or_default();
            let is_wanted = wanted.is_some_and(|wanted| wanted == "*" || wanted == name);
            if is_wanted || there.len() < NAMES && name.len() <= LONGEST {
                there.insert(PathStep::Name(name.to_string()));
            }
            is_wanted.then_some(depth + 1)
        };
        self.paths.iter().zip(depths).map(step).collect()
    }

    /// Returns where paths lead from `depths` by a key that is no text: on behind it, those with a
    /// position there.
    fn key(&mut self, depths: &[Option<usize>], key: Option<String>) -> Vec<Option<usize>> {
        let found = &mut *self.found;
        let step = |((index, path), depth): (&(usize, Wanted<'_>), &Option<usize>)| {
            let depth = (*depth)?;
            if let Some(key) = &key
                && (depth < path.names.len() || path.positions[depth])
            {
                let there = found.entry((*index, depth)).or_default();
                if there.len() < NAMES && key.len() <= LONGEST {
                    there.insert(PathStep::Key(key.clone()));
                }
            }
            (path.positions[depth] && depth < path.names.len()).then_some(depth)
        };
        self.paths.iter().zip(depths).map(step).collect()
    }

    fn value(&mut self) -> Vec<Option<usize>> {
        match (self.due.take(), self.levels.last()) {
            (Some(due), _) => due,
            (None, None) => vec![Some(0); self.paths.len()],
            (None, Some(level)) if level.named => vec![None; self.paths.len()],
            (None, Some(level)) => level.depths.clone(),
        }
    }

    /// Follows a value that is no container. In a map without a name before it, it is a key.
    fn leaf(&mut self, key: impl FnOnce() -> Option<String>) {
        let is_key = self.due.take().is_none() && self.levels.last().is_some_and(|level| level.named);
        if is_key && let Some(level) = self.levels.pop() {
            self.due = Some(self.key(&level.depths, key()));
            self.levels.push(level);
        }
    }
}

impl<'m> Sink<'m> for Names<'_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let is_key = self.due.is_none() && self.levels.last().is_some_and(|level| level.named);
        let mut depths = self.value();
        if is_key {
            // A container as a key: the value behind it is no way for any path.
            self.due = Some(vec![None; self.paths.len()]);
        }
        if let Open::Variant { name, .. } = open {
            depths = self.step(&depths, name, false);
        }
        if depths.iter().all(Option::is_none) {
            return Ok(Next::Skip);
        }
        let direct = self.levels.last().is_none_or(|level| level.named);
        self.levels.push(Level { depths, named: matches!(open, Open::Record { .. } | Open::Map(_)), direct });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let Some(level) = self.levels.pop() else { return Ok(Next::Skip) };
        let depths = self.step(&level.depths, field.name.get(), level.direct);
        self.levels.push(level);
        if depths.iter().all(Option::is_none) {
            return Ok(Next::Skip);
        }
        self.due = Some(depths);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        let is_number = matches!(value, Scalar::UInt(..) | Scalar::Int(..));
        self.leaf(|| is_number.then(|| key_text(&value)));
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        if part.last {
            self.leaf(|| None);
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.levels.pop();
        Ok(())
    }
}
