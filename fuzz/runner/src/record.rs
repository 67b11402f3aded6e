//! What was run, `fuzz/record.json`: a line for each target and day.

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

    /// Adds a run to those of its target and day.
    pub fn add(&mut self, run: Run) {
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

    /// Writes the record, a run a line.
    pub fn save(&self, file: &Path) -> Result<()> {
        let lines: Vec<String> = self.runs.iter().map(|run| serde_json::to_string(run).expect("numbers and texts")).collect();
        std::fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).map_err(|error| format!("{}: {error}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut record = Record::default();
        for (date, executions) in [("2026-01-01", 10), ("2026-01-01", 20), ("2026-01-02", 30)] {
            record.add(run(date, executions));
        }
        assert_eq!(record.runs, [Run { seconds: 14, edges: 20, findings: 2, ..run("2026-01-01", 30) }, run("2026-01-02", 30)]);
        let file = std::env::temp_dir().join(format!("polywire-record-{}.json", std::process::id()));
        record.save(&file).unwrap();
        assert_eq!(Record::load(&file), Ok(record));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(Record::load(&file), Ok(Record::default()));
    }
}
