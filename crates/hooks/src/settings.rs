//! What hooks may take.

use std::path::PathBuf;
use std::time::Duration;

use crate::log::LogSink;

/// Where hooks lie, and what they may take.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The table directory: hooks see the files below it, and no others.
    pub root: PathBuf,
    /// How long one call may run, what it waits for and the loading of its modules included.
    pub time: Duration,
    /// How much memory one engine may hold, its modules included; a value that is given back may not be larger either. In bytes.
    pub memory: usize,
    /// How much stack functions that call each other may take, in bytes.
    pub stack: usize,
    /// How many threads make calls, each with an engine of its own.
    pub threads: usize,
    /// How many calls may wait for a thread.
    pub waiting: usize,
    /// Where messages of hooks go, if a call does not say otherwise.
    pub log: LogSink,
}

impl Settings {
    /// The usual limits: a second, 64 MiB of memory, 512 KiB of stack, as many threads as there are processors.
    pub fn new(root: impl Into<PathBuf>) -> Settings {
        Settings {
            root: root.into(),
            time: Duration::from_secs(1),
            memory: 64 << 20,
            stack: 512 << 10,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            waiting: 10_000,
            log: LogSink::none(),
        }
    }
}
