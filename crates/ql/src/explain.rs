//! Explanations of a plan and of its execution: as a tree of text for people, and as a value for
//! programs. The first word of a script asks for one.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use polywire_doc::{Datum, Ref, Wanted};

use crate::execute::{Catalog, Execution, Made, StepState};
use crate::plan::{Columns, From, Operand, Operation, Origin, Outcome, Plan, PlanStep, Select, StepWork};
use crate::syntax::ast::VerbKind;
use crate::table::{Action, Table};

/// The explanation that a script asks for in place of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The plan, without running it: `explain`.
    Plan,
    /// The execution: `explain analyze`.
    Analysis,
}

/// Returns what a text asks for whose first word is `explain`, and the script without these words.
/// Blanks replace the words, so lines and columns stay. An assignment to a variable `explain` is an
/// ordinary script.
pub fn asked(text: &str) -> Option<(Asked, String)> {
    let mut script = text.to_owned();
    let start = first_word(text, "explain")?;
    let after = start + "explain".len();
    let mut asked = Asked::Plan;
    let mut end = after;
    if let Some(at) = first_word(&text[after..], "analyze") {
        asked = Asked::Analysis;
        end = after + at + "analyze".len();
    }
    let blanks: String = text[..end].chars().map(|c| if c.is_ascii_whitespace() { c } else { ' ' }).collect();
    script.replace_range(..end, &blanks);
    Some((asked, script))
}

/// Returns the place of a text's first word, if it is `word` and something other than an assignment
/// follows it.
fn first_word(text: &str, word: &str) -> Option<usize> {
    let trimmed = text.trim_ascii_start();
    let rest = trimmed.strip_prefix(word)?;
    let is_word = rest.starts_with(|c: char| c.is_ascii_whitespace()) && !rest.trim_ascii_start().starts_with('=');
    is_word.then_some(text.len() - trimmed.len())
}

/// Deepest level that is indented; those below are indented as far as this one.
const INDENTED: usize = 20;

/// Returns the plan as a tree: the result first, and below each step those that it waits for, each
/// once; then the plan's warnings. `catalog` has the tables that the script does not make.
pub fn text(plan: &Plan, catalog: &dyn Catalog) -> String {
    let mut out = print(plan, catalog, None);
    warnings(plan, &mut out);
    out
}

/// Returns the plan as a tree with its execution: how each step ended, its time, and its requests.
pub fn analyzed_text(plan: &Plan, catalog: &dyn Catalog, execution: &Execution) -> String {
    let mut out = print(plan, catalog, Some(execution));
    let bytes: u64 = execution.requests.iter().map(|made| made.bytes_in).sum();
    let skipped: u64 = execution.requests.iter().map(|made| made.bytes_skipped).sum();
    let requests = match execution.requests.len() {
        1 => "1 request".to_string(),
        count => format!("{count} requests"),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{requests}, {bytes} bytes in, {skipped} of them skipped, {}", millis(execution.elapsed));
    let sums = Sums::of(&execution.requests);
    if let Some(line) = sums.line() {
        let _ = writeln!(out, "{line}");
    }
    warnings(plan, &mut out);
    for warning in &execution.warnings {
        let _ = writeln!(out, "warning, line {}: {}", warning.line, warning.message);
    }
    if let Err(failure) = &execution.result {
        let _ = writeln!(out, "failed: {failure}");
    }
    out
}

/// Adds the warnings of a plan.
fn warnings(plan: &Plan, out: &mut String) {
    for warning in &plan.warnings {
        let (line, _) = plan.source.line_column(warning.at.start as usize);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "warning, line {line}: {} ({})", warning.message, warning.hint);
    }
}

/// Returns the plan as a value: `{result, steps: [{id, line, kind, name?, text, after, guard?,
/// alternatives}], warnings?}`.
pub fn value(plan: &Plan, catalog: &dyn Catalog) -> Datum {
    described(plan, catalog, None)
}

/// Returns the plan as a value with its execution. Each step also has `state`, `startedMs`,
/// `elapsedMs`, `alternative` and `requests`; the whole has `elapsedMs`, `sums`, `warnings`, and
/// `failure` if it failed.
pub fn analyzed_value(plan: &Plan, catalog: &dyn Catalog, execution: &Execution) -> Datum {
    described(plan, catalog, Some(execution))
}

/// Counts of an execution's requests.
struct Sums([(&'static str, &'static str, u64); 5]);

impl Sums {
    fn of(requests: &[Made]) -> Sums {
        let count = |of: &dyn Fn(&Made) -> bool| requests.iter().filter(|made| of(made)).count() as u64;
        Sums([
            ("shared", "shared", count(&|made| made.shared)),
            ("pages", "pages", count(&|made| made.page > 0)),
            ("batches", "batches", count(&|made| made.values > 1 && made.page <= 1)),
            ("retries", "retries", requests.iter().map(|made| u64::from(made.retries)).sum()),
            ("leftAlone", "left alone", count(&|made| made.left_alone)),
        ])
    }

    /// Returns a line of those that are not zero, if there is one.
    fn line(&self) -> Option<String> {
        let counts: Vec<String> =
            self.0.iter().filter(|(_, _, count)| *count > 0).map(|(_, name, count)| format!("{name}: {count}")).collect();
        (!counts.is_empty()).then(|| counts.join(", "))
    }

    fn value(&self) -> Datum {
        Datum::object(self.0.iter().map(|(name, _, count)| (*name, Datum::UInt(*count))))
    }
}

fn print(plan: &Plan, catalog: &dyn Catalog, execution: Option<&Execution>) -> String {
    let mut out = String::new();
    let mut shown = vec![false; plan.steps.len()];
    let roots: Vec<usize> = match plan.result {
        Outcome::Step(step) => vec![step],
        Outcome::Nothing | Outcome::Created => Vec::new(),
    };
    let mut depended = vec![false; plan.steps.len()];
    plan.steps.iter().flat_map(|step| &step.after).for_each(|before| depended[*before] = true);
    let orphans = (0..plan.steps.len()).filter(|n| !depended[*n] && !roots.contains(n));
    let mut open: Vec<(usize, usize)> = roots.iter().copied().chain(orphans).map(|n| (n, 0)).collect();
    open.reverse();
    while let Some((n, depth)) = open.pop() {
        let step = &plan.steps[n];
        let indent = "  ".repeat(depth.min(INDENTED));
        // Writing to a String cannot fail.
        if std::mem::replace(&mut shown[n], true) {
            let _ = writeln!(out, "{indent}#{n} (above)");
            continue;
        }
        let result = if plan.result == Outcome::Step(n) { ", the result" } else { "" };
        let _ = write!(out, "{indent}#{n} line {}{result}: {}", step.info.line, step.info.text);
        if let Some(execution) = execution {
            let record = execution.steps[n];
            let _ = write!(out, " [{}", state(record.state));
            if record.state == StepState::Done && record.alternative > 0 {
                let _ = write!(out, " by fallback {}", record.alternative);
            }
            let _ = write!(out, ", {}]", millis(record.elapsed));
        }
        out.push('\n');
        for note in notes(step, &|name| table(plan, catalog, name)) {
            let _ = writeln!(out, "{indent}     {note}");
        }
        for made in execution.into_iter().flat_map(|execution| &execution.requests).filter(|made| made.step == n) {
            let _ = writeln!(out, "{indent}     {}", request(made));
        }
        open.extend(step.after.iter().rev().map(|before| (*before, depth + 1)));
    }
    out
}

fn request(made: &Made) -> String {
    let status = if made.status == 0 { "no reply".to_string() } else { made.status.to_string() };
    let mut text = format!(
        "{} {} → {status}, {}, {} bytes in, {} skipped",
        made.method,
        made.uri,
        millis(made.elapsed),
        made.bytes_in,
        made.bytes_skipped
    );
    if let Some(status) = made.rpc_status {
        let _ = write!(text, ", {status}");
    }
    if made.cached {
        text.push_str(", from the cache");
    }
    if made.shared {
        text.push_str(", shared");
    }
    if made.page > 0 {
        let _ = write!(text, ", page {}", made.page);
    }
    if made.values > 1 {
        let _ = write!(text, ", {} values", made.values);
    }
    if made.left_alone {
        text.push_str(", left alone");
    }
    if made.retries > 0 {
        let _ = write!(text, ", {} times again", made.retries);
    }
    if let Some(failure) = &made.failure {
        let _ = write!(text, ": {failure}");
    }
    text
}

fn state(state: StepState) -> &'static str {
    match state {
        StepState::Waiting => "not reached",
        StepState::Begun => "not ended",
        StepState::Done => "done",
        StepState::Skipped => "skipped",
        StepState::Failed => "failed",
    }
}

fn millis(elapsed: Duration) -> String {
    format!("{:.1} ms", elapsed.as_secs_f64() * 1000.0)
}

/// Returns notes on what the statement's text does not show.
fn notes(step: &PlanStep, table: &Tables<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((choice, way)) = step.guard {
        notes.push(format!("only if #{choice} {}", if way { "holds" } else { "does not hold" }));
    }
    if step.last {
        notes.push("when everything is done".to_string());
    }
    if let StepWork::Statement(operations) = &step.work {
        for operation in operations {
            match operation {
                Operation::Select(select) => selects(select, table, &mut notes),
                Operation::Insert(insert) => notes.push(format!("insert into {}", origin(&insert.into))),
                Operation::Update(update) => notes.push(format!("update {}", origin(&update.origin))),
                Operation::Delete(delete) => notes.push(format!("delete from {}", origin(&delete.from))),
                _ => {}
            }
        }
    }
    notes
}

/// Finds the table of a name.
type Tables<'t> = dyn Fn(&str) -> Option<Arc<Table>> + 't;

fn table(plan: &Plan, catalog: &dyn Catalog, name: &str) -> Option<Arc<Table>> {
    plan.tables.iter().find(|table| &*table.name == name).cloned().or_else(|| catalog.table(name))
}

/// Returns how the service behind a source is asked.
fn asking(from: &From, table: &Tables<'_>) -> Vec<(&'static str, Datum)> {
    let Origin::Table(name) = &from.origin else { return Vec::new() };
    table(name).and_then(|table| table.action(VerbKind::Select).map(Action::asking)).unwrap_or_default()
}

fn selects(select: &Select, table: &Tables<'_>, notes: &mut Vec<String>) {
    for (n, from) in select.sides().enumerate() {
        let how = match n {
            0 => "reads",
            _ => "for each row reads",
        };
        notes.push(format!("{how} {}: {}", origin(&from.origin), looked_at(from)));
        notes.extend(asking(from, table).iter().map(|(name, value)| note(name, value)));
        for condition in &from.conditions {
            if let Operand::Select(inner) = &condition.operand {
                notes.push(format!("for {}:", condition.name));
                selects(inner, table, notes);
            }
        }
    }
}

/// Returns a note on how a service is asked.
fn note(name: &str, value: &Datum) -> String {
    let value = value.view();
    let text = |value: Ref<'_>| value.as_str().unwrap_or_default().to_owned();
    match name {
        "pages" => format!("in pages {}", text(value)),
        "batches" => {
            let batches: Vec<String> = value.members().map(|(name, path)| format!("{name} by {}", text(path))).collect();
            format!("in batches of {}", batches.join(", "))
        }
        _ if value.is_truthy() => "equal requests share a reply".to_owned(),
        _ => "equal requests never share a reply".to_owned(),
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Table(name) => format!("table {name}"),
        Origin::Variable(name) => format!("variable {name}"),
        Origin::File(file) => format!("file {}", file.path),
    }
}

fn looked_at(from: &From) -> String {
    let wanted = from.narrowed.as_ref().unwrap_or(&from.wanted);
    if wanted.is_everything() {
        return "everything".to_string();
    }
    let text = wanted.to_string();
    if text.is_empty() { "nothing of its rows".to_string() } else { text }
}

fn described(plan: &Plan, catalog: &dyn Catalog, execution: Option<&Execution>) -> Datum {
    let number = |n: usize| Datum::UInt(n as u64);
    let ms = |elapsed: Duration| Datum::F64(elapsed.as_secs_f64() * 1000.0);
    let steps = plan.steps.iter().enumerate().map(|(n, step)| {
        let mut members = vec![
            ("id", number(n)),
            ("line", Datum::UInt(step.info.line.into())),
            ("kind", Datum::from(step.info.kind)),
            ("text", Datum::Text(step.info.text.clone())),
            ("after", Datum::list(step.after.iter().map(|before| number(*before)))),
        ];
        members.extend(step.info.name.clone().map(|name| ("name", Datum::Text(name))));
        if let Some((choice, way)) = step.guard {
            members.push(("guard", Datum::object([("step", number(choice)), ("way", Datum::Bool(way))])));
        }
        if let StepWork::Statement(operations) = &step.work {
            members.push(("alternatives", Datum::list(operations.iter().map(|one| operation(one, &|name| table(plan, catalog, name))))));
        }
        if let Some(execution) = execution {
            let record = execution.steps[n];
            members.extend([
                ("state", Datum::from(state(record.state))),
                ("startedMs", ms(record.started)),
                ("elapsedMs", ms(record.elapsed)),
                ("alternative", number(record.alternative)),
            ]);
            let made = execution.requests.iter().filter(|made| made.step == n).map(|made| {
                let mut members = vec![
                    ("table", Datum::Text(made.table.clone())),
                    ("method", Datum::from(made.method.as_str())),
                    ("uri", Datum::from(made.uri.as_str())),
                    ("status", Datum::UInt(made.status.into())),
                    ("elapsedMs", ms(made.elapsed)),
                    ("bytesIn", Datum::UInt(made.bytes_in)),
                    ("bytesSkipped", Datum::UInt(made.bytes_skipped)),
                    ("cached", Datum::Bool(made.cached)),
                    ("retries", Datum::UInt(made.retries.into())),
                    ("shared", Datum::Bool(made.shared)),
                    ("values", Datum::UInt(made.values as u64)),
                    ("leftAlone", Datum::Bool(made.left_alone)),
                ];
                members.extend(made.rpc_status.map(|status| ("rpcStatus", Datum::from(status))));
                members.extend((made.page > 0).then(|| ("page", Datum::UInt(made.page.into()))));
                members.extend(made.failure.as_deref().map(|failure| ("failure", Datum::from(failure))));
                Datum::object(members)
            });
            members.push(("requests", Datum::list(made)));
        }
        Datum::object(members)
    });
    let mut members = vec![("steps", Datum::list(steps))];
    if let Outcome::Step(step) = plan.result {
        members.push(("result", number(step)));
    }
    let of_plan = plan.warnings.iter().map(|warning| Datum::from(warning.message.as_str()));
    let of_run = execution.into_iter().flat_map(|execution| &execution.warnings).map(|warning| Datum::Text(warning.message.clone()));
    let warnings: Vec<Datum> = of_plan.chain(of_run).collect();
    if execution.is_some() || !warnings.is_empty() {
        members.push(("warnings", Datum::from(warnings)));
    }
    if let Some(execution) = execution {
        members.push(("elapsedMs", ms(execution.elapsed)));
        members.push(("sums", Sums::of(&execution.requests).value()));
        members.extend(execution.result.as_ref().err().map(|failure| ("failure", failure.to_datum())));
    }
    Datum::object(members)
}

fn operation(operation: &Operation, table: &Tables<'_>) -> Datum {
    let mut members = vec![("kind", Datum::from(operation.kind()))];
    if let Operation::Select(select) = operation {
        members.push(("reads", Datum::list(select.sides().map(|from| side(from, table)))));
        if let Columns::These(columns) = &select.columns {
            members.push(("columns", Datum::UInt(columns.len() as u64)));
        }
    }
    let mut tables = Vec::new();
    operation.tables(&mut tables);
    if !tables.is_empty() {
        members.push(("tables", Datum::list(tables.into_iter().map(Datum::Text))));
    }
    Datum::object(members)
}

fn side(from: &From, table: &Tables<'_>) -> Datum {
    let kind = match from.origin {
        Origin::Table(_) => "table",
        Origin::Variable(_) => "variable",
        Origin::File(_) => "file",
    };
    let wanted: &Wanted = from.narrowed.as_ref().unwrap_or(&from.wanted);
    let members = [(kind, Datum::Text(from.origin.name().clone())), ("wanted", Datum::from(wanted.to_string()))];
    Datum::object(members.into_iter().chain(asking(from, table)))
}
