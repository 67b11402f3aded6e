//! The page of what was run.

use std::fmt::Write;

use crate::record::{Record, Run};
use crate::targets::{Kind, Target, Targets};

const PAGE: &str = include_str!("page.md");

/// The sum of a target's runs.
#[derive(Default)]
struct Sum<'r> {
    executions: u64,
    seconds: u64,
    findings: u64,
    last: Option<&'r Run>,
}

impl<'r> Sum<'r> {
    fn of(target: &Target, record: &'r Record) -> Sum<'r> {
        let mut sum = Sum::default();
        for run in record.runs.iter().filter(|run| run.target == target.name) {
            sum.executions += run.executions;
            sum.seconds += run.seconds;
            sum.findings += run.findings;
            sum.last = Some(run);
        }
        sum
    }

    fn minutes(&self) -> f64 {
        self.seconds as f64 / 60.0
    }
}

/// Returns the page.
pub fn page(targets: &Targets, record: &Record) -> String {
    let mut tables = String::new();
    for kind in Kind::ALL {
        let _ = writeln!(tables, "## {}\n\nGoal: {} processor minutes each.\n", kind.heading(), kind.minutes());
        tables.push_str(
            "| target | holds | minutes | executions | edges | inputs | findings | last run |\n|---|---|--:|--:|--:|--:|--:|---|\n",
        );
        for target in targets.target.iter().filter(|target| target.kind == kind) {
            let sum = Sum::of(target, record);
            let (edges, inputs, date) = sum.last.map_or((0, 0, "never"), |run| (run.edges, run.inputs, &run.date));
            let _ = writeln!(
                tables,
                "| `{}` | {} | {:.1} | {} | {} | {} | {} | {date} |",
                target.name,
                target.holds,
                sum.minutes(),
                grouped(sum.executions),
                grouped(edges),
                grouped(inputs),
                sum.findings
            );
        }
        tables.push('\n');
    }
    PAGE.replace("{summary}", &summary(targets, record)).replace("{tables}", tables.trim_end())
}

/// Returns the sentences over the tables: all runs, and the targets that have not run long enough.
fn summary(targets: &Targets, record: &Record) -> String {
    let sums: Vec<(&Target, Sum<'_>)> = targets.target.iter().map(|target| (target, Sum::of(target, record))).collect();
    let executions: u64 = sums.iter().map(|(_, sum)| sum.executions).sum();
    let seconds: u64 = sums.iter().map(|(_, sum)| sum.seconds).sum();
    let findings: u64 = sums.iter().map(|(_, sum)| sum.findings).sum();
    let short: Vec<String> = sums
        .iter()
        // A run ends within a fiftieth of its time.
        .filter(|(target, sum)| sum.minutes() < target.kind.minutes() * 0.97)
        .map(|(target, _)| format!("`{}`", target.name))
        .collect();
    let reached = sums.len() - short.len();
    let mut text = format!(
        "{} targets, {} executions, {:.1} processor hours, {findings} findings. {reached} targets have run for the time that is the goal of their kind",
        sums.len(),
        grouped(executions),
        seconds as f64 / 3600.0
    );
    if short.is_empty() {
        text.push('.');
    } else {
        let _ = write!(text, "; not yet: {}.", short.join(", "));
    }
    text
}

/// Returns a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(target: &str, seconds: u64) -> Run {
        Run {
            target: target.to_string(),
            date: "2026-01-02".to_string(),
            executions: 1_234_567,
            seconds,
            edges: 1000,
            inputs: 99,
            findings: 1,
        }
    }

    #[test]
    fn the_page_has_each_target_and_those_below_their_goal() {
        let target = |name: &str, kind: &str| format!("[[target]]\nname = \"{name}\"\nkind = \"{kind}\"\nholds = \"a promise\"\n");
        let list = [target("long", "other"), target("short", "reader"), target("none", "differential")].concat();
        let targets: Targets = toml::from_str(&format!("[seeds]\n{list}")).unwrap();
        let page = page(&targets, &Record { runs: vec![run("long", 60), run("short", 30), run("long", 90)] });
        assert!(page.contains("| `long` | a promise | 2.5 | 2,469,134 | 1,000 | 99 | 2 | 2026-01-02 |"), "{page}");
        assert!(page.contains("| `none` | a promise | 0.0 | 0 | 0 | 0 | 0 | never |"), "{page}");
        assert!(page.contains("3 targets, 3,703,701 executions, 0.1 processor hours, 3 findings. 1 targets have run"), "{page}");
        assert!(page.contains("not yet: `short`, `none`."), "{page}");
        assert!(!page.contains('{'), "{page}");
    }

    #[test]
    fn the_page_in_docs_is_that_of_the_record() {
        let root = crate::common::root();
        let targets = Targets::load(&root.join("fuzz/targets.toml")).unwrap();
        let record = Record::load(&root.join("fuzz/record.json")).unwrap();
        let written = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
        assert_eq!(written, page(&targets, &record), "run `make fuzz-report`");
    }
}
