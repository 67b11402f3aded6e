//! Rules of scripts beyond the grammar (docs/spec/ql.md 4).

use std::collections::{HashMap, HashSet};

use polywire_core::text::diagnostic::{Diagnostic, Place};
use polywire_core::walk::EntryPath;

use crate::path::JsonPath;
use crate::reads::{call_variables, logic_words, statement_variables, value_variables};
use crate::syntax::ast::{
    Argument, CodecClause, Column, Columns, Condition, Create, Field, FunctionCall, If, Insert, Item, Line, Members, Operand, Rhs, Script,
    Select, StatementKind, Try, Value, VerbKind, Word,
};

/// Most columns, conditions, arguments, or pairs of a clause: some are compared with each other.
const MAX_LIST: usize = 1000;

/// The names that a script gives values to.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    assigned: HashMap<String, Place>,
    thrown: HashSet<String>,
}

impl Symbols {
    /// Returns whether the script assigns or throws the name anywhere.
    pub fn has(&self, name: &str) -> bool {
        self.assigned.contains_key(name) || self.thrown.contains(name)
    }
}

/// Checks a script. Returns its symbols, and all rules that it breaks.
pub fn check(script: &Script) -> (Symbols, Vec<Diagnostic>) {
    let mut rules = Rules::default();
    rules.collect(&script.items);
    rules.items(&script.items);
    if let Some(result) = &script.result {
        if let Some(route) = &result.route {
            rules.encoders(&route.encoders);
        }
        for alternative in &result.alternatives {
            rules.rhs(alternative, None);
        }
    }
    (rules.symbols, rules.found)
}

#[derive(Default)]
struct Rules {
    symbols: Symbols,
    found: Vec<Diagnostic>,
}

impl Rules {
    fn error(&mut self, code: &'static str, at: Place, message: impl Into<String>, hint: &str) {
        self.found.push(Diagnostic::error(code, at, message).hint(hint));
    }

    /// Checks that a list is not too long.
    fn few(&mut self, what: &str, count: usize, at: Place) {
        if count > MAX_LIST {
            let message = format!("{count} {what}, more than {MAX_LIST}");
            self.error("list_too_long", at, message, "cut the statement in several");
        }
    }

    /// Collects the names that are assigned, each once.
    fn collect(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Comment(_) => {}
                Item::Line(line) => {
                    let Some(name) = &line.name else { continue };
                    match self.symbols.assigned.get(&name.text) {
                        Some(first) => self.found.push(
                            Diagnostic::error("assigned_twice", name.at.0, format!("`{}` is assigned a second time", name.text))
                                .related(*first, "the first time")
                                .hint("a name stands for one value in all of a script, blocks included: take another name")
                                .detail("name", &name.text),
                        ),
                        None => {
                            self.symbols.assigned.insert(name.text.clone(), name.at.0);
                        }
                    }
                }
                Item::Throw(name) => {
                    self.symbols.thrown.insert(name.text.clone());
                }
                Item::If(If { then, otherwise, .. }) => {
                    self.collect(then);
                    self.collect(otherwise.as_deref().unwrap_or_default());
                }
                Item::Try(Try { body, catches, finally, .. }) => {
                    self.collect(body);
                    catches.iter().for_each(|catch| self.collect(&catch.body));
                    self.collect(finally.as_deref().unwrap_or_default());
                }
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Comment(_) | Item::Throw(_) => {}
                Item::Line(line) => self.line(line),
                Item::If(If { then, otherwise, .. }) => {
                    self.items(then);
                    self.items(otherwise.as_deref().unwrap_or_default());
                }
                Item::Try(attempt) => self.attempt(attempt),
            }
        }
    }

    fn attempt(&mut self, attempt: &Try) {
        self.items(&attempt.body);
        let mut thrown = HashSet::new();
        throws(&attempt.body, &mut thrown);
        for catch in &attempt.catches {
            let mut words = Vec::new();
            logic_words(&catch.condition, &mut words);
            for word in words {
                if !thrown.contains(word.text.as_str()) {
                    let message = format!("nothing in this try throws `{}`", word.text);
                    self.error("never_thrown", word.at.0, message, "a catch names exceptions that a throw of the same try names");
                }
            }
            self.items(&catch.body);
        }
        self.items(attempt.finally.as_deref().unwrap_or_default());
    }

    fn line(&mut self, line: &Line) {
        for alternative in &line.alternatives {
            self.rhs(alternative, line.name.as_ref());
        }
    }

    fn rhs(&mut self, rhs: &Rhs, name: Option<&Word>) {
        match rhs {
            Rhs::Statement(statement) => self.statement(&statement.kind, statement.at.0, name),
            Rhs::Value(value) => {
                if let Some(name) = name {
                    self.not_itself(name, &value_variables(value));
                }
            }
            Rhs::Call(call) => {
                if let Some(name) = name {
                    self.not_itself(name, &call_variables(call));
                }
                self.function(call, "require");
            }
            Rhs::Variable(word) => {
                if !self.symbols.has(&word.text) {
                    let message = format!("nothing assigns `{}`", word.text);
                    self.found.push(
                        Diagnostic::error("unresolved_symbol", word.at.0, message)
                            .hint("assign it before the return, or write a reference in quotes and braces if it comes with the request")
                            .detail("name", &word.text),
                    );
                }
            }
        }
    }

    /// Checks that the module of a function is a symbol, unless the function is `built_in`.
    fn function(&mut self, call: &FunctionCall, built_in: &str) {
        let root = call.name.text.split('.').next().unwrap_or_default();
        if call.name.text == built_in && !matches!(&call.arguments[..], [Argument::Value(Value::Text(_))]) {
            let hint = "write name = require(\"path\")";
            self.error("bad_require", call.at.0, "require takes the path of a module, as text", hint);
        }
        if call.name.text != built_in && !self.symbols.has(root) {
            let message = format!("`{root}` is no module of this script");
            let hint = if root == "throw" { "throw stands inside of blocks" } else { "load one before: name = require(\"path\")" };
            self.error("unknown_module", call.name.at.0, message, hint);
        }
    }

    fn not_itself(&mut self, name: &Word, variables: &[String]) {
        if variables.contains(&name.text) {
            let message = format!("the statement that assigns `{}` refers to it", name.text);
            self.error("refers_to_itself", name.at.0, message, "a value cannot come from itself: assign to another name");
        }
    }

    fn statement(&mut self, kind: &StatementKind, at: Place, name: Option<&Word>) {
        if let Some(name) = name {
            self.not_itself(name, &statement_variables(kind));
        }
        match kind {
            StatementKind::Select(select) => self.select(select, at),
            StatementKind::Insert(insert) => self.insert(insert, at),
            StatementKind::Delete(delete) => self.conditions(&delete.conditions),
            StatementKind::Create(create) => self.create(create),
            _ => {}
        }
    }

    fn encoders(&mut self, encoders: &[CodecClause]) {
        if let Some(last) = encoders.last() {
            self.few("encoders", encoders.len(), last.format.at.0);
        }
        let mut known: HashMap<&str, Place> = HashMap::new();
        for encoder in encoders {
            let at = encoder.format.at.0;
            if let Some(first) = known.insert(&encoder.format.text, at) {
                self.found.push(
                    Diagnostic::error("encoder_twice", at, format!("the route has an encoder for {} twice", encoder.format.text))
                        .related(first, "the first")
                        .hint("callers could not choose between the two: keep one, or make another route"),
                );
            }
        }
    }

    fn create(&mut self, create: &Create) {
        const METHODS: [&str; 5] = ["get", "post", "put", "delete", "patch"];
        for verb in &create.verbs {
            let lists = [verb.aliases.len(), verb.headers.len(), verb.defaults.len(), verb.expect.len()];
            let shapes = [verb.shape.arrays.len(), verb.shape.numbers.len(), verb.shape.text.len()];
            let most = lists.into_iter().chain(shapes).chain([verb.batches.len()]).max().unwrap_or(0);
            self.few("entries in one clause", most, verb.at.0);
            self.few("tokens in one URI", verb.uri.text.matches('{').count(), verb.uri.at.0);
        }
        for verb in create.verbs.iter().filter(|verb| verb.kind != VerbKind::Select) {
            if verb.pages.is_some() || !verb.batches.is_empty() || verb.shared.is_some() {
                let message = format!("`with pages`, `batches` and `replies` are clauses of select, and this is {}", verb.kind.name());
                self.error("clause_of_select", verb.at.0, message, "remove the clause: what writes is asked once, for each value");
            }
        }
        let http = create.connector.as_ref().is_some_and(|connector| connector.text == "http");
        for verb in &create.verbs {
            if http && !METHODS.contains(&verb.method.text.as_str()) {
                let message = format!("`{}` is no method of http", verb.method.text);
                self.error("unknown_method", verb.method.at.0, message, "the methods are get, post, put, delete and patch");
            }
            if let Some(earlier) = create.verbs.iter().find(|other| other.kind == verb.kind && other.at.0 < verb.at.0) {
                self.found.push(
                    Diagnostic::error("verb_twice", verb.at.0, format!("table {} has {} twice", create.name.text, verb.kind.name()))
                        .related(earlier.at.0, "the first")
                        .hint("a table has each verb once: merge the two"),
                );
            }
        }
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        if let Some(Condition::Equal(Field::Path(path), _)) = conditions.get(MAX_LIST) {
            self.few("conditions", conditions.len(), path.at.0);
        } else if let Some(Condition::Among(name, _) | Condition::Call(FunctionCall { name, .. })) = conditions.get(MAX_LIST) {
            self.few("conditions", conditions.len(), name.at.0);
        }
        for condition in conditions {
            match condition {
                Condition::Equal(Field::Call(call), _) => {
                    let hint = "a function decides by itself: write it alone between the ands";
                    self.error("compared_function", call.at.0, "a function cannot be compared", hint);
                }
                Condition::Call(call) => self.function(call, ""),
                Condition::Among(_, Members::Select(select, at)) => self.select(select, at.0),
                _ => {}
            }
        }
    }

    fn select(&mut self, select: &Select, at: Place) {
        self.conditions(&select.conditions);
        if let Columns::These(columns) = &select.columns {
            self.few("columns", columns.len(), at);
            let named = columns.iter().filter(|column| column.alias.is_some()).count();
            if named > 0 && named < columns.len() {
                let message = format!("{named} of {} columns have an alias", columns.len());
                self.error("some_aliases", at, message, "give all columns an alias, for objects, or none, for arrays");
            }
        }
        for source in &select.sources {
            if let Some(each) = source.file.as_ref().and_then(|file| file.each.as_ref())
                && let Err(error) = EntryPath::parse(&each.text)
            {
                self.error(
                    "bad_each",
                    each.at.0,
                    format!("`each '{}'`: {error}", each.text),
                    "name a path such as log.entries, or . for a list at the top",
                );
            }
        }
        match &select.sources[..] {
            [] | [_] => {}
            [_, _] => self.join(select, at),
            [_, _, third, ..] => {
                let message = format!("{} sources in one select", select.sources.len());
                self.error(
                    "too_many_sources",
                    third.name.at.0,
                    message,
                    "join two, assign the rows to a name, and join these with the third",
                );
            }
        }
    }

    fn join(&mut self, select: &Select, at: Place) {
        let mut aliases = Vec::new();
        for source in &select.sources {
            match &source.alias {
                Some(alias) => aliases.push(alias.text.as_str()),
                None => {
                    let message = format!("`{}` has no alias", source.name.text);
                    self.error("join_without_alias", source.name.at.0, message, "in a join each source needs one: from t as a, u as b");
                }
            }
        }
        if aliases.len() < 2 {
            return;
        }
        if aliases[0] == aliases[1] {
            let message = format!("both sources have the alias `{}`", aliases[0]);
            self.error("same_alias", select.sources[1].name.at.0, message, "give each its own");
            return;
        }
        if select.conditions.is_empty() {
            let hint = format!("say which rows belong together: where {}.x = {}.y", aliases[1], aliases[0]);
            self.error("join_without_condition", at, "a join without where", &hint);
            return;
        }
        let starts_with_alias = |path: &JsonPath| path.steps.len() > 1 && path.first().is_some_and(|first| aliases.contains(&first));
        match &select.columns {
            Columns::All => {
                let hint = format!("name each column with the alias of its source: select {}.x, {}.y", aliases[0], aliases[1]);
                self.error("join_column", at, "`*` in a join", &hint);
            }
            Columns::These(columns) => {
                for Column { field, .. } in columns {
                    if let Field::Path(path) = field
                        && !starts_with_alias(&path.path)
                    {
                        let message = format!("the column `{}` does not begin with an alias and a dot", path.text);
                        let hint = format!("write {}.{} or {}.{}", aliases[0], path.text, aliases[1], path.text);
                        self.error("join_column", path.at.0, message, &hint);
                    }
                }
            }
        }
        let relates = |condition: &Condition| match condition {
            Condition::Equal(Field::Path(left), Operand::Path(right)) => {
                starts_with_alias(&left.path) && starts_with_alias(&right.path) && left.path.first() != right.path.first()
            }
            _ => false,
        };
        if !select.conditions.iter().any(relates) {
            let hint = format!("one condition must say which rows belong together: {}.x = {}.y", aliases[1], aliases[0]);
            self.error("join_without_relation", at, "no condition of the join relates its two sources", &hint);
        }
    }

    fn insert(&mut self, insert: &Insert, at: Place) {
        let values = insert.values.as_ref().map(Vec::len);
        self.few("values", values.unwrap_or(0).max(insert.parts.len()), at);
        if insert.object.is_some() && (insert.columns.is_some() || values.is_some()) {
            let hint = "write insert \"{object}\" into t, or insert into t (a, b) values (1, 2)";
            return self.error("insert_object_and_values", at, "an insert of an object that has columns or values too", hint);
        }
        match (&insert.columns, values) {
            (Some(Columns::All), _) => {
                self.error("insert_column", at, "`*` where names of columns stand", "name each column");
            }
            (Some(_), None) => self.error("insert_without_values", at, "columns without values", "add values (…), one for each column"),
            (Some(Columns::These(columns)), Some(values)) if columns.len() != values => {
                let message = format!("{} columns and {values} values", columns.len());
                self.error("insert_counts", at, message, "give each column one value");
            }
            (None, Some(values)) if values != 1 => {
                let message = format!("{values} values without columns");
                self.error(
                    "insert_counts",
                    at,
                    message,
                    "name the columns; without names one value is allowed, which is the body of the request",
                );
            }
            _ => {}
        }
        for column in match &insert.columns {
            Some(Columns::These(columns)) => &columns[..],
            _ => &[],
        } {
            if let Field::Call(call) = &column.field {
                self.error("insert_column", call.at.0, "a function where the name of a column stands", "name the column");
            }
        }
    }
}

fn throws<'s>(items: &'s [Item], found: &mut HashSet<&'s str>) {
    for item in items {
        match item {
            Item::Throw(name) => {
                found.insert(&name.text);
            }
            Item::If(If { then, otherwise, .. }) => {
                throws(then, found);
                throws(otherwise.as_deref().unwrap_or_default(), found);
            }
            Item::Try(Try { body, catches, finally, .. }) => {
                throws(body, found);
                catches.iter().for_each(|catch| throws(&catch.body, found));
                throws(finally.as_deref().unwrap_or_default(), found);
            }
            Item::Comment(_) | Item::Line(_) => {}
        }
    }
}
