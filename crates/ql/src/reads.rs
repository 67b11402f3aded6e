//! Variables that statements and values read.

use crate::syntax::ast::{
    Argument, Columns, Condition, Field, FunctionCall, Logic, Member, Members, Operand, Select, StatementKind, Value, Word,
};
use crate::template::reference::Reference;
use crate::template::text::TextTemplate;
use crate::template::value::ValueTemplate;

/// Collects the words of a condition.
pub(crate) fn logic_words<'l>(logic: &'l Logic, found: &mut Vec<&'l Word>) {
    match logic {
        Logic::Word(word) => found.push(word),
        Logic::Not(inner) => logic_words(inner, found),
        Logic::All(parts) | Logic::Any(parts) => parts.iter().for_each(|part| logic_words(part, found)),
    }
}

/// Returns the variables that references in a text read.
fn text_variables(text: &str) -> Vec<String> {
    Reference::read(text).map_or_else(Vec::new, |reference| reference.variables().into_iter().map(str::to_string).collect())
}

/// Returns the variables that a value reads.
pub(crate) fn value_variables(value: &Value) -> Vec<String> {
    let template = ValueTemplate::new(value);
    let mut references = Vec::new();
    template.references(&mut references);
    references.into_iter().flat_map(|reference| reference.variables()).map(str::to_string).collect()
}

/// Returns the variables that a call outside of a where clause reads: its module, and its
/// arguments.
pub(crate) fn call_variables(call: &FunctionCall) -> Vec<String> {
    let module = call.name.text.split('.').next().map(str::to_string);
    let arguments = call.arguments.iter().flat_map(|argument| match argument {
        Argument::Value(value) => value_variables(value),
        Argument::Path(path) => path.path.first().map(str::to_string).into_iter().collect(),
    });
    module.into_iter().chain(arguments).collect()
}

/// Returns the variables, and perhaps tables, that a statement reads.
pub(crate) fn statement_variables(kind: &StatementKind) -> Vec<String> {
    let mut found = Vec::new();
    match kind {
        StatementKind::Select(select) => select_variables(select, &mut found),
        StatementKind::Insert(insert) => {
            found.push(insert.into.name.text.clone());
            found.extend(insert.object.iter().flat_map(|object| text_variables(&object.text)));
            insert.values.iter().flatten().chain(&insert.parts).for_each(|member| member_variables(member, &mut found));
        }
        StatementKind::Update(update) => {
            found.push(update.source.name.text.clone());
            found.extend(text_variables(&update.object.text));
        }
        StatementKind::Delete(delete) => {
            found.push(delete.source.name.text.clone());
            conditions_variables(&delete.conditions, &[], &mut found);
        }
        StatementKind::Describe(source) => found.push(source.name.text.clone()),
        _ => {}
    }
    found
}

fn select_variables(select: &Select, found: &mut Vec<String>) {
    found.extend(select.sources.iter().filter(|source| source.file.is_none()).map(|source| source.name.text.clone()));
    let aliases: Vec<&str> = select.sources.iter().filter_map(|source| source.alias.as_ref()).map(|alias| alias.text.as_str()).collect();
    conditions_variables(&select.conditions, &aliases, found);
    if let Columns::These(columns) = &select.columns {
        for column in columns {
            if let Field::Path(path) = &column.field {
                let template = TextTemplate::read(&path.text);
                found.extend(template.roots().into_iter().map(str::to_string));
            }
        }
    }
}

fn conditions_variables(conditions: &[Condition], aliases: &[&str], found: &mut Vec<String>) {
    for condition in conditions {
        match condition {
            Condition::Equal(_, Operand::Text(word)) => found.extend(text_variables(&word.text)),
            Condition::Equal(_, Operand::Path(path)) => {
                // A path that begins with an alias is a column.
                found.extend(path.path.first().filter(|first| !aliases.contains(first)).map(str::to_string));
            }
            Condition::Equal(_, Operand::Digits(_)) => {}
            Condition::Among(_, Members::Select(select, _)) => select_variables(select, found),
            Condition::Among(_, Members::These(members)) => members.iter().for_each(|member| member_variables(member, found)),
            Condition::Call(call) => {
                found.extend(call.name.text.split('.').next().map(str::to_string));
                for argument in &call.arguments {
                    if let Argument::Value(value) = argument {
                        found.extend(value_variables(value));
                    }
                }
            }
        }
    }
}

fn member_variables(member: &Member, found: &mut Vec<String>) {
    match member {
        Member::Text(word) => found.extend(text_variables(&word.text)),
        Member::Digits(_) => {}
        Member::Name(name) => found.extend(name.text.split('.').next().map(str::to_string)),
    }
}
