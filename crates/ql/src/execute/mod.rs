//! Executing a plan (specification 6 and 7): whatever does not depend on each other at the same time, without threads, timers or tasks of its own. Dropping the
//! future ends the execution, which is how a deadline is kept.
//!
//! | file | holds |
//! |---|---|
//! | `run` | steps in their order, variables |
//! | `operation` | statements, fallbacks, values, functions |
//! | `call` | tables: parameters, replies |
//! | `select`, `join` | reading |
//! | `change` | insert, update, delete |
//! | `condition` | where clauses |
//! | `project` | result sets, columns, offset and limit |
//! | `merge` | several results as one |
//! | `describe` | show and describe |

mod call;
mod change;
mod condition;
mod describe;
mod join;
mod merge;
mod operation;
mod project;
mod run;
mod select;

use std::sync::Arc;
use std::time::Duration;

use polywire_doc::Datum;

use crate::backend::Backend;
use crate::failure::Failure;
use crate::functions::Functions;
use crate::limits::Limits;
use crate::observe::{Observer, Warning};
use crate::params::Request;
use crate::plan::Plan;
use crate::table::Table;

pub use merge::merge;

/// What is around a script.
#[derive(Clone, Copy)]
pub struct Environment<'e> {
    /// Makes requests.
    pub backend: &'e dyn Backend,
    /// Tables and routes.
    pub catalog: &'e dyn Catalog,
    /// User functions.
    pub functions: &'e dyn Functions,
    /// Who is told.
    pub observer: &'e dyn Observer,
    /// The request that runs the script.
    pub request: &'e Request,
    /// The configuration.
    pub config: &'e Datum,
    /// What one execution may do.
    pub limits: Limits,
    /// Whether the result is only written as JSON, and nothing else is done with it. Objects in it may be their JSON text then.
    pub only_json: bool,
}

/// The tables and routes that there are.
pub trait Catalog: Send + Sync {
    /// The table of that name.
    fn table(&self, name: &str) -> Option<Arc<Table>>;

    /// All tables, by name.
    fn tables(&self) -> Vec<Arc<Table>> {
        Vec::new()
    }

    /// The scripts that have routes, by path.
    fn routes(&self) -> Vec<Arc<Plan>> {
        Vec::new()
    }
}

/// There are none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTables;

impl Catalog for NoTables {
    fn table(&self, _: &str) -> Option<Arc<Table>> {
        None
    }
}

/// What came of an execution.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The result, undefined if there is none.
    pub result: Result<Option<Datum>, Failure>,
    /// Headers that the route gives the answer.
    pub headers: Vec<(String, String)>,
    /// What was left out, or is odd. A warning with a failure says that a part of the answer is missing.
    pub warnings: Vec<Warning>,
    /// The requests, in the order in which their replies came.
    pub requests: Vec<Made>,
    /// What became of each step.
    pub steps: Vec<StepRecord>,
    /// How long it took.
    pub elapsed: Duration,
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
    /// HTTP status, 0 if there was no reply.
    pub status: u16,
    /// Bytes of the body.
    pub bytes_in: u64,
    /// Bytes of it that were stepped over.
    pub bytes_skipped: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether it came from the cache.
    pub cached: bool,
    /// How often it was made again.
    pub retries: u32,
    /// What went wrong.
    pub failure: Option<String>,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepRecord {
    /// How it ended.
    pub state: State,
    /// From the start of the execution to its start.
    pub started: Duration,
    /// How long it took.
    pub elapsed: Duration,
    /// Which of its alternatives gave the value, from 0.
    pub alternative: usize,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// It was not reached.
    #[default]
    Waiting,
    /// It had begun when the script ended.
    Begun,
    /// It ended well.
    Done,
    /// The way to it was not taken.
    Skipped,
    /// It failed.
    Failed,
}

/// Executes a plan.
pub async fn execute(plan: &Plan, environment: &Environment<'_>) -> Execution {
    let run = run::Run::new(plan, environment);
    run.execute().await
}
