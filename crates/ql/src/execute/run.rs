//! The state of one execution: variables, modules, tables, warnings (docs/spec/ql.md 6.2).

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use polywire_doc::Datum;

use super::environment::Environment;
use super::execution::Made;
use crate::error::QueryError;
use crate::functions::Module;
use crate::limits;
use crate::memory::Share;
use crate::observe::{Event, Warning};
use crate::plan::Plan;
use crate::table::Table;
use crate::template::reference::Variables;

/// One execution.
pub(super) struct Run<'r> {
    pub plan: &'r Plan,
    pub environment: &'r Environment<'r>,
    pub work: limits::Work,
    /// Requests that values may still multiply.
    pub nested: limits::NestedRequests,
    /// Calls of tables so far.
    pub calls: AtomicUsize,
    state: Mutex<Known>,
    pub start: Instant,
}

#[derive(Default)]
pub(super) struct Known {
    pub variables: HashMap<Arc<str>, Datum>,
    pub modules: HashMap<Arc<str>, Arc<dyn Module>>,
    pub tables: HashMap<Arc<str>, Arc<Table>>,
    pub warnings: Vec<Warning>,
    pub requests: Vec<Made>,
}

impl<'r> Run<'r> {
    pub fn new(plan: &'r Plan, environment: &'r Environment<'r>, memory: Arc<Share>) -> Run<'r> {
        let start = Instant::now();
        Run {
            plan,
            environment,
            work: limits::Work::of(&environment.limits, start, memory),
            nested: limits::NestedRequests::new(environment.limits.nested_requests),
            calls: AtomicUsize::new(0),
            state: Mutex::default(),
            start,
        }
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a variable, or removes it.
    pub fn set(&self, name: &Arc<str>, value: Option<Datum>) {
        let mut known = self.known();
        match value {
            Some(value) => known.variables.insert(name.clone(), value),
            None => known.variables.remove(name),
        };
    }

    /// Returns a variable of the script itself.
    pub fn own(&self, name: &str) -> Option<Datum> {
        self.known().variables.get(name).cloned()
    }

    pub fn module(&self, name: &str) -> Option<Arc<dyn Module>> {
        self.known().modules.get(name).cloned()
    }

    pub fn add_table(&self, table: &Arc<Table>) {
        self.known().tables.insert(table.name.clone(), table.clone());
    }

    /// Returns a table of the script, or of the catalog.
    pub fn table(&self, name: &str) -> Option<Arc<Table>> {
        let own = self.known().tables.get(name).cloned();
        own.or_else(|| self.environment.catalog.table(name))
    }

    pub fn warn(&self, line: u32, message: impl Into<Arc<str>>, failure: Option<QueryError>) {
        let warning = Warning { line, message: message.into(), failure };
        self.environment.observer.event(&Event::Warning(&warning));
        self.known().warnings.push(warning);
    }

    pub fn record(&self, made: Made) {
        self.known().requests.push(made);
    }

    /// Counts a call of a table.
    pub fn count_call(&self) -> Result<(), QueryError> {
        let allowed = self.environment.limits.calls;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= allowed {
            return Err(QueryError::new("too_many_calls", format!("more than {allowed} calls of tables in one execution")).status(422));
        }
        Ok(())
    }
}

impl Variables for Run<'_> {
    fn variable(&self, name: &str) -> Option<Datum> {
        self.own(name)
            .or_else(|| self.environment.request.source(name))
            .or_else(|| (name == "config").then(|| self.environment.script_config.clone()))
            .or_else(|| self.environment.request.weak_variable(name))
    }
}

/// The variables of the script alone, for parameters. Variables of the request are weaker than a
/// statement's parameters, and come from sources in an order of their own.
pub(super) struct Own<'r, 'a>(pub &'a Run<'r>);

impl Variables for Own<'_, '_> {
    fn variable(&self, name: &str) -> Option<Datum> {
        self.0.own(name)
    }

    fn all(&self) -> Vec<(Arc<str>, Datum)> {
        let mut all: Vec<(Arc<str>, Datum)> = self.0.known().variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }
}
