//! What a caller can choose.

use std::str::FromStr;
use std::time::Duration;

use polywire_core::format::Dialect;
use polywire_core::format::Format;
use polywire_core::{Error, Limits, Result};

use crate::program::Program;
use crate::rival::Rival;

/// Gives the number of allocations that the calling thread has made so far. Only differences count.
pub type AllocCounter = fn() -> u64;

/// How to compare.
#[derive(Debug, Clone)]
pub struct Options {
    /// The formats to compare, in the order of lists.
    pub formats: Vec<&'static Format>,
    /// Formats of that list as they are bound to a schema; one that takes a schema and is not here is bound to the one that is inferred from all messages.
    pub bound: Vec<Dialect>,
    /// The format that the others are compared with; without one, the input's, or the first that keeps everything.
    pub base: Option<&'static Format>,
    /// Budget of one measurement, in seconds. One format has three: encode, decode, scan.
    pub time: f64,
    /// What rows are ordered and ranked by.
    pub sort: Sort,
    /// Bounds on each message.
    pub limits: Limits,
    /// Counts allocations; without it, reports say that they were not counted.
    pub allocations: Option<AllocCounter>,
    /// Other libraries; each takes part where its format does.
    pub rivals: Vec<&'static dyn Rival>,
    /// Own programs of the user.
    pub programs: Vec<Program>,
    /// How long one run of such a program may take.
    pub timeout: Duration,
}

impl Options {
    /// Default of [`Options::time`]: long enough that the spread is mostly below a few percent on a quiet machine.
    pub const TIME: f64 = 0.3;

    /// Default of [`Options::timeout`].
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// The defaults, for these formats.
    pub fn new(formats: &[&'static Format]) -> Options {
        Options {
            formats: formats.to_vec(),
            bound: Vec::new(),
            base: None,
            time: Options::TIME,
            sort: Sort::default(),
            limits: Limits::DEFAULT,
            allocations: None,
            rivals: Vec::new(),
            programs: Vec::new(),
            timeout: Options::TIMEOUT,
        }
    }
}

/// What rows are ordered and ranked by, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Raw bytes per message.
    #[default]
    Bytes,
    /// Bytes per message, each compressed alone with gzip.
    Gzip,
    /// Bytes per message, each compressed alone with zstd.
    Zstd,
    /// Bytes per message with zstd and a trained dictionary.
    Dictionary,
    /// Bytes per message of the batch as one zstd stream.
    Batch,
    /// Time to encode.
    Encode,
    /// Time to decode to a tree.
    Decode,
    /// Time to scan without a tree.
    Scan,
    /// Name of the format: order without a rank.
    Name,
}

impl Sort {
    /// All, with the names that [`Sort::from_str`] reads.
    pub const ALL: &'static [(&'static str, Sort)] = &[
        ("bytes", Sort::Bytes),
        ("gzip", Sort::Gzip),
        ("zstd", Sort::Zstd),
        ("dictionary", Sort::Dictionary),
        ("batch", Sort::Batch),
        ("encode", Sort::Encode),
        ("decode", Sort::Decode),
        ("scan", Sort::Scan),
        ("name", Sort::Name),
    ];

    /// Its name on command lines and in reports.
    pub fn name(self) -> &'static str {
        Sort::ALL.iter().find(|(_, sort)| *sort == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Sort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sort> {
        Sort::ALL.iter().find(|(name, _)| *name == text).map(|(_, sort)| *sort).ok_or_else(|| {
            let names: Vec<&str> = Sort::ALL.iter().map(|(name, _)| *name).collect();
            Error::usage(format!("the column `{text}`")).expected(format!("one of {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_read_by_its_name() {
        for (name, sort) in Sort::ALL {
            assert_eq!(name.parse::<Sort>().unwrap(), *sort);
            assert_eq!(sort.name(), *name);
        }
        assert!("size".parse::<Sort>().unwrap_err().to_string().contains("bytes, gzip"));
    }
}
