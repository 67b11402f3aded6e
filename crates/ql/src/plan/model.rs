//! Plans and their steps.

use std::sync::Arc;

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Source};

use super::operation::Operation;
use crate::files::{self, File};
use crate::route::Route;
use crate::statement::StatementInfo;
use crate::syntax::ast::Logic;
use crate::table::Table;

/// Most statements of a script.
pub const MAX_STEPS: usize = 2000;

/// A script, ready to be executed.
#[derive(Debug)]
pub struct Plan {
    /// The script.
    pub source: Source,
    /// Steps, in the order of the text. The last is the returned value, if that is no step by
    /// itself.
    pub steps: Vec<PlanStep>,
    /// Source of the result.
    pub result: Outcome,
    /// The route that the script answers.
    pub route: Option<Arc<Route>>,
    /// Tables that the script makes, even if their statement is not reached.
    pub tables: Vec<Arc<Table>>,
    /// Warnings: texts that may not mean what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// The source of a script's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The value of a step.
    Step(usize),
    /// No statement: an empty object.
    Nothing,
    /// Only tables: `{"message": "ok"}`.
    Created,
}

/// A step of a plan.
#[derive(Debug)]
pub struct PlanStep {
    /// The statement.
    pub info: StatementInfo,
    /// Its place in the script.
    pub at: Place,
    /// The work of the step.
    pub work: StepWork,
    /// Steps that must be done before.
    pub after: Vec<usize>,
    /// The choice that it depends on, and the way that this must go.
    pub guard: Option<(usize, bool)>,
    /// True if it waits for all others: a returned value, which is made when everything is done.
    pub last: bool,
}

impl PlanStep {
    /// Returns whether it makes this table.
    pub fn makes(&self, table: &Arc<Table>) -> bool {
        let StepWork::Statement(operations) = &self.work else { return false };
        operations.iter().any(|operation| matches!(operation, Operation::Create(made) if Arc::ptr_eq(made, table)))
    }
}

/// The work of a step.
#[derive(Debug)]
pub enum StepWork {
    /// A statement, then its fallbacks.
    Statement(Vec<Operation>),
    /// Decides a choice.
    Decide(Logic),
    /// Raises an exception.
    Throw,
}

impl Plan {
    /// Returns the names of the tables that its statements insert into, update or delete from.
    pub fn written_tables(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for step in &self.steps {
            if let StepWork::Statement(operations) = &step.work {
                names.extend(operations.iter().filter_map(Operation::written_table).cloned());
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// Returns true if a statement of it inserts into a table, updates or deletes from one.
    pub fn writes(&self) -> bool {
        let is_write = |operation: &Operation| operation.written_table().is_some();
        self.steps.iter().any(|step| matches!(&step.work, StepWork::Statement(operations) if operations.iter().any(is_write)))
    }

    /// Returns the files that its statements read.
    pub fn files(&self) -> Vec<Arc<File>> {
        let mut files = Vec::new();
        for step in &self.steps {
            if let StepWork::Statement(operations) = &step.work {
                operations.iter().for_each(|operation| operation.files(&mut files));
            }
        }
        files
    }

    /// Returns the plan again, for an execution where nothing reads files.
    ///
    /// # Errors
    /// It reads some: an error for each of them.
    pub fn without_files(self) -> Result<Plan, Diagnostics> {
        let finding = |file: &Arc<File>| Diagnostic::error(files::REFUSED, file.at.0, files::refusal(&file.path)).hint(files::ADVICE);
        let findings: Vec<Diagnostic> = self.files().iter().map(finding).collect();
        if findings.is_empty() { Ok(self) } else { Err(Diagnostics { sources: vec![self.source], findings }) }
    }

    /// Returns the names of the tables that it uses and does not make.
    pub fn uses(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for step in &self.steps {
            if let StepWork::Statement(operations) = &step.work {
                operations.iter().for_each(|operation| operation.tables(&mut names));
            }
        }
        names.retain(|name| !self.tables.iter().any(|table| table.name == *name));
        names.sort();
        names.dedup();
        names
    }
}
