//! A suite's outcomes held against its known exceptions.

use std::collections::BTreeSet;

use crate::cases::Cases;
use crate::exceptions::Exceptions;

/// Differences from what is known.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Misses that no exception names, with what was seen.
    pub fresh: Vec<String>,
    /// Exceptions whose cases are right, or that no case has.
    pub stale: Vec<String>,
}

impl Verdict {
    /// Compares. `whole` says that the suite has all of its cases, so that an excepted case that is
    /// absent is a mistake.
    pub fn of(cases: &Cases<'_>, known: &Exceptions, whole: bool) -> Verdict {
        let mut verdict = Verdict::default();
        for (case, (kind, seen)) in &cases.misses {
            if !known.has(case, *kind) {
                verdict.fresh.push(format!("{case}: {kind}: {seen}"));
            }
        }
        let names: BTreeSet<&str> = cases.names.iter().map(String::as_str).collect();
        for case in known.cases().filter(|case| !cases.misses.contains_key(*case)) {
            if names.contains(case) {
                verdict.stale.push(format!("{case}: excepted, and right"));
            } else if whole {
                verdict.stale.push(format!("{case}: excepted, and no case of the suite"));
            }
        }
        verdict
    }

    /// Returns whether all is as known.
    pub fn is_clean(&self) -> bool {
        self.fresh.is_empty() && self.stale.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::outcome::{Miss, Outcome};
    use crate::tools::Tools;

    #[test]
    fn new_misses_and_stale_exceptions_are_found() {
        let folder = std::env::temp_dir().join(format!("suites-verdict-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("x.toml");
        std::fs::write(
            &file,
            "[[exception]]\ncases = [\"known\", \"mended\", \"gone\"]\nours = \"accepted\"\nreason = \"r\"\nparagraph = \"p\"\n",
        )
        .unwrap();
        let known = Exceptions::load(&file).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();

        let tools = Tools { polywire: None, installed: PathBuf::new(), home: PathBuf::new() };
        let mut cases = Cases::new(PathBuf::new(), &tools);
        cases.run("", "known", || Outcome::miss(Miss::Accepted, "x"));
        cases.run("", "mended", || Outcome::Right);
        assert_eq!(Verdict::of(&cases, &known, true).stale.len(), 2);
        assert!(Verdict::of(&cases, &known, true).fresh.is_empty());
        assert_eq!(Verdict::of(&cases, &known, false).stale.len(), 1);
        cases.run("", "new", || panic!("out of range"));
        assert_eq!(Verdict::of(&cases, &known, false).fresh, ["new: panic: out of range"]);
    }
}
