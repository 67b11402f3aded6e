//! The page of all figures, docs/conformance.md.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cases::Cases;
use crate::exceptions::Exceptions;
use crate::place;
use crate::suite::Suite;

/// The figures of one suite.
pub struct Line {
    suite: &'static Suite,
    version: String,
    right: usize,
    judged: usize,
    free: usize,
    skipped: BTreeMap<&'static str, usize>,
    parts: BTreeMap<&'static str, (usize, usize)>,
    known: Exceptions,
    excepted: usize,
    fresh: usize,
}

impl Line {
    /// Takes the figures of a suite that ran.
    pub fn new(suite: &'static Suite, version: String, cases: &Cases<'_>, known: Exceptions) -> Line {
        let excepted = cases.misses.iter().filter(|(case, (kind, _))| known.has(case, *kind)).count();
        Line {
            suite,
            version,
            right: cases.right,
            judged: cases.right + cases.misses.len(),
            free: cases.free,
            skipped: cases.skipped.clone(),
            parts: cases.parts.clone(),
            known,
            excepted,
            fresh: cases.misses.len() - excepted,
        }
    }

    /// Returns the figures in one line.
    pub fn summary(&self) -> String {
        let mut text = format!("{} of {} right", grouped(self.right), grouped(self.judged));
        if self.excepted > 0 {
            let _ = write!(text, ", {} excepted", self.excepted);
        }
        if self.fresh > 0 {
            let _ = write!(text, ", {} missed", self.fresh);
        }
        if self.free > 0 {
            let _ = write!(text, ", {} free", grouped(self.free));
        }
        let skipped: usize = self.skipped.values().sum();
        if skipped > 0 {
            let _ = write!(text, ", {} left out", grouped(skipped));
        }
        text
    }
}

const HEAD: &str = "# Conformance

Public test suites, run against the library by one command. `make suites SUITES=DIR` makes this page;
[suites/README.md](../suites/README.md) says where each suite is had. No suite's files are in this repository.

A case is *right* if the library did as the suite demands: values are compared exactly, canonical messages come back byte for byte, and what
has to be refused is refused for its mistake, not for a limit. *Free* cases are those in which a suite leaves the answer open: they only
must not panic. *Left out* are cases that do not apply, with the reason below. An *exception* is a case that we answer otherwise
knowingly; each has its reason. Other misses are *missed*: the command fails on them, and on an exception that has become right.
";

/// Returns the table of all suites.
pub fn table(lines: &[Line]) -> String {
    let mut text = String::from(
        "| format | suite | version | licence | cases | right | exceptions | missed | free | left out |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|--:|\n",
    );
    let (mut judged, mut right) = (0, 0);
    for line in lines {
        judged += line.judged;
        right += line.right;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            line.suite.format,
            line.suite.title,
            line.version,
            line.suite.licence,
            grouped(line.judged),
            grouped(line.right),
            shown(line.excepted),
            shown(line.fresh),
            shown(line.free),
            shown(line.skipped.values().sum()),
        );
    }
    let _ = writeln!(text, "| | all | | | {} | {} | | | | |", grouped(judged), grouped(right));
    text
}

/// Returns the page; `absent` are the names of the suites that did not run.
pub fn page(lines: &[Line], absent: &[&str]) -> String {
    let mut text = format!("{HEAD}\n{}", table(lines));
    if !absent.is_empty() {
        let _ = writeln!(text, "\nNot run: {}.", absent.join(", "));
    }
    for line in lines {
        let _ = write!(text, "\n## {}: {}\n\n", line.suite.format, line.suite.title);
        let source = line.suite.folder;
        if source == place::IN_HERE {
            let _ = write!(text, "Name: `{}`. ", line.suite.name);
        } else {
            let _ = write!(text, "Name: `{}`; folder `{source}`. ", line.suite.name);
        }
        let _ = writeln!(text, "{}.", capital(line.suite.rule));
        if line.parts.len() > 1 {
            let parts: Vec<String> = line
                .parts
                .iter()
                .filter(|(_, figures)| figures.1 > 0)
                .map(|(part, (right, all))| format!("{part} {} of {}", grouped(*right), grouped(*all)))
                .collect();
            let _ = writeln!(text, "\nBy parts: {}.", parts.join("; "));
        }
        if !line.suite.others.is_empty() {
            let _ = writeln!(text, "\nOthers: {}", line.suite.others);
        }
        for (reason, count) in &line.skipped {
            let _ = writeln!(text, "\nLeft out, {}: {reason}.", grouped(*count));
        }
        if !line.known.all.is_empty() {
            text.push_str("\n| exceptions | ours | reason | where |\n|---|---|---|---|\n");
            for exception in &line.known.all {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} |",
                    named(&exception.cases),
                    exception.ours,
                    cell(&exception.reason),
                    cell(&exception.paragraph)
                );
            }
        }
    }
    text
}

/// Returns the names of a few cases, and the number of many.
fn named(cases: &[String]) -> String {
    const FEW: usize = 6;
    let name = |case: &String| format!("`{}`", cell(case));
    let some: Vec<String> = cases.iter().take(FEW).map(name).collect();
    match cases.len() {
        0..=FEW => some.join(", "),
        many => format!("{}, and {} more", some.join(", "), many - FEW),
    }
}

fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

fn shown(count: usize) -> String {
    if count == 0 { String::new() } else { grouped(count) }
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_cells_are_one_line() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(cell("a\n  b | c"), "a b \\| c");
        let cases: Vec<String> = (0..8).map(|n| n.to_string()).collect();
        assert!(named(&cases).ends_with("`5`, and 2 more"));
    }
}
