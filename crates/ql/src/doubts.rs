//! Doubts about a script: it compiles, but a part of it has no effect, or reads what is not there.
//! A directory reports them as warnings, or as errors if it is strict.

use std::collections::HashSet;
use std::sync::Arc;

use polywire_core::text::diagnostic::{Diagnostic, Place};
use polywire_doc::Datum;

use crate::plan::{ColumnPath, Columns, Condition, From, Insert, Inserted, Member, Operand, Operation, Origin, Plan, Select, StepWork};
use crate::syntax::ast::VerbKind;
use crate::table::{Action, DefaultValue, Table};
use crate::template::reference::Reference;
use crate::template::walk;

/// Most doubts about one script: the first ones say enough.
const MOST: usize = 100;

/// Returns the doubts about a script, in the order of its text. `table` finds the tables that it
/// does not make itself.
pub fn doubts(plan: &Plan, table: &dyn Fn(&str) -> Option<Arc<Table>>, config: &Datum) -> Vec<Diagnostic> {
    let mut doubts = Doubts { plan, table, config, at: Place::default(), said: HashSet::new(), found: Vec::new() };
    for made in &plan.tables {
        doubts.at = plan.steps.iter().find(|step| step.makes(made)).map(|step| step.at).unwrap_or_default();
        doubts.made(made);
    }
    for step in &plan.steps {
        doubts.at = step.at;
        if let StepWork::Statement(operations) = &step.work {
            operations.iter().for_each(|operation| doubts.operation(operation));
        }
    }
    doubts.found.sort_by_key(|doubt| doubt.at);
    doubts.found
}

struct Doubts<'d> {
    plan: &'d Plan,
    table: &'d dyn Fn(&str) -> Option<Arc<Table>>,
    config: &'d Datum,
    /// The statement that is looked at.
    at: Place,
    said: HashSet<(Place, String)>,
    found: Vec<Diagnostic>,
}

impl Doubts<'_> {
    fn doubt(&mut self, code: &'static str, message: String, hint: impl Into<String>) {
        if self.found.len() < MOST && self.said.insert((self.at, message.clone())) {
            self.found.push(Diagnostic::warning(code, self.at, message).hint(hint));
        }
    }

    /// Doubts a table that the script makes: the configuration lacks a key, or the URI a token.
    fn made(&mut self, table: &Table) {
        for action in table.actions() {
            for (name, _) in action.batches.iter().filter(|(name, _)| action.uri.is_ok() && action.several(name).is_none()) {
                let message = format!("table {}: its URI takes no several values of `{name}`: joins ask for one at a time", table.name);
                self.doubt("no_batch", message, format!("put {{50|{name}}} into its URI, or {{50|*{name}}} for a repeated parameter"));
            }
            for key in unconfigured(action, self.config) {
                let message = format!("table {}, on {}: the configuration has no `{key}`", table.name, action.verb.name());
                self.doubt("no_config", message, "add it to config.json: its place is left empty");
            }
        }
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Value(template) => {
                let mut references = Vec::new();
                template.references(&mut references);
                references.into_iter().for_each(|reference| self.reference(reference));
            }
            Operation::Select(select) => self.select(select),
            Operation::Insert(insert) => self.insert(insert),
            Operation::Update(update) => {
                if let Some((table, verb)) = self.action(&update.origin, VerbKind::Update).as_ref().and_then(sends_nothing) {
                    self.without_body(&table, verb, "the members of the object are");
                }
            }
            Operation::Delete(delete) => self.conditions(&delete.from, VerbKind::Delete, &delete.conditions),
            _ => {}
        }
    }

    fn select(&mut self, select: &Select) {
        if let Columns::These(columns) = &select.columns {
            for column in columns {
                if let ColumnPath::Function(name) = &column.path {
                    let message = format!("the function `{name}` among the columns is not called, and shows nothing");
                    self.doubt("column_function", message, "there are no aggregates: call a function of a module in the where clause");
                }
            }
        }
        self.side(&select.from);
        if let Some(join) = &select.join {
            self.side(&join.from);
            for (name, ..) in &join.equations {
                self.parameter(&join.from.origin, VerbKind::Select, name);
            }
        }
    }

    fn side(&mut self, from: &From) {
        self.conditions(&from.origin, VerbKind::Select, &from.conditions);
    }

    fn conditions(&mut self, origin: &Origin, verb: VerbKind, conditions: &[Condition]) {
        for condition in conditions {
            self.parameter(origin, verb, &condition.name);
            match &condition.operand {
                Operand::One(member) => self.member(member),
                Operand::Among(members) => members.iter().for_each(|member| self.member(member)),
                Operand::Select(select) => self.select(select),
            }
        }
    }

    /// Doubts a condition on a name that no part of the table's request has.
    fn parameter(&mut self, origin: &Origin, verb: VerbKind, name: &str) {
        let Some((table, verb)) = self.action(origin, verb) else { return };
        let Some(action) = table.action(verb) else { return };
        if !takes(action, name) {
            let message = format!("`{name}` is no parameter of table {}, on {}: the condition changes nothing", table.name, verb.name());
            self.doubt("no_parameter", message, format!("put {{{name}}} into its URI, or assign the rows to a name and select from that"));
        }
    }

    fn insert(&mut self, insert: &Insert) {
        match &insert.what {
            Inserted::Object(member) => {
                self.member(member);
                if let Some((table, verb)) = self.action(&insert.into, VerbKind::Insert).as_ref().and_then(sends_nothing) {
                    self.without_body(&table, verb, "the members of the object are");
                }
            }
            Inserted::Values(values) => {
                values.iter().for_each(|(_, member)| self.member(member));
                let Some((table, verb)) = self.action(&insert.into, VerbKind::Insert) else { return };
                let Some(action) = table.action(verb) else { return };
                let lost: Vec<String> =
                    values.iter().filter(|(name, _)| !takes(action, name)).map(|(name, _)| format!("`{name}`")).collect();
                if !lost.is_empty() {
                    let verb = if lost.len() == 1 { "is" } else { "are" };
                    self.without_body(&table, VerbKind::Insert, &format!("{} {verb}", lost.join(", ")));
                }
            }
            Inserted::Opaque(member) => self.member(member),
            Inserted::Body => {}
        }
    }

    fn without_body(&mut self, table: &Table, verb: VerbKind, what: &str) {
        let message = format!("table {} has no body template, on {}: {what} not sent", table.name, verb.name());
        self.doubt("no_template", message, "add `using bodyTemplate`, or insert one value: into t values (\"{object}\")");
    }

    fn member(&mut self, member: &Member) {
        if let Member::Reference(reference, _) = member {
            self.reference(reference);
        }
    }

    /// Doubts a reference to a key that the configuration lacks.
    fn reference(&mut self, reference: &Reference) {
        let Some(("config", path)) = reference.known() else { return };
        let Some(names) = path.names().filter(|names| !names.is_empty()) else { return };
        let name = names.join(".");
        let sets = self.plan.steps.iter().any(|step| step.info.name.as_deref() == Some("config"));
        if !sets && walk(self.config.view(), &name).is_none() {
            let message = format!("the configuration has no `{name}`");
            self.doubt("no_config", message, "add it to config.json: the reference is undefined");
        }
    }

    /// Returns the table that a statement calls, if it has the verb.
    fn action(&self, origin: &Origin, verb: VerbKind) -> Option<(Arc<Table>, VerbKind)> {
        let Origin::Table(name) = origin else { return None };
        let own = self.plan.tables.iter().find(|table| table.name == *name).cloned();
        let table = own.or_else(|| (self.table)(name))?;
        table.action(verb).is_some().then_some((table, verb))
    }
}

/// Returns the table again if its verb makes requests that depend on no parameter at all.
fn sends_nothing((table, verb): &(Arc<Table>, VerbKind)) -> Option<(Arc<Table>, VerbKind)> {
    let action = table.action(*verb)?;
    let depends = sees_all(action) || action.uri.as_ref().is_ok_and(|uri| !uri.roots().is_empty()) || !of_texts(action).is_empty();
    (!depends).then(|| (table.clone(), *verb))
}

/// Returns whether hooks or a template of a verb see all parameters.
fn sees_all(action: &Action) -> bool {
    action.patch.is_some() || action.auth.is_some() || action.body.is_some() || !action.expect.is_empty() || action.uri.is_err()
}

/// Returns the names that headers and defaults of a verb look up, up to the first dot.
fn of_texts(action: &Action) -> Vec<&str> {
    let headers = action.headers.iter().map(|(_, template)| template);
    let defaults = action.defaults.iter().filter_map(|(_, default)| match &default.value {
        DefaultValue::Text(template) => Some(template),
        DefaultValue::Value(_) => None,
    });
    headers.chain(defaults).flat_map(|template| template.roots()).collect()
}

/// Returns whether a request of the verb can depend on the parameter `name`.
fn takes(action: &Action, name: &str) -> bool {
    let root = name.split(['.', '[']).next().unwrap_or(name);
    let of_uri = || action.uri.as_ref().is_ok_and(|uri| uri.has(name) || uri.roots().contains(&root));
    sees_all(action) || name == "request-id" || of_uri() || of_texts(action).contains(&root)
}

/// Returns the keys of the configuration that a verb names and the configuration lacks.
pub fn unconfigured(action: &Action, config: &Datum) -> Vec<String> {
    let of_uri = action.uri.iter().flat_map(|uri| uri.parameters()).map(|parameter| parameter.name);
    let headers = action.headers_text.iter().flat_map(|(_, text)| names(text));
    let defaults = action.defaults.iter().filter_map(|(_, default)| default.written.view().as_str().map(names)).flatten();
    let mut found: Vec<String> = Vec::new();
    for name in of_uri.chain(headers).chain(defaults) {
        if let Some(key) = name.strip_prefix("config.")
            && !key.contains('{')
            && walk(config.view(), key).is_none()
            && !found.iter().any(|known| known == key)
        {
            found.push(key.to_owned());
        }
    }
    found
}

/// Returns the names of the tokens in a text.
fn names(text: &str) -> Vec<String> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}
