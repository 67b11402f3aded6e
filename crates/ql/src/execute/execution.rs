//! Results of an execution.

use std::sync::Arc;
use std::time::Duration;

use polywire_doc::Datum;

use crate::error::QueryError;
use crate::memory::Share;
use crate::observe::Warning;

/// The outcome of an execution.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The result; `None` if it is undefined.
    pub result: Result<Option<Datum>, QueryError>,
    /// Headers of the answer, by the route.
    pub headers: Vec<(String, String)>,
    /// Warnings. One with a failure means that a part of the answer is missing.
    pub warnings: Vec<Warning>,
    /// Requests, in the order of their replies.
    pub requests: Vec<Made>,
    /// Record of each step.
    pub steps: Vec<StepRecord>,
    /// Time that it took.
    pub elapsed: Duration,
    /// The memory of its values, which others may have once it is dropped.
    pub memory: Arc<Share>,
}

/// A request that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Number of the step.
    pub step: usize,
    /// Name of the table.
    pub table: Arc<str>,
    /// HTTP method.
    pub method: String,
    /// URI.
    pub uri: String,
    /// HTTP status; 0 if there was no reply.
    pub status: u16,
    /// Name of the status that the protocol has beside HTTP's.
    pub rpc_status: Option<&'static str>,
    /// Bytes of the body.
    pub bytes_in: u64,
    /// Bytes of it that were skipped.
    pub bytes_skipped: u64,
    /// Time that it took.
    pub elapsed: Duration,
    /// True if the reply came from the cache.
    pub cached: bool,
    /// Number of retries.
    pub retries: u32,
    /// True if it was not sent: an equal request of the same execution was.
    pub shared: bool,
    /// Number of the page, from 1; 0 if the rows do not come in pages.
    pub page: u32,
    /// Number of values that it asks for at once.
    pub values: usize,
    /// True if it was not sent, since the service had failed too often.
    pub left_alone: bool,
    /// Message of its failure.
    pub failure: Option<String>,
}

/// The record of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepRecord {
    /// State at the end.
    pub state: StepState,
    /// Time from the start of the execution to the start of the step.
    pub started: Duration,
    /// Time that it took.
    pub elapsed: Duration,
    /// Index of the alternative that gave the value.
    pub alternative: usize,
}

/// The state of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepState {
    /// Not reached.
    #[default]
    Waiting,
    /// Begun when the script ended.
    Begun,
    /// Ended well.
    Done,
    /// Skipped: its branch was not taken.
    Skipped,
    /// Failed.
    Failed,
}
