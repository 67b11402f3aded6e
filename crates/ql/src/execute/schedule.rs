//! Steps in their order (docs/spec/ql.md 6.2, 6.5, 6.6).

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use polywire_doc::Datum;
use tracing::Instrument;

use super::environment::Environment;
use super::execution::{Execution, StepRecord, StepState};
use super::operation::{Product, StepResult};
use super::run::Run;
use crate::error::QueryError;
use crate::memory::Share;
use crate::observe::Event;
use crate::plan::{Operation, Outcome, Plan, PlanStep, StepWork};
use crate::syntax::ast::Logic;
use crate::template::reference::Variables;
use crate::template::text::{Missing, TextTemplate};
use crate::template::walk;

/// Executes a plan.
pub async fn execute(plan: &Plan, environment: &Environment<'_>) -> Execution {
    let memory = Arc::new(environment.memory.map(Share::of).unwrap_or_default());
    let run = Run::new(plan, environment, memory);
    run.execute().await
}

impl Run<'_> {
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
        Execution { result, headers, warnings: known.warnings, requests: known.requests, steps, elapsed, memory: self.work.share() }
    }

    async fn steps(&self, records: &mut [StepRecord]) -> Result<Option<Datum>, QueryError> {
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
                    records[n].state = StepState::Skipped;
                    progress.done(n, steps);
                    continue;
                }
                match &step.work {
                    StepWork::Decide(logic) => {
                        progress.decided[n] = Some(self.holds(logic));
                        records[n].state = StepState::Done;
                        progress.done(n, steps);
                    }
                    StepWork::Throw => {
                        if let Some(name) = &step.info.name {
                            self.set(name, Some(Datum::Text(name.clone())));
                        }
                        records[n].state = StepState::Done;
                        progress.done(n, steps);
                    }
                    StepWork::Statement(operations) => {
                        records[n].state = StepState::Begun;
                        let info = &step.info;
                        // Its text may hold secrets.
                        let span = tracing::info_span!("statement", kind = info.kind, line = info.line, error = tracing::field::Empty);
                        let statement = async move {
                            self.work.pause().await;
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
                    records[n].state = StepState::Done;
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
                    records[n].state = StepState::Failed;
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

    fn headers(&self) -> Vec<(String, String)> {
        let Some(route) = &self.plan.route else { return Vec::new() };
        let request = self.environment.request;
        let lookup = |name: &str| -> Option<Datum> {
            let (root, rest) = name.split_once('.').unwrap_or((name, ""));
            let variable = self.variable(root).and_then(|value| if rest.is_empty() { Some(value) } else { walk(value.view(), rest) });
            variable.or_else(|| walk(request.query.view(), name)).or_else(|| walk(request.headers.view(), name))
        };
        let format = |template: &TextTemplate| template.format(&lookup, Missing::Drop);
        route.headers.iter().map(|(name, value)| (format(name), format(value))).collect()
    }
}

/// The steps that can start.
struct Progress {
    /// Number of steps that each waits for.
    waiting: Vec<usize>,
    dependents: Vec<Vec<usize>>,
    /// The outcome of each choice.
    decided: Vec<Option<bool>>,
    /// Steps that can start, those first that need no backend.
    ready: BTreeSet<(u8, usize)>,
    /// Number of steps that are not done, without those that wait for all.
    left: usize,
}

impl Progress {
    fn new(steps: &[PlanStep]) -> Progress {
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

    fn done(&mut self, n: usize, steps: &[PlanStep]) {
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

    fn all_done(&mut self, steps: &[PlanStep]) {
        (0..steps.len()).filter(|n| steps[*n].last).for_each(|n| self.one_less(n, steps));
    }

    fn one_less(&mut self, n: usize, steps: &[PlanStep]) {
        self.waiting[n] -= 1;
        if self.waiting[n] == 0 {
            self.ready.insert((rank(&steps[n]), n));
        }
    }
}

/// Orders steps that can start. Tables are made first. Then come steps without a backend: requests
/// may need their values.
fn rank(step: &PlanStep) -> u8 {
    let StepWork::Statement(operations) = &step.work else { return 1 };
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
