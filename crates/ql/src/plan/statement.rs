//! Operations of statements.

use std::sync::Arc;

use polywire_doc::Wanted;

use super::needs;
use super::operation::{
    Argument, Call, Column, ColumnPath, Columns, Condition, Delete, From, Insert, Inserted, Join, Member, Operand, Operation, Origin,
    Select, Update,
};
use crate::files::File;
use crate::path::JsonPath;
use crate::rules::Symbols;
use crate::syntax::ast;
use crate::template::reference::Reference;
use crate::template::text::TextTemplate;
use crate::template::value::{ValueTemplate, number};

/// Makes operations. Tables are made elsewhere.
pub(super) struct Maker<'a> {
    pub symbols: &'a Symbols,
}

impl Maker<'_> {
    fn origin(&self, source: &ast::Origin) -> Origin {
        if let Some(clause) = &source.file {
            return Origin::File(Arc::new(File::new(&source.name, clause)));
        }
        let name: Arc<str> = source.name.text.as_str().into();
        if self.symbols.has(&name) { Origin::Variable(name) } else { Origin::Table(name) }
    }

    pub(super) fn statement(&self, kind: &ast::StatementKind) -> Option<Operation> {
        use ast::StatementKind;
        Some(match kind {
            StatementKind::Select(select) => Operation::Select(Box::new(self.select(select))),
            StatementKind::Insert(insert) => Operation::Insert(Box::new(self.insert(insert))),
            StatementKind::Update(update) => Operation::Update(Box::new(Update {
                origin: self.origin(&update.source),
                object: text_member(&update.object.text),
                tail: update.tail,
            })),
            StatementKind::Delete(delete) => {
                let mut needed = Vec::new();
                let alias = delete.source.alias.as_ref().map(|alias| alias.text.as_str());
                Operation::Delete(Box::new(Delete {
                    from: self.origin(&delete.source),
                    conditions: self.conditions(&delete.conditions, alias, &mut needed),
                    functions: calls(&delete.conditions, &[alias]),
                    tail: delete.tail,
                    needed,
                }))
            }
            StatementKind::Create(_) => return None,
            StatementKind::ShowTables => Operation::ShowTables,
            StatementKind::ShowRoutes => Operation::ShowRoutes,
            StatementKind::Describe(source) => Operation::Describe(source.name.text.as_str().into()),
            StatementKind::DescribeRoute { path, method } => {
                Operation::DescribeRoute { path: path.text.clone(), method: method.text.clone() }
            }
        })
    }

    pub(super) fn call(&self, call: &ast::FunctionCall) -> Operation {
        if call.name.text == "require"
            && let [ast::Argument::Value(ast::Value::Text(path))] = &call.arguments[..]
        {
            return Operation::Require(path.clone());
        }
        Operation::Call(one_call(call, &[]))
    }

    fn select(&self, select: &ast::Select) -> Select {
        let aliases: Vec<Option<&str>> =
            select.sources.iter().map(|source| source.alias.as_ref().map(|alias| alias.text.as_str())).collect();
        let columns = match &select.columns {
            ast::Columns::All => Columns::All,
            ast::Columns::These(columns) => Columns::These(columns.iter().map(|column| one_column(column, &aliases)).collect()),
        };
        let functions = calls(&select.conditions, &aliases);
        let mut needed = Vec::new();
        if select.sources.len() == 1 {
            let conditions = self.conditions(&select.conditions, aliases[0], &mut needed);
            let from = self.from(&select.sources[0], conditions, needs::of_rows(&columns, &functions, &[], false));
            return Select {
                columns,
                from,
                join: None,
                functions,
                limit: select.limit,
                offset: select.offset,
                tail: select.tail,
                conditions: needed,
            };
        }
        self.join(select, &aliases, columns, functions)
    }

    fn join(&self, select: &ast::Select, aliases: &[Option<&str>], columns: Columns, functions: Vec<Call>) -> Select {
        let mut needed = Vec::new();
        let (mut sides, mut equations) = ([Vec::new(), Vec::new()], Vec::new());
        for condition in &select.conditions {
            if let ast::Condition::Equal(ast::Field::Path(left), ast::Operand::Path(right)) = condition
                && let (Some(one), Some(other)) = (side(&left.path, aliases), side(&right.path, aliases))
                && one != other
            {
                let (first, second) = if one { (right, left) } else { (left, right) };
                equations.push((without_alias(&second.text), second.path.tail(), first.path.tail()));
                continue;
            }
            let second = match condition {
                ast::Condition::Equal(ast::Field::Path(path), _) => side(&path.path, aliases).unwrap_or(false),
                ast::Condition::Among(name, _) => name.text.split('.').next() == aliases[1],
                _ => continue,
            };
            let made = self.conditions(std::slice::from_ref(condition), aliases[usize::from(second)], &mut needed);
            sides[usize::from(second)].extend(made);
        }
        let [of_first, of_second] = sides;
        let keys: Vec<&JsonPath> = equations.iter().map(|(_, _, first)| first).collect();
        let first = self.from(&select.sources[0], of_first, needs::of_rows(&columns, &functions, &keys, false));
        let keys: Vec<&JsonPath> = match select.sources[1].file {
            Some(_) => equations.iter().map(|(_, second, _)| second).collect(),
            None => Vec::new(),
        };
        let second = self.from(&select.sources[1], of_second, needs::of_rows(&columns, &functions, &keys, true));
        Select {
            columns,
            from: first,
            join: Some(Join { from: second, equations }),
            functions,
            limit: select.limit,
            offset: select.offset,
            tail: select.tail,
            conditions: needed,
        }
    }

    fn from(&self, source: &ast::Origin, conditions: Vec<Condition>, mut wanted: Wanted) -> From {
        let origin = self.origin(source);
        if matches!(origin, Origin::File(_)) {
            // The conditions choose rows here, and not in a service.
            conditions.iter().for_each(|condition| needs::add(&mut wanted, &condition.path));
        }
        From { origin, conditions, wanted, narrowed: None, written: None }
    }

    /// Returns the conditions of one source; collects the references without whose values the
    /// statement is skipped.
    fn conditions(&self, conditions: &[ast::Condition], alias: Option<&str>, needed: &mut Vec<Reference>) -> Vec<Condition> {
        let mut made = Vec::new();
        for condition in conditions {
            let (name, path, operand) = match condition {
                ast::Condition::Equal(ast::Field::Path(path), operand) => {
                    let operand = match operand {
                        ast::Operand::Text(word) => text_member(&word.text),
                        ast::Operand::Digits(word) => Member::Constant(number(&word.text)),
                        ast::Operand::Path(path) => path_member(path),
                    };
                    (path.text.as_str(), path.path.clone(), Operand::One(operand))
                }
                ast::Condition::Among(name, members) => {
                    let operand = match members {
                        ast::Members::Select(select, _) => Operand::Select(Box::new(self.select(select))),
                        ast::Members::These(members) => Operand::Among(members.iter().map(member).collect()),
                    };
                    (
                        name.text.as_str(),
                        JsonPath { steps: name.text.split('.').map(|name| crate::path::PathStep::Name(name.into())).collect() },
                        operand,
                    )
                }
                ast::Condition::Equal(ast::Field::Call(_), _) | ast::Condition::Call(_) => continue,
            };
            let members = match &operand {
                Operand::One(member) => std::slice::from_ref(member),
                Operand::Among(members) => members,
                Operand::Select(_) => &[],
            };
            for member in members {
                if let Member::Reference(reference, _) = member
                    && reference.condition
                {
                    needed.push(reference.clone());
                }
            }
            let aliased = path.steps.len() > 1 && alias.is_some() && path.first() == alias;
            let (name, path) = if aliased { (without_alias(name), path.tail()) } else { (name.into(), path) };
            made.push(Condition { name, path, operand });
        }
        made
    }

    fn insert(&self, insert: &ast::Insert) -> Insert {
        let what = match (&insert.object, &insert.columns, &insert.values) {
            (Some(object), ..) => Inserted::Object(text_member(&object.text)),
            (None, Some(ast::Columns::These(columns)), Some(values)) => {
                let names = columns.iter().map(|column| match &column.field {
                    ast::Field::Path(path) => path.text.as_str().into(),
                    ast::Field::Call(call) => call.name.text.as_str().into(),
                });
                Inserted::Values(names.zip(values.iter().map(member)).collect())
            }
            (None, _, Some(values)) if !values.is_empty() => Inserted::Opaque(member(&values[0])),
            _ => Inserted::Body,
        };
        Insert { into: self.origin(&insert.into), what, parts: insert.parts.iter().map(member).collect(), tail: insert.tail }
    }
}

fn text_member(text: &str) -> Member {
    match Reference::read(text) {
        Some(reference) => Member::Reference(reference, None),
        None => Member::Constant(text.into()),
    }
}

/// Makes the member of a bare path: a variable, else its own text.
fn path_member(path: &ast::Path) -> Member {
    match Reference::at(&path.path) {
        Some(reference) => Member::Reference(reference, Some(path.text.as_str().into())),
        None => Member::Constant(path.text.as_str().into()),
    }
}

fn member(member: &ast::Member) -> Member {
    match member {
        ast::Member::Text(word) => text_member(&word.text),
        ast::Member::Digits(word) => Member::Constant(number(&word.text)),
        ast::Member::Name(name) => match Reference::read(&format!("{{{}}}", name.text)) {
            Some(reference) => Member::Reference(reference, None),
            None => Member::Constant(name.text.as_str().into()),
        },
    }
}

/// Returns whether a path begins with the alias of the second source; `None` if with neither.
fn side(path: &JsonPath, aliases: &[Option<&str>]) -> Option<bool> {
    let first = path.first().filter(|_| path.steps.len() > 1)?;
    aliases.iter().position(|alias| *alias == Some(first)).map(|side| side == 1)
}

/// Returns a path as it is written, without its alias.
fn without_alias(text: &str) -> Arc<str> {
    let end = text.find(['.', '[']).unwrap_or(0);
    text[end..].trim_start_matches('.').into()
}

fn one_column(column: &ast::Column, aliases: &[Option<&str>]) -> Column {
    let alias = column.alias.as_ref().map(|alias| alias.text.as_str().into());
    let path = match &column.field {
        ast::Field::Path(path) => path,
        ast::Field::Call(call) => return Column { path: ColumnPath::Function(call.name.text.as_str().into()), second: false, alias },
    };
    let template = TextTemplate::read(&path.text);
    if !template.is_plain() {
        return Column { path: ColumnPath::Made(template), second: false, alias };
    }
    let (steps, second) = match side(&path.path, aliases) {
        Some(second) => (path.path.tail(), second),
        None => (path.path.clone(), false),
    };
    Column { path: ColumnPath::Known(steps), second, alias }
}

fn calls(conditions: &[ast::Condition], aliases: &[Option<&str>]) -> Vec<Call> {
    let call = |condition: &ast::Condition| match condition {
        ast::Condition::Call(call) => Some(one_call(call, aliases)),
        _ => None,
    };
    conditions.iter().filter_map(call).collect()
}

fn one_call(call: &ast::FunctionCall, aliases: &[Option<&str>]) -> Call {
    let (module, function) = call.name.text.split_once('.').unwrap_or((&call.name.text, ""));
    let arguments = call.arguments.iter().map(|argument| match argument {
        ast::Argument::Value(value) => Argument::Value(ValueTemplate::new(value)),
        ast::Argument::Path(path) => match side(&path.path, aliases) {
            Some(second) => Argument::Path(path.path.tail(), second),
            None => Argument::Path(path.path.clone(), false),
        },
    });
    Call { module: module.into(), function: function.into(), arguments: arguments.collect() }
}
