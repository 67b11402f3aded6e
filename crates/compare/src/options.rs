//! The choices of a comparison.

use std::path::PathBuf;
use std::time::Duration;

use polywire_core::Limits;
use polywire_core::format::{Dialect, Format};

use crate::allocations::{AllocCounter, HeapCounter};
use crate::more::More;
use crate::program::Program;
use crate::purpose::Purpose;
use crate::rival::Rival;
use crate::sort::Sort;

/// The choices of a comparison.
#[derive(Debug, Clone)]
pub struct Options {
    /// Formats to compare, in the order of lists.
    pub formats: Vec<&'static Format>,
    /// Formats of columns: each has the bytes of one file of all messages.
    pub columns: Vec<&'static Format>,
    /// Formats of that list that are bound to a schema. Another format that takes a schema is bound
    /// to a schema inferred from every other message; all rows are then measured on the rest.
    pub bound: Vec<Given>,
    /// Format that ratios refer to. Default: the input's, else the first that was measured.
    pub base: Option<&'static Format>,
    /// Time budget of one measurement, in seconds. A format has three: encode, decode, scan. `None`
    /// for [`Options::TIME`], or less so that all formats together have [`Options::ALL_TIME`].
    pub time: Option<f64>,
    /// Number of runs, each with that budget: their medians show how well times repeat.
    pub runs: usize,
    /// Column that orders and ranks the rows.
    pub sort: Sort,
    /// Purpose that the recommendation is for.
    pub purpose: Option<Purpose>,
    /// Limits of each message.
    pub limits: Limits,
    /// Counter of allocations. Without it, reports say that allocations were not counted.
    pub allocations: Option<AllocCounter>,
    /// Counter of the heap, for [`More::memory`].
    pub heap: Option<HeapCounter>,
    /// Figures that are measured if they are asked for.
    pub more: More,
    /// Other libraries, each measured where its format is.
    pub rivals: Vec<&'static dyn Rival>,
    /// The user's own programs.
    pub programs: Vec<Program>,
    /// Time limit of one run of such a program.
    pub timeout: Duration,
    /// Command line that asked for the comparison, for reports. Secrets in it are masked there.
    pub command: Vec<String>,
}

/// A format bound to a schema that the user gave.
#[derive(Debug, Clone)]
pub struct Given {
    /// The bound format.
    pub dialect: Dialect,
    /// The schema's file.
    pub file: PathBuf,
    /// The file's bytes.
    pub text: Vec<u8>,
}

impl Options {
    /// Default of [`Options::time`]: on a quiet machine, the spread is then mostly below a few
    /// percent.
    pub const TIME: f64 = 0.3;

    /// Time of the measurements of all formats by default, in seconds.
    pub const ALL_TIME: f64 = 6.0;

    /// Default of [`Options::timeout`].
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// Returns the defaults for these formats.
    pub fn new(formats: &[&'static Format]) -> Options {
        Options {
            formats: formats.to_vec(),
            columns: Vec::new(),
            bound: Vec::new(),
            base: None,
            time: None,
            runs: 1,
            sort: Sort::default(),
            purpose: None,
            limits: Limits::DEFAULT,
            allocations: None,
            heap: None,
            more: More::default(),
            rivals: Vec::new(),
            programs: Vec::new(),
            timeout: Options::TIMEOUT,
            command: Vec::new(),
        }
    }
}
