//! Paths that named nothing in any message, and the names that stand where they lead.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::tools::adapt::hits::Hits;
use crate::tools::adapt::projection::Projection;
use crate::walk::event::{Field, Next, Open, Part, Scalar, Span};
use crate::walk::path::{Path, PathStep};
use crate::walk::sink::Sink;

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
    /// Names that stand there instead, sorted. They are of the first messages, at most 100.
    pub there: Vec<String>,
}

/// The paths of a projection that have named something so far, and the names that stand where the
/// others lead.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sought {
    pub(crate) hits: Hits,
    samples: u32,
    /// Names by path and by the number of names before them.
    names: BTreeMap<(usize, usize), BTreeSet<String>>,
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
        let paths = missing.into_iter().map(|index| (index, names_of(&projection.ways()[index].path))).collect();
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
            let names = names_of(&path);
            let known = |depth: usize| self.names.get(&(index, depth));
            let is_there = |depth: &usize| known(*depth).is_some_and(|there| names[*depth] == "*" || there.contains(names[*depth]));
            let depth = (0..names.len()).find(|depth| !is_there(depth));
            let step = depth.and_then(|depth| {
                let steps = path.0.iter().enumerate().filter(|(_, step)| matches!(step, PathStep::Name(_)));
                steps.map(|(at, _)| at).nth(depth)
            });
            let there = depth.and_then(known).map(|there| there.iter().cloned().collect()).unwrap_or_default();
            Missed { path, step, there }
        });
        missed.collect()
    }
}

fn names_of(path: &Path) -> Vec<&str> {
    let mut names = Vec::new();
    for step in &path.0 {
        if let PathStep::Name(name) = step {
            names.push(name.as_str());
        }
    }
    names
}

/// A sink that keeps the names that stand where some paths lead, whatever their positions are.
pub(crate) struct Names<'a> {
    paths: Vec<(usize, Vec<&'a str>)>,
    found: &'a mut BTreeMap<(usize, usize), BTreeSet<String>>,
    levels: Vec<Level>,
    /// For the value that comes: see [`Level::depths`].
    due: Option<Vec<Option<usize>>>,
}

struct Level {
    /// For each path, the number of its names that lead here, if they do.
    depths: Vec<Option<usize>>,
    named: bool,
}

impl Names<'_> {
    /// Returns where paths lead from `depths` by `name`.
    fn step(&mut self, depths: &[Option<usize>], name: &str) -> Vec<Option<usize>> {
        let found = &mut *self.found;
        let step = |((index, names), depth): (&(usize, Vec<&str>), &Option<usize>)| {
            let depth = (*depth)?;
            let wanted = *names.get(depth)?;
            let there = found.entry((*index, depth)).or_default();
            let is_wanted = wanted == "*" || wanted == name;
            if is_wanted || there.len() < NAMES && name.len() <= LONGEST {
                there.insert(name.to_string());
            }
            is_wanted.then_some(depth + 1)
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
}

impl<'m> Sink<'m> for Names<'_> {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next> {
        let mut depths = self.value();
        if let Open::Variant { name, .. } = open {
            depths = self.step(&depths, name);
        }
        if depths.iter().all(Option::is_none) {
            return Ok(Next::Skip);
        }
        self.levels.push(Level { depths, named: matches!(open, Open::Record { .. } | Open::Map(_)) });
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        let Some(level) = self.levels.pop() else { return Ok(Next::Skip) };
        let depths = self.step(&level.depths, field.name.get());
        self.levels.push(level);
        if depths.iter().all(Option::is_none) {
            return Ok(Next::Skip);
        }
        self.due = Some(depths);
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.due = None;
        Ok(())
    }

    fn part(&mut self, part: Part<'_>, _: Span) -> Result<()> {
        if part.last {
            self.due = None;
        }
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        self.levels.pop();
        Ok(())
    }
}
