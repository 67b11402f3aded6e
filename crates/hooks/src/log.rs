//! Where messages of hooks go.

use std::fmt;
use std::sync::Arc;

/// How bad a message is. Severities that are neither `error` nor `warn` count as information (specification 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information.
    Info,
    /// Something may be wrong.
    Warn,
    /// Something is wrong.
    Error,
}

impl Severity {
    pub(crate) fn named(name: &str) -> Severity {
        match name {
            "error" => Severity::Error,
            "warn" | "warning" => Severity::Warn,
            _ => Severity::Info,
        }
    }
}

/// A message of a hook, by `log` of its record or by `console`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// How bad it is.
    pub severity: Severity,
    /// The text, of at most [`LogRecord::LONGEST`] bytes.
    pub message: String,
    /// The hook that runs.
    pub hook: String,
    /// The file that was called, as it is named below the table directory.
    pub module: String,
}

impl LogRecord {
    /// Longer messages are cut.
    pub const LONGEST: usize = 16 * 1024;
    /// Messages of one call beyond so many are dropped.
    pub const MOST: usize = 1000;
}

/// What receives the messages, on the thread of the hook.
#[derive(Clone)]
pub struct LogSink(Arc<dyn Fn(LogRecord) + Send + Sync>);

impl LogSink {
    /// A sink that hands each message to `take`.
    pub fn new(take: impl Fn(LogRecord) + Send + Sync + 'static) -> LogSink {
        LogSink(Arc::new(take))
    }

    /// A sink that drops all messages.
    pub fn none() -> LogSink {
        LogSink::new(|_| {})
    }

    pub(crate) fn take(&self, record: LogRecord) {
        (self.0)(record);
    }
}

impl fmt::Debug for LogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSink")
    }
}
