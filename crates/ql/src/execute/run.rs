//! Steps in their order, and the variables that they make (specification 6.2, 6.5, 6.6).

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use polywire_doc::Datum;
use tracing::Instrument;

use super::{Environment, Execution, Made, State, StepRecord};
use crate::failure::Failure;
use crate::functions::Module;
use crate::limits;
use crate::observe::{Event, Warning};
use crate::plan::{Operation, Outcome, Plan, Step, Work};
use crate::syntax::ast::Logic;
use crate::table::Table;
use crate::template::reference::Variables;
use crate::template::text::Missing;
use crate::template::walk;

/// One execution.
pub(super) struct Run<'r> {
    pub plan: &'r Plan,
    pub environment: &'r Environment<'r>,
    pub work: limits::Work,
    /// Calls of tables so far.
    pub calls: AtomicUsize,
    state: Mutex<Known>,
    start: Instant,
}

#[derive(Default)]
struct Known {
    variables: HashMap<Arc<str>, Datum>,
    modules: HashMap<Arc<str>, Arc<dyn Module>>,
    tables: HashMap<Arc<str>, Arc<Table>>,
    warnings: Vec<Warning>,
    requests: Vec<Made>,
}

/// What a step made.
pub(super) enum Product {
    Value(Option<Datum>),
    Module(Arc<dyn Module>),
}

/// What a step made, and which of its alternatives.
pub(super) type StepResult = Result<(Product, usize), Failure>;

impl<'r> Run<'r> {
    pub fn new(plan: &'r Plan, environment: &'r Environment<'r>) -> Run<'r> {
        Run {
            plan,
            environment,
            work: limits::Work::new(environment.limits.work),
            calls: AtomicUsize::new(0),
            state: Mutex::default(),
            start: Instant::now(),
        }
    }

    /// Executes the plan, once.
    pub async fn execute(&self) -> Execution {
        let observer = self.environment.observer;
        observer.event(&Event::Ack);
        let mut steps = vec![StepRecord::default(); self.plan.steps.len()];
        let result = self.steps(&mut steps).await;
        observer.event(&Event::Done(self.start.elapsed()));
        if let Ok(value) = &result {
            observer.event(&Event::Result(value.as_ref()));
        }
        let headers = if result.is_ok() { self.headers() } else { Vec::new() };
        let elapsed = self.start.elapsed();
        let known = std::mem::take(&mut *self.known());
        Execution { result, headers, warnings: known.warnings, requests: known.requests, steps, elapsed }
    }

    async fn steps(&self, records: &mut [StepRecord]) -> Result<Option<Datum>, Failure> {
        let steps = &self.plan.steps;
        let mut progress = Progress::new(steps);
        let mut values: Option<Option<Datum>> = None;
        let mut flying: FuturesUnordered<BoxFuture<'_, (usize, StepResult)>> = FuturesUnordered::new();
        let observer = self.environment.observer;
        if observer.wants("statement-waiting") {
            steps
                .iter()
                .enumerate()
                .filter(|(n, _)| progress.waiting[*n] > 0)
                .for_each(|(_, step)| observer.event(&Event::Waiting(&step.info)));
        }
        loop {
            while let Some((_, n)) = progress.ready.pop_first() {
                let step = &steps[n];
                records[n].started = self.start.elapsed();
                if step.guard.is_some_and(|(choice, way)| progress.decided[choice] != Some(way)) {
                    records[n].state = State::Skipped;
                    progress.done(n, steps);
                    continue;
                }
                match &step.work {
                    Work::Decide(logic) => {
                        progress.decided[n] = Some(self.holds(logic));
                        records[n].state = State::Done;
                        progress.done(n, steps);
                    }
                    Work::Throw => {
                        if let Some(name) = &step.info.name {
                            self.set(name, Some(Datum::Text(name.clone())));
                        }
                        records[n].state = State::Done;
                        progress.done(n, steps);
                    }
                    Work::Statement(operations) => {
                        records[n].state = State::Begun;
                        let info = &step.info;
                        // Its text may hold secrets.
                        let span = tracing::info_span!("statement", kind = info.kind, line = info.line, error = tracing::field::Empty);
                        let statement = async move {
                            if let Some(step) = observer.hold(info) {
                                step.await;
                            }
                            observer.event(&Event::InFlight(info));
                            let result = self.statement(operations, info).await;
                            if let Err(failure) = &result {
                                tracing::Span::current().record("error", failure.parts().code);
                            }
                            (n, result)
                        };
                        flying.push(Box::pin(statement.instrument(span)));
                    }
                }
            }
            let Some((n, result)) = flying.next().await else { break };
            let step = &steps[n];
            let elapsed = self.start.elapsed().saturating_sub(records[n].started);
            records[n].elapsed = elapsed;
            match result {
                Ok((product, alternative)) => {
                    records[n].state = State::Done;
                    records[n].alternative = alternative;
                    observer.event(&Event::Success(&step.info, elapsed));
                    let value = match product {
                        Product::Value(value) => value,
                        Product::Module(module) => {
                            if let Some(name) = &step.info.name {
                                self.known().modules.insert(name.clone(), module);
                            }
                            None
                        }
                    };
                    if self.plan.result == Outcome::Step(n) {
                        values = Some(value.clone());
                    }
                    if let Some(name) = &step.info.name {
                        observer.event(&Event::Variable(name, value.as_ref()));
                        self.set(name, value);
                    }
                    progress.done(n, steps);
                }
                Err(failure) => {
                    records[n].state = State::Failed;
                    observer.event(&Event::Error(&step.info, &failure));
                    return Err(failure);
                }
            }
        }
        Ok(match self.plan.result {
            Outcome::Nothing => Some(Datum::object::<&str>([])),
            Outcome::Created => Some(Datum::object([("message", Datum::from("ok"))])),
            Outcome::Step(_) => values.flatten(),
        })
    }

    fn holds(&self, logic: &Logic) -> bool {
        match logic {
            Logic::Word(word) => self.variable(&word.text).is_some_and(|value| value.view().is_truthy()),
            Logic::Not(inner) => !self.holds(inner),
            Logic::All(parts) => parts.iter().all(|part| self.holds(part)),
            Logic::Any(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a variable its value, or takes it away.
    pub fn set(&self, name: &Arc<str>, value: Option<Datum>) {
        let mut known = self.known();
        match value {
            Some(value) => known.variables.insert(name.clone(), value),
            None => known.variables.remove(name),
        };
    }

    /// A variable of the script itself.
    pub fn own(&self, name: &str) -> Option<Datum> {
        self.known().variables.get(name).cloned()
    }

    pub fn module(&self, name: &str) -> Option<Arc<dyn Module>> {
        self.known().modules.get(name).cloned()
    }

    pub fn add_table(&self, table: &Arc<Table>) {
        self.known().tables.insert(table.name.clone(), table.clone());
    }

    /// A table: of the script, or of the catalog.
    pub fn table(&self, name: &str) -> Option<Arc<Table>> {
        let own = self.known().tables.get(name).cloned();
        own.or_else(|| self.environment.catalog.table(name))
    }

    pub fn warn(&self, line: u32, message: impl Into<Arc<str>>, failure: Option<Failure>) {
        let warning = Warning { line, message: message.into(), failure };
        self.environment.observer.event(&Event::Warning(&warning));
        self.known().warnings.push(warning);
    }

    pub fn record(&self, made: Made) {
        self.known().requests.push(made);
    }

    /// Counts a call of a table.
    pub fn count_call(&self) -> Result<(), Failure> {
        let allowed = self.environment.limits.calls;
        if self.calls.fetch_add(1, Ordering::Relaxed) >= allowed {
            return Err(Failure::new("too_many_calls", format!("more than {allowed} calls of tables in one execution")).status(422));
        }
        Ok(())
    }

    fn headers(&self) -> Vec<(String, String)> {
        let Some(route) = &self.plan.route else { return Vec::new() };
        let request = self.environment.request;
        let lookup = |name: &str| -> Option<Datum> {
            let (root, rest) = name.split_once('.').unwrap_or((name, ""));
            let variable = self.variable(root).and_then(|value| if rest.is_empty() { Some(value) } else { walk(value.view(), rest) });
            variable.or_else(|| walk(request.query.view(), name)).or_else(|| walk(request.headers.view(), name))
        };
        let format = |template: &crate::template::text::TextTemplate| template.format(&lookup, Missing::Drop);
        route.headers.iter().map(|(name, value)| (format(name), format(value))).collect()
    }
}

impl Variables for Run<'_> {
    fn variable(&self, name: &str) -> Option<Datum> {
        self.own(name)
            .or_else(|| self.environment.request.variable(name))
            .or_else(|| (name == "config").then(|| self.environment.config.clone()))
    }
}

/// The variables of the script alone, for parameters: what came with the request is weaker than a statement's parameters, but these have an order of their own.
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

/// Which steps can start.
struct Progress {
    /// For how many steps each waits.
    waiting: Vec<usize>,
    dependents: Vec<Vec<usize>>,
    /// Which way each choice went.
    decided: Vec<Option<bool>>,
    /// Steps that can start, those first that need no backend.
    ready: BTreeSet<(u8, usize)>,
    /// Steps that are not done, those aside that wait for all.
    left: usize,
}

impl Progress {
    fn new(steps: &[Step]) -> Progress {
        let mut this = Progress {
            waiting: steps.iter().map(|step| step.after.len() + usize::from(step.last)).collect(),
            dependents: vec![Vec::new(); steps.len()],
            decided: vec![None; steps.len()],
            ready: BTreeSet::new(),
            left: steps.iter().filter(|step| !step.last).count(),
        };
        for (n, step) in steps.iter().enumerate() {
            step.after.iter().for_each(|before| this.dependents[*before].push(n));
        }
        if this.left == 0 {
            this.all_done(steps);
        }
        (0..steps.len()).filter(|n| this.waiting[*n] == 0).for_each(|n| {
            this.ready.insert((rank(&steps[n]), n));
        });
        this
    }

    fn done(&mut self, n: usize, steps: &[Step]) {
        for dependent in std::mem::take(&mut self.dependents[n]) {
            self.one_less(dependent, steps);
        }
        if !steps[n].last {
            self.left -= 1;
            if self.left == 0 {
                self.all_done(steps);
            }
        }
    }

    fn all_done(&mut self, steps: &[Step]) {
        (0..steps.len()).filter(|n| steps[*n].last).for_each(|n| self.one_less(n, steps));
    }

    fn one_less(&mut self, n: usize, steps: &[Step]) {
        self.waiting[n] -= 1;
        if self.waiting[n] == 0 {
            self.ready.insert((rank(&steps[n]), n));
        }
    }
}

/// Tables are made first; then comes what needs no backend, so that its values are there for the parameters of requests.
fn rank(step: &Step) -> u8 {
    let Work::Statement(operations) = &step.work else { return 1 };
    match operations.first() {
        Some(Operation::Create(_)) => 0,
        Some(operation) => {
            let mut tables = Vec::new();
            operation.tables(&mut tables);
            if tables.is_empty() { 1 } else { 2 }
        }
        None => 1,
    }
}
