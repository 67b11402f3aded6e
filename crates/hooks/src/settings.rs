//! Settings of hooks.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::Limits;
use crate::log::LogSink;
use crate::process::WorkerProgram;

/// The place of hooks, and their limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The table directory: hooks see the files below it, and no others.
    pub root: PathBuf,
    /// Longest time of one call, including its waits and the loading of its modules.
    pub time: Duration,
    /// Most memory of one engine with its modules, in bytes; also the largest returned value.
    pub memory: usize,
    /// Largest stack of functions that call each other, in bytes.
    pub stack: usize,
    /// Number of calls that are made at once, each with its own engine. Slow calls in worker
    /// processes do not count.
    pub threads: usize,
    /// The program of worker processes. Without one, calls are made on threads, where a built-in
    /// function that takes long cannot be stopped. So it is on other systems than Unix.
    pub worker: Option<WorkerProgram>,
    /// Most calls that may wait for a thread.
    pub waiting: usize,
    /// The receiver of messages of hooks, unless a call names another.
    pub log: LogSink,
}

impl Settings {
    /// Returns the usual limits: a second, 64 MiB of memory, 512 KiB of stack, one call per
    /// processor, on threads, 10,000 waiting calls.
    pub fn new(root: impl Into<PathBuf>) -> Settings {
        Settings {
            root: root.into(),
            time: Duration::from_secs(1),
            memory: 64 << 20,
            stack: 512 << 10,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            worker: None,
            waiting: 10_000,
            log: LogSink::none(),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { time: self.time, memory: self.memory, stack: self.stack }
    }
}
