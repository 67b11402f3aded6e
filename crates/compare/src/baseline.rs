//! A comparison against an earlier one of the same messages: what became larger or slower.

use serde::{Deserialize, Serialize};

use polywire_core::{Error, ErrorKind, Fault, Result};

use crate::comparison::{Comparison, Made, Row, Sizes, Time, Times, VERSION, Verdict};
use crate::machine::Machine;

/// Runs that times are judged by.
pub const RUNS: usize = 5;

/// An earlier JSON report: a table for each kind of messages.
#[derive(Debug, Clone)]
pub struct Baseline {
    tables: Vec<Table>,
}

/// The parts of a report that a baseline needs.
#[derive(Debug, Clone, Deserialize)]
struct Table {
    input: TableInput,
    rows: Vec<TableRow>,
    machine: Machine,
    made: Made,
}

#[derive(Debug, Clone, Deserialize)]
struct TableInput {
    kind: Option<String>,
    sha256: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct TableRow {
    format: String,
    verdict: Verdict,
    sizes: Option<Sizes>,
    times: Option<Times>,
}

/// A comparison with a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Against {
    /// True if the messages are those of the baseline, byte by byte. `None`: it does not say.
    pub same_messages: Option<bool>,
    /// Figures of the formats that both have.
    pub changes: Vec<Change>,
    /// Formats that no longer keep all values of the messages, and did in the baseline.
    pub broken: Vec<String>,
    /// Reason why times are not compared, if they are not.
    pub no_times: Option<String>,
}

/// A figure of a format, before and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Name of the format.
    pub format: String,
    /// Name of the figure: a size or a time.
    pub figure: &'static str,
    /// True for a time.
    pub time: bool,
    /// Bytes, or nanoseconds: the median of the medians of the runs.
    pub before: f64,
    /// The same, now.
    pub now: f64,
    /// The change divided by the figure before. Above 0 is larger or slower.
    pub change: f64,
    /// True for a time if some run of one side lies between those of the other.
    pub overlap: bool,
}

impl Baseline {
    /// Reads a JSON report.
    ///
    /// # Errors
    /// The text is no report of a comparison, or one of another version.
    pub fn parse(text: &[u8]) -> Result<Baseline> {
        let bad = |seen: String| {
            Error::new(ErrorKind::Usage, Fault::Caller)
                .seen(seen)
                .expected(format!("a report of version {VERSION}"))
                .hint("make it with: polywire compare --report json > FILE")
        };
        let version = |table: &serde_json::Value| table.get("version").and_then(serde_json::Value::as_u64);
        let value: serde_json::Value = serde_json::from_slice(text).map_err(|error| bad(format!("no JSON: {error}")))?;
        let tables = match value {
            serde_json::Value::Array(tables) => tables,
            one => vec![one],
        };
        if let Some(other) = tables.iter().map(version).find(|version| *version != Some(u64::from(VERSION))) {
            return Err(
                bad(other.map_or_else(|| "JSON without a version".to_string(), |version| format!("a report of version {version}"))),
            );
        }
        let tables: Vec<Table> = tables
            .into_iter()
            .map(|table| serde_json::from_value(table).map_err(|error| bad(format!("another record: {error}"))))
            .collect::<Result<_>>()?;
        if tables.is_empty() { Err(bad("an empty list".to_string())) } else { Ok(Baseline { tables }) }
    }

    /// Returns the reason why times of this machine and program cannot be compared with it, over
    /// that number of runs.
    pub fn no_times(&self, runs: usize) -> Option<String> {
        let machine = Machine::here();
        self.tables.iter().find_map(|table| table.no_times(&machine, env!("CARGO_PKG_VERSION"), runs))
    }

    /// Compares a comparison with the baseline's of the same kind of messages. Times are compared
    /// if both have runs enough, on the same machine by the same program.
    ///
    /// # Errors
    /// The baseline has no such kind.
    pub fn against(&self, comparison: &Comparison) -> Result<Against> {
        let kind = &comparison.input.kind;
        let table = self.tables.iter().find(|table| table.input.kind == *kind).or(match self.tables.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        let Some(table) = table else {
            let kinds: Vec<&str> = self.tables.iter().filter_map(|table| table.input.kind.as_deref()).collect();
            let seen = kind.as_ref().map_or_else(|| "messages of one kind".to_string(), |kind| format!("messages of the kind {kind}"));
            return Err(Error::usage(seen).expected(format!("a kind of the baseline: {}", kinds.join("; "))));
        };
        let no_times = table.no_times(&comparison.machine, &comparison.made.version, comparison.method.runs);
        let mut changes = Vec::new();
        let mut broken = Vec::new();
        for row in &comparison.rows {
            let Some(before) = table.rows.iter().find(|before| before.format == row.format) else { continue };
            if before.verdict == Verdict::Exact && row.verdict != Verdict::Exact {
                broken.push(row.format.clone());
            }
            changes.extend(sizes(before, row));
            if no_times.is_none() {
                changes.extend(times(before, row));
            }
        }
        let same_messages = table.input.sha256.as_ref().map(|sha256| *sha256 == comparison.input.sha256);
        Ok(Against { same_messages, changes, broken, no_times })
    }
}

impl Table {
    /// Returns the reason why times are not comparable.
    fn no_times(&self, machine: &Machine, version: &str, runs_now: usize) -> Option<String> {
        let (before, now) = (&self.machine, machine);
        let differs = [
            ("the processor", before.cpu == now.cpu),
            ("the number of cores", before.cores == now.cores),
            ("the operating system", before.os == now.os),
            ("the target", before.target == now.target),
            ("the compiler", before.rustc == now.rustc),
            ("the profile", (&before.profile, &before.opt_level) == (&now.profile, &now.opt_level)),
            ("the version of Polywire", self.made.version == version),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, same)| !same) {
            return Some(format!("{what} is another one than the baseline's"));
        }
        let runs = |times: &Times| [&times.encode, &times.decode, &times.scan].iter().all(|time| time.runs.len() >= RUNS);
        if !self.rows.iter().filter_map(|row| row.times.as_ref()).all(runs) {
            return Some(format!("the baseline has fewer than {RUNS} runs: make it with --runs {RUNS}"));
        }
        if runs_now < RUNS {
            return Some(format!("times are compared over {RUNS} runs: --runs {RUNS}"));
        }
        None
    }
}

fn sizes(before: &TableRow, row: &Row) -> Vec<Change> {
    let (Some(before), Some(now)) = (&before.sizes, &row.sizes) else { return Vec::new() };
    let dictionary = before.dictionary.as_ref().zip(now.dictionary.as_ref());
    let pairs = [
        ("raw", Some((before.raw, now.raw))),
        ("gzip", Some((before.gzip, now.gzip))),
        ("zstd", Some((before.zstd, now.zstd))),
        ("zstd with a dictionary", dictionary.map(|(before, now)| (before.zstd, now.zstd))),
        ("gzip stream", Some((before.batch_gzip, now.batch_gzip))),
        ("zstd stream", Some((before.batch_zstd, now.batch_zstd))),
    ];
    let change = |(figure, pair): (&'static str, Option<(f64, f64)>)| {
        pair.map(|(before, now)| Change {
            format: row.format.clone(),
            figure,
            time: false,
            before,
            now,
            change: relative(before, now),
            overlap: false,
        })
    };
    pairs.into_iter().filter_map(change).collect()
}

fn times(before: &TableRow, row: &Row) -> Vec<Change> {
    let (Some(before), Some(now)) = (&before.times, &row.times) else { return Vec::new() };
    let trios = [("encode", &before.encode, &now.encode), ("decode", &before.decode, &now.decode), ("scan", &before.scan, &now.scan)];
    let change = |(figure, before, now): (&'static str, &Time, &Time)| {
        let (one, other) = (interval(&before.runs)?, interval(&now.runs)?);
        Some(Change {
            format: row.format.clone(),
            figure,
            time: true,
            before: one.1,
            now: other.1,
            change: relative(one.1, other.1),
            overlap: one.0 <= other.2 && other.0 <= one.2,
        })
    };
    trios.into_iter().filter_map(change).collect()
}

/// Returns the smallest, the median and the largest of some figures.
fn interval(runs: &[f64]) -> Option<(f64, f64, f64)> {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((*sorted.first()?, sorted[sorted.len() / 2], *sorted.last()?))
}

fn relative(before: f64, now: f64) -> f64 {
    if before > 0.0 { now / before - 1.0 } else { 0.0 }
}

impl Against {
    /// Returns what fails: sizes that grew by more than `sizes`, and times that grew by more than
    /// `times` in intervals apart; both as parts of the figure before.
    pub fn failures(&self, sizes: Option<f64>, times: Option<f64>) -> Vec<String> {
        let mut failures = Vec::new();
        if sizes.is_some() {
            failures.extend(self.broken.iter().map(|format| format!("{format} no longer keeps all values")));
        }
        // A sum of floating-point numbers may differ in its last digits.
        let beyond = |change: &Change, most: f64| change.change > most + 1e-9;
        for change in &self.changes {
            let most = if change.time { times } else { sizes };
            let fails = most.is_some_and(|most| beyond(change, most)) && !(change.time && change.overlap);
            if let Some(most) = most.filter(|_| fails) {
                let unit = if change.time { "ns" } else { "bytes" };
                failures.push(format!(
                    "{} {}: {:.1} {unit}, {:.1} before: {:+.1} %, and {} % are allowed",
                    change.format,
                    change.figure,
                    change.now,
                    change.before,
                    100.0 * change.change,
                    100.0 * most
                ));
            }
        }
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{self, sample};

    /// A comparison with five runs of each time.
    fn measured(factor: f64) -> Comparison {
        let mut comparison = sample::comparison(factor);
        comparison.method.runs = RUNS;
        for times in comparison.rows.iter_mut().filter_map(|row| row.times.as_mut()) {
            for time in [&mut times.encode, &mut times.decode, &mut times.scan] {
                time.runs = (0..5).map(|run| time.ns.median * (1.0 + f64::from(run) / 100.0)).collect();
            }
        }
        comparison
    }

    fn baseline(comparison: &Comparison) -> Baseline {
        Baseline::parse(report::json(std::slice::from_ref(comparison)).unwrap().as_bytes()).unwrap()
    }

    #[test]
    fn the_same_report_has_no_changes() {
        let comparison = measured(1.0);
        let against = baseline(&comparison).against(&comparison).unwrap();
        assert_eq!((against.same_messages, &against.no_times), (Some(true), &None));
        assert!(against.changes.iter().all(|change| change.change.abs() < 1e-9) && against.changes.iter().any(|change| change.time));
        assert!(against.failures(Some(0.0), Some(0.0)).is_empty());
    }

    #[test]
    fn growth_fails_beyond_what_is_allowed() {
        let before = baseline(&measured(1.0));
        let mut grown = measured(1.0);
        let row = &mut grown.rows[0];
        row.sizes.as_mut().unwrap().raw *= 1.06;
        for run in &mut row.times.as_mut().unwrap().decode.runs {
            *run *= 1.5;
        }
        let against = before.against(&grown).unwrap();
        let found = |sizes, times| against.failures(sizes, times);
        assert_eq!(found(Some(0.05), None).len(), 1);
        assert!(found(Some(0.05), None)[0].contains("raw") && found(Some(0.05), None)[0].contains("+6.0 %"));
        assert!(found(Some(0.07), None).is_empty());
        assert_eq!(found(None, Some(0.2)).len(), 1);
        assert!(found(None, Some(0.6)).is_empty());
        // Intervals that overlap prove nothing.
        let runs = &mut grown.rows[0].times.as_mut().unwrap().decode.runs;
        runs[0] /= 1.5;
        assert!(before.against(&grown).unwrap().failures(None, Some(0.2)).is_empty());
        grown.rows[0].verdict = Verdict::Lossy;
        assert!(before.against(&grown).unwrap().failures(Some(1.0), None)[0].contains("no longer keeps"));
    }

    #[test]
    fn times_of_another_machine_program_or_method_are_refused() {
        let before = baseline(&measured(1.0));
        let why = |change: &dyn Fn(&mut Comparison)| {
            let mut now = measured(1.0);
            change(&mut now);
            let against = before.against(&now).unwrap();
            assert!(against.changes.iter().all(|change| !change.time));
            against.no_times.unwrap()
        };
        assert!(why(&|now| now.machine.cpu = "Another".into()).contains("the processor"));
        assert!(why(&|now| now.machine.profile = "release".into()).contains("the profile"));
        assert!(why(&|now| now.made.version = "9.9.9".into()).contains("the version"));
        assert!(why(&|now| now.method.runs = 1).contains("--runs 5"));
        let few = baseline(&sample::comparison(1.0)).against(&measured(1.0)).unwrap();
        assert!(few.no_times.unwrap().contains("the baseline has fewer than 5 runs"));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, what) in [
            ("x", "no JSON"),
            ("{}", "without a version"),
            ("{\"version\":1}", "version 1"),
            ("[]", "an empty list"),
            ("{\"version\":2}", "another record"),
        ] {
            let error = Baseline::parse(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(what) && error.advice().contains("--report json"), "{text}: {error}");
        }
    }
}
