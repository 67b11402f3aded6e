//! Scripts become plans.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Place, Severity, Source};
use polywire_doc::Datum;

use super::model::{MAX_STEPS, Outcome, Plan, PlanStep, StepWork};
use super::operation::Operation;
use super::statement::Maker;
use super::{graph, needs};
use crate::reads;
use crate::route::Route;
use crate::rules::{self, Symbols};
use crate::statement::StatementInfo;
use crate::syntax;
use crate::syntax::ast::{Comment, If, Item, Line, Logic, Rhs, Script, StatementKind, Try, Word};
use crate::table::Table;
use crate::template::reference::Reference;
use crate::template::value::ValueTemplate;

/// Longest text of a statement that is kept for messages, in characters.
const SHOWN: usize = 120;

impl Plan {
    /// Reads, checks and plans a script. Its tables have their files in `folder`, and their tokens
    /// filled from `config`.
    ///
    /// # Errors
    /// All mistakes that one run can find.
    pub fn new(source: &Source, config: &Datum, folder: Option<&Path>) -> Result<Plan, Diagnostics> {
        let script = syntax::parse(source)?;
        plan(source, &script, config, folder).map_err(|findings| Diagnostics { sources: vec![source.clone()], findings })
    }

    /// Returns the tables of a text that makes tables, as a file in a directory of tables is.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn tables(source: &Source, config: &Datum, folder: Option<&Path>) -> Result<Vec<Arc<Table>>, Diagnostics> {
        Plan::new(source, config, folder).map(|plan| plan.tables)
    }
}

fn plan(source: &Source, script: &Script, config: &Datum, folder: Option<&Path>) -> Result<Plan, Vec<Diagnostic>> {
    let (symbols, mut found) = rules::check(script);
    if !found.is_empty() {
        found.sort_by_key(|finding| finding.at);
        return Err(found);
    }
    let mut builder = Builder {
        source,
        lines: source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
        maker: Maker { symbols: &symbols },
        symbols: &symbols,
        config,
        folder,
        steps: Vec::new(),
        reads: Vec::new(),
        setters: HashMap::new(),
        creators: HashMap::new(),
        tables: Vec::new(),
        warnings: Vec::new(),
        found: Vec::new(),
        last_line: None,
    };
    builder.items(&script.items, None);
    let result = builder.result(script);
    let route = builder.route(script);
    builder.finish(result, route)
}

struct Builder<'a> {
    source: &'a Source,
    /// Ends of lines.
    lines: Vec<usize>,
    maker: Maker<'a>,
    symbols: &'a Symbols,
    config: &'a Datum,
    folder: Option<&'a Path>,
    steps: Vec<PlanStep>,
    /// Names that each step reads.
    reads: Vec<Vec<String>>,
    /// The steps that give a name its value.
    setters: HashMap<String, Vec<usize>>,
    /// The steps that make a table, by its name.
    creators: HashMap<String, Vec<usize>>,
    tables: Vec<Arc<Table>>,
    warnings: Vec<Diagnostic>,
    found: Vec<Diagnostic>,
    /// The last statement at the top level that makes no table.
    last_line: Option<usize>,
}

impl Builder<'_> {
    fn items(&mut self, items: &[Item], guard: Option<(usize, bool)>) {
        let mut comments: Vec<&Comment> = Vec::new();
        for item in items {
            // The limit is reported already.
            if self.steps.len() > MAX_STEPS {
                return;
            }
            match item {
                Item::Comment(comment) => {
                    comments.push(comment);
                    continue;
                }
                Item::Line(line) => self.line(line, guard, &comments),
                Item::Throw(name) => {
                    let step = self.push("throw", name.at.0, Some(name), StepWork::Throw, guard, Vec::new());
                    self.setters.entry(name.text.clone()).or_default().push(step);
                }
                Item::If(choice) => self.choice(choice, guard),
                Item::Try(attempt) => self.attempt(attempt, guard),
            }
            comments.clear();
        }
    }

    fn choice(&mut self, choice: &If, guard: Option<(usize, bool)>) {
        let decision = self.decide("if", &choice.condition, choice.at.0, guard);
        self.items(&choice.then, Some((decision, true)));
        self.items(choice.otherwise.as_deref().unwrap_or_default(), Some((decision, false)));
    }

    fn attempt(&mut self, attempt: &Try, guard: Option<(usize, bool)>) {
        let from = self.steps.len();
        self.items(&attempt.body, guard);
        let body: Vec<usize> = (from..self.steps.len()).collect();
        for catch in &attempt.catches {
            let decision = self.decide("catch", &catch.condition, catch.at.0, guard);
            self.steps[decision].after.extend(&body);
            self.items(&catch.body, Some((decision, true)));
        }
        let before: Vec<usize> = (from..self.steps.len()).collect();
        let from = self.steps.len();
        self.items(attempt.finally.as_deref().unwrap_or_default(), guard);
        for step in &mut self.steps[from..] {
            step.after.extend(&before);
        }
    }

    fn decide(&mut self, kind: &'static str, logic: &Logic, at: Place, guard: Option<(usize, bool)>) -> usize {
        let mut words = Vec::new();
        reads::logic_words(logic, &mut words);
        let reads = words.into_iter().map(|word| word.text.clone()).collect();
        self.push(kind, at, None, StepWork::Decide(logic.clone()), guard, reads)
    }

    fn line(&mut self, line: &Line, guard: Option<(usize, bool)>, comments: &[&Comment]) {
        let mut reads = Vec::new();
        let operations: Vec<Operation> = line.alternatives.iter().filter_map(|rhs| self.operation(rhs, comments, &mut reads)).collect();
        let Some(kind) = operations.first().map(Operation::kind) else { return };
        let creates: Vec<String> = operations
            .iter()
            .filter_map(|operation| if let Operation::Create(table) = operation { Some(table.name.to_string()) } else { None })
            .collect();
        let is_create = kind == "create";
        let step = self.push(kind, line.at.0, line.name.as_ref(), StepWork::Statement(operations), guard, reads);
        if let Some(name) = &line.name {
            self.setters.entry(name.text.clone()).or_default().push(step);
        }
        for name in creates {
            self.creators.entry(name).or_default().push(step);
        }
        if !is_create || line.name.is_some() {
            self.last_line = Some(step);
        }
    }

    fn operation(&mut self, rhs: &Rhs, comments: &[&Comment], reads: &mut Vec<String>) -> Option<Operation> {
        match rhs {
            Rhs::Statement(statement) => {
                reads.extend(reads::statement_variables(&statement.kind));
                if let StatementKind::Create(create) = &statement.kind {
                    let about = about(comments);
                    let table = Arc::new(Table::new(create, about, self.folder, self.config));
                    self.warn_of_templates(&table, create.name.at.0);
                    self.tables.push(table.clone());
                    return Some(Operation::Create(table));
                }
                self.maker.statement(&statement.kind)
            }
            Rhs::Value(value) => {
                reads.extend(reads::value_variables(value));
                Some(Operation::Value(ValueTemplate::new(value)))
            }
            Rhs::Call(call) => {
                reads.extend(reads::call_variables(call));
                Some(self.maker.call(call))
            }
            Rhs::Variable(word) => {
                reads.push(word.text.clone());
                Some(Operation::Value(ValueTemplate::Reference(Reference::to(&word.text))))
            }
        }
    }

    fn warn_of_templates(&mut self, table: &Table, at: Place) {
        for action in table.actions() {
            if let Err(what) = &action.uri {
                let message = format!("table {}, on {}: {what}", table.name, action.verb.name());
                let mut warning = Diagnostic::error("bad_uri_template", at, message).hint("calls of this verb will fail");
                warning.severity = Severity::Warning;
                self.warnings.push(warning);
            }
        }
    }

    fn push(
        &mut self,
        kind: &'static str,
        at: Place,
        name: Option<&Word>,
        work: StepWork,
        guard: Option<(usize, bool)>,
        reads: Vec<String>,
    ) -> usize {
        let id = self.steps.len();
        if id == MAX_STEPS {
            self.found.push(
                Diagnostic::error("too_many_statements", at, format!("more than {MAX_STEPS} statements")).hint("cut the script in several"),
            );
        }
        let line = self.lines.partition_point(|end| *end < at.start as usize) + 1;
        let text = &self.source.text[at.range()];
        let mut shown: String = text.split_whitespace().flat_map(|word| [" ", word]).skip(1).flat_map(str::chars).take(SHOWN).collect();
        if text.len() > shown.len() && shown.chars().count() == SHOWN {
            shown.push('…');
        }
        if let StepWork::Decide(_) = &work {
            shown.insert(0, ' ');
            shown.insert_str(0, kind);
        }
        let info =
            StatementInfo { id: id as u32, line: line as u32, kind, text: shown.into(), name: name.map(|name| name.text.as_str().into()) };
        self.steps.push(PlanStep { info, at, work, after: guard.map(|(step, _)| step).into_iter().collect(), guard, last: false });
        self.reads.push(reads);
        id
    }

    fn result(&mut self, script: &Script) -> Outcome {
        let Some(result) = &script.result else {
            return match (self.last_line, self.steps.last()) {
                (Some(step), _) => Outcome::Step(step),
                (None, None) => Outcome::Nothing,
                (None, Some(_)) => Outcome::Created,
            };
        };
        let mut reads = Vec::new();
        let operations: Vec<Operation> = result.alternatives.iter().filter_map(|rhs| self.operation(rhs, &[], &mut reads)).collect();
        let last = matches!(operations.first(), Some(Operation::Value(_)));
        let kind = operations.first().filter(|_| !last).map_or("return", Operation::kind);
        let step = self.push(kind, result.at.0, None, StepWork::Statement(operations), None, reads);
        self.steps[step].last = last;
        Outcome::Step(step)
    }

    fn route(&mut self, script: &Script) -> Option<Arc<Route>> {
        let clause = script.result.as_ref()?.route.as_ref()?;
        // Comments before the return, or at the head of the file, describe the route.
        let comments: Vec<&Comment> =
            script.items.iter().rev().map_while(|item| if let Item::Comment(comment) = item { Some(comment) } else { None }).collect();
        let comments: Vec<&Comment> = if comments.is_empty() {
            script.items.iter().map_while(|item| if let Item::Comment(comment) = item { Some(comment) } else { None }).collect()
        } else {
            comments.into_iter().rev().collect()
        };
        match Route::new(clause, about(&comments), self.folder, self.config) {
            Ok((route, warnings)) => {
                self.warnings.extend(warnings);
                Some(Arc::new(route))
            }
            Err(finding) => {
                self.found.push(*finding);
                None
            }
        }
    }

    fn finish(mut self, result: Outcome, route: Option<Arc<Route>>) -> Result<Plan, Vec<Diagnostic>> {
        if !self.found.is_empty() {
            self.found.sort_by_key(|finding| finding.at);
            return Err(self.found);
        }
        for n in 0..self.steps.len() {
            let mut after = std::mem::take(&mut self.steps[n].after);
            for name in &self.reads[n] {
                after.extend(self.setters.get(name).into_iter().flatten());
                if !self.symbols.has(name) {
                    after.extend(self.creators.get(name).into_iter().flatten());
                }
            }
            after.sort_unstable();
            after.dedup();
            after.retain(|before| *before != n);
            self.steps[n].after = after;
        }
        if let Err(circle) = graph::order(&self.steps) {
            return Err(vec![graph::diagnose(&self.steps, &circle)]);
        }
        let mut plan = Plan { source: self.source.clone(), steps: self.steps, result, route, tables: self.tables, warnings: self.warnings };
        needs::narrow(&mut plan);
        needs::write(&mut plan);
        Ok(plan)
    }
}

/// Joins comments to one Markdown text, without the decoration of their lines.
fn about(comments: &[&Comment]) -> String {
    let mut text = String::new();
    for comment in comments {
        if comment.block {
            for line in comment.text.trim_start_matches('*').lines() {
                let line = line.trim();
                let line = line.strip_prefix('*').map_or(line, str::trim_start);
                text.push_str(line);
                text.push('\n');
            }
        } else {
            text.push_str(comment.text.trim());
            text.push('\n');
        }
    }
    text.trim().to_string()
}
