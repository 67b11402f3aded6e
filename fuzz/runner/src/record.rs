//! What was run, `fuzz/record.json`: a line for each target and day.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::common::Result;

/// All runs, in the order in which they were made.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Record {
    pub runs: Vec<Run>,
}

/// Runs of one target on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub target: String,
    /// Day in UTC.
    pub date: String,
    pub executions: u64,
    /// Processor time.
    pub seconds: u64,
    /// Edges of the program that the corpus reaches at the end.
    pub edges: u64,
    /// Inputs of the corpus at the end.
    pub inputs: u64,
    pub findings: u64,
}

impl Record {
    /// Reads the record; an absent file is an empty one.
    pub fn load(file: &Path) -> Result<Record> {
        match std::fs::read(file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Record::default()),
            Err(error) => Err(format!("{}: {error}", file.display())),
        }
    }

    /// Adds a run to a file of others, while no other program does.
    pub fn add_to(file: &Path, run: Run) -> Result<()> {
        let failed = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut open = File::options().read(true).write(true).create(true).truncate(false).open(file).map_err(failed)?;
        open.lock().map_err(failed)?;
        let mut text = String::new();
        open.read_to_string(&mut text).map_err(failed)?;
        let mut record = match text.as_str() {
            "" => Record::default(),
            text => serde_json::from_str(text).map_err(|error| format!("{}: {error}", file.display()))?,
        };
        record.add(run);
        open.set_len(0).and_then(|()| open.rewind()).and_then(|()| open.write_all(record.text().as_bytes())).map_err(failed)
    }

    /// Adds a run to those of its target and day.
    fn add(&mut self, run: Run) {
        match self.runs.iter_mut().find(|known| known.target == run.target && known.date == run.date) {
            Some(known) => {
                known.executions += run.executions;
                known.seconds += run.seconds;
                known.findings += run.findings;
                (known.edges, known.inputs) = (run.edges, run.inputs);
            }
            None => self.runs.push(run),
        }
    }

    /// Returns the record as text, a run a line.
    fn text(&self) -> String {
        let lines: Vec<String> = self.runs.iter().map(|run| serde_json::to_string(run).expect("numbers and texts")).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_add_at_once_lose_nothing() {
        let file = std::env::temp_dir().join(format!("polywire-record-at-once-{}.json", std::process::id()));
        std::thread::scope(|scope| {
            for target in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let run = Run {
                            target: target.to_string(),
                            date: "2026-01-01".to_string(),
                            executions: 1,
                            seconds: 1,
                            edges: 1,
                            inputs: 1,
                            findings: 0,
                        };
                        Record::add_to(file, run).unwrap();
                    }
                });
            }
        });
        let record = Record::load(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(record.runs.len(), 8);
        assert!(record.runs.iter().all(|run| run.executions == 50), "{record:?}");
    }

    #[test]
    fn runs_of_a_day_add_up() {
        let run = |date: &str, executions| Run {
            target: "a".to_string(),
            date: date.to_string(),
            executions,
            seconds: 7,
            edges: executions,
            inputs: 1,
            findings: 1,
        };
        let file = std::env::temp_dir().join(format!("polywire-record-{}.json", std::process::id()));
        for (date, executions) in [("2026-01-01", 10), ("2026-01-01", 20), ("2026-01-02", 30)] {
            Record::add_to(&file, run(date, executions)).unwrap();
        }
        let added = [Run { seconds: 14, edges: 20, findings: 2, ..run("2026-01-01", 30) }, run("2026-01-02", 30)];
        assert_eq!(Record::load(&file).unwrap().runs, added);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(Record::load(&file), Ok(Record::default()));
    }
}
