//! Cases of one suite as they are run.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::outcome::{Miss, Outcome};
use crate::tools::Tools;

/// Runs cases, and keeps what came out.
pub struct Cases<'t> {
    root: PathBuf,
    /// Programs that some suites need.
    pub tools: &'t Tools,
    /// Outcomes that were right.
    pub right: usize,
    /// Outcomes that the suite leaves open.
    pub free: usize,
    /// All others, by case.
    pub misses: BTreeMap<String, (Miss, String)>,
    /// Names of all cases that ran.
    pub names: Vec<String>,
    /// Reasons for which cases were left out, with their number.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Figures of parts of the suite: right ones and all, by the part's name.
    pub parts: BTreeMap<&'static str, (usize, usize)>,
}

impl<'t> Cases<'t> {
    /// Makes the cases of the suite in the folder `root`.
    pub fn new(root: PathBuf, tools: &'t Tools) -> Cases<'t> {
        Cases {
            root,
            tools,
            right: 0,
            free: 0,
            misses: BTreeMap::new(),
            names: Vec::new(),
            skipped: BTreeMap::new(),
            parts: BTreeMap::new(),
        }
    }

    /// Returns the folder of the suite.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs one case of the part `part`. A panic is a miss.
    pub fn run(&mut self, part: &'static str, name: impl Into<String>, case: impl FnOnce() -> Outcome) {
        let outcome = catch_unwind(AssertUnwindSafe(case)).unwrap_or_else(|panic| {
            let seen = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Outcome::miss(Miss::Panic, seen.unwrap_or_default())
        });
        self.put(part, name.into(), outcome);
    }

    /// Runs one case of millions: it has a name only if it is missed.
    pub fn run_unnamed(&mut self, part: &'static str, name: impl FnOnce() -> String, case: impl FnOnce() -> Outcome) {
        match catch_unwind(AssertUnwindSafe(case)) {
            Ok(Outcome::Right) => {
                self.right += 1;
                let figures = self.parts.entry(part).or_default();
                (figures.0, figures.1) = (figures.0 + 1, figures.1 + 1);
            }
            Ok(outcome) => self.put(part, name(), outcome),
            Err(_) => self.put(part, name(), Outcome::miss(Miss::Panic, "")),
        }
    }

    /// Keeps an outcome that another program has found.
    pub fn put(&mut self, part: &'static str, name: String, outcome: Outcome) {
        let figures = self.parts.entry(part).or_default();
        match outcome {
            Outcome::Right => {
                self.right += 1;
                figures.0 += 1;
                figures.1 += 1;
            }
            Outcome::Free => self.free += 1,
            Outcome::Miss(kind, seen) => {
                figures.1 += 1;
                self.misses.insert(name.clone(), (kind, seen));
            }
        }
        self.names.push(name);
    }

    /// Leaves out one case.
    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}
