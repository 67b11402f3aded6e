//! Messages of hooks.

use std::fmt;
use std::sync::Arc;

/// The severity of a message. Any other than `error` and `warn` counts as information
/// (docs/spec/ql.md 10).
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

    /// Returns a name that [`Severity::named`] understands.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warn => "warn",
            Severity::Info => "info",
        }
    }
}

/// A message of a hook, by `log` of its record or by `console`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// The severity.
    pub severity: Severity,
    /// The text, at most [`LogRecord::LONGEST`] bytes.
    pub message: String,
    /// The hook that ran.
    pub hook: String,
    /// The file that was called, relative to the table directory.
    pub module: String,
}

impl LogRecord {
    /// Longest message, in bytes; longer ones are cut.
    pub const LONGEST: usize = 16 * 1024;
    /// Most messages of one call; further ones are dropped.
    pub const MOST: usize = 1000;

    /// Cuts a message to the longest that is kept.
    pub(crate) fn cut(message: &mut String) {
        if message.len() > LogRecord::LONGEST {
            message.truncate((0..=LogRecord::LONGEST).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0));
        }
    }
}

/// A receiver of messages, called on the thread of the hook.
#[derive(Clone)]
pub struct LogSink(Arc<dyn Fn(LogRecord) + Send + Sync>);

impl LogSink {
    /// Makes a sink that passes each message to `take`.
    pub fn new(take: impl Fn(LogRecord) + Send + Sync + 'static) -> LogSink {
        LogSink(Arc::new(take))
    }

    /// Makes a sink that drops all messages.
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
