//! Statements, ready to be executed.

use std::sync::Arc;

use polywire_doc::{Datum, Wanted};

use crate::files::File;
use crate::path::JsonPath;
use crate::syntax::ast::Tail;
use crate::table::Table;
use crate::template::reference::Reference;
use crate::template::text::TextTemplate;
use crate::template::value::ValueTemplate;

/// A statement, ready to be executed.
#[derive(Debug)]
pub enum Operation {
    /// A value.
    Value(ValueTemplate),
    /// A module of user functions.
    Require(String),
    /// A user function, called once.
    Call(Call),
    /// `select`.
    Select(Box<Select>),
    /// `insert`.
    Insert(Box<Insert>),
    /// `update`.
    Update(Box<Update>),
    /// `delete`.
    Delete(Box<Delete>),
    /// `create table`.
    Create(Arc<Table>),
    /// `show tables`.
    ShowTables,
    /// `show routes`.
    ShowRoutes,
    /// `describe`.
    Describe(Arc<str>),
    /// `describe route`.
    DescribeRoute {
        /// Path of the route, as it is written there.
        path: String,
        /// HTTP method.
        method: String,
    },
}

/// A table, a variable or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A table.
    Table(Arc<str>),
    /// A variable of the script.
    Variable(Arc<str>),
    /// A file; only of a select.
    File(Arc<File>),
}

/// A user function.
#[derive(Debug)]
pub struct Call {
    /// Name of the variable that holds its module.
    pub module: Arc<str>,
    /// Name in the module.
    pub function: Arc<str>,
    /// Arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a user function.
#[derive(Debug)]
pub enum Argument {
    /// A value.
    Value(ValueTemplate),
    /// A variable or, in a where clause, a column; of the second source of a join if the flag is
    /// set.
    Path(JsonPath, bool),
}

/// `select`.
#[derive(Debug)]
pub struct Select {
    /// Columns of each row.
    pub columns: Columns,
    /// The only source, or the first of a join.
    pub from: From,
    /// The second source, read for each row of the first.
    pub join: Option<Join>,
    /// User functions that filter rows.
    pub functions: Vec<Call>,
    /// Most rows.
    pub limit: Option<u64>,
    /// Rows to leave out first.
    pub offset: Option<u64>,
    /// Timeout and delays.
    pub tail: Tail,
    /// References without whose values it is skipped.
    pub conditions: Vec<Reference>,
}

/// One side of a select.
#[derive(Debug)]
pub struct From {
    /// Table or variable that is read.
    pub origin: Origin,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Parts of each row that are looked at.
    pub wanted: Wanted,
    /// Parts of each row that are looked at, if no table's template looks at the variable that it
    /// is assigned to.
    pub narrowed: Option<Wanted>,
    /// Parts as in `wanted`, if only the writer of the result looks into the columns.
    pub written: Option<Wanted>,
}

/// The second side of a join.
#[derive(Debug)]
pub struct Join {
    /// The source.
    pub from: From,
    /// Equations of the sides: name of the parameter, path in the second, path in the first.
    pub equations: Vec<(Arc<str>, JsonPath, JsonPath)>,
}

/// The columns of a select.
#[derive(Debug)]
pub enum Columns {
    /// All.
    All,
    /// Listed ones.
    These(Vec<Column>),
}

/// One column.
#[derive(Debug)]
pub struct Column {
    /// Path of its value.
    pub path: ColumnPath,
    /// True if it is of the second source of a join.
    pub second: bool,
    /// Name in the result.
    pub alias: Option<Arc<str>>,
}

/// The path of a column.
#[derive(Debug)]
pub enum ColumnPath {
    /// Known from the start.
    Known(JsonPath),
    /// With tokens in it.
    Made(TextTemplate),
    /// A function of this name among the columns, which is not called and shows nothing.
    Function(Arc<str>),
}

/// One condition.
#[derive(Debug)]
pub struct Condition {
    /// Name of the parameter: the path as it is written, without the alias.
    pub name: Arc<str>,
    /// Path in a row.
    pub path: JsonPath,
    /// Value that it must equal.
    pub operand: Operand,
}

/// The right-hand side of a condition.
#[derive(Debug)]
pub enum Operand {
    /// One value.
    One(Member),
    /// Any of several.
    Among(Vec<Member>),
    /// Any of the rows of another select.
    Select(Box<Select>),
}

/// A value in a condition or insert.
#[derive(Debug)]
pub enum Member {
    /// A constant.
    Constant(Datum),
    /// The value of a variable; without a variable of that name, the text, if there is one.
    Reference(Reference, Option<Datum>),
}

/// `insert`.
#[derive(Debug)]
pub struct Insert {
    /// Table or variable that gets the values.
    pub into: Origin,
    /// Values.
    pub what: Inserted,
    /// Attachments.
    pub parts: Vec<Member>,
    /// Timeout and delays.
    pub tail: Tail,
}

/// The values of an insert.
#[derive(Debug)]
pub enum Inserted {
    /// The members of an object.
    Object(Member),
    /// Values by name.
    Values(Vec<(Arc<str>, Member)>),
    /// One value, unchanged.
    Opaque(Member),
    /// The body of the request.
    Body,
}

/// `update`.
#[derive(Debug)]
pub struct Update {
    /// Table or variable that changes.
    pub origin: Origin,
    /// The object whose members are set.
    pub object: Member,
    /// Timeout and delays.
    pub tail: Tail,
}

/// `delete`.
#[derive(Debug)]
pub struct Delete {
    /// Table or variable that is read.
    pub from: Origin,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// User functions that decide which rows stay.
    pub functions: Vec<Call>,
    /// Timeout and delays.
    pub tail: Tail,
    /// References without whose values it is skipped.
    pub needed: Vec<Reference>,
}

impl Operation {
    /// Returns the keyword.
    pub fn kind(&self) -> &'static str {
        match self {
            Operation::Value(_) => "value",
            Operation::Require(_) => "require",
            Operation::Call(_) => "call",
            Operation::Select(_) => "select",
            Operation::Insert(_) => "insert",
            Operation::Update(_) => "update",
            Operation::Delete(_) => "delete",
            Operation::Create(_) => "create",
            Operation::ShowTables | Operation::ShowRoutes => "show",
            Operation::Describe(_) | Operation::DescribeRoute { .. } => "describe",
        }
    }

    /// Collects the tables that it calls or describes, inner selects included.
    pub fn tables(&self, names: &mut Vec<Arc<str>>) {
        match self {
            Operation::Select(select) => select.tables(names),
            Operation::Insert(insert) => insert.into.table(names),
            Operation::Update(update) => update.origin.table(names),
            Operation::Delete(delete) => {
                delete.from.table(names);
                conditions_tables(&delete.conditions, names);
            }
            Operation::Describe(name) => names.push(name.clone()),
            _ => {}
        }
    }
}

impl Operation {
    /// Collects the files that it reads, inner selects included.
    pub fn files(&self, files: &mut Vec<Arc<File>>) {
        match self {
            Operation::Select(select) => select.files(files),
            Operation::Delete(delete) => conditions_files(&delete.conditions, files),
            _ => {}
        }
    }

    /// Returns the name of the table that it inserts into, updates or deletes from.
    pub fn written_table(&self) -> Option<&Arc<str>> {
        let origin = match self {
            Operation::Insert(insert) => &insert.into,
            Operation::Update(update) => &update.origin,
            Operation::Delete(delete) => &delete.from,
            _ => return None,
        };
        match origin {
            Origin::Table(name) => Some(name),
            Origin::Variable(_) | Origin::File(_) => None,
        }
    }
}

impl Origin {
    fn table(&self, names: &mut Vec<Arc<str>>) {
        if let Origin::Table(name) = self {
            names.push(name.clone());
        }
    }

    /// Returns true for a table.
    pub fn is_table(&self) -> bool {
        matches!(self, Origin::Table(_))
    }

    /// Returns the name; the path of a file.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Origin::Table(name) | Origin::Variable(name) => name,
            Origin::File(file) => &file.path,
        }
    }
}

impl From {
    /// Returns true if its conditions have values that a select finds.
    pub fn asks(&self) -> bool {
        self.conditions.iter().any(|condition| matches!(condition.operand, Operand::Select(_)))
    }
}

impl Select {
    /// Collects the tables that it reads, inner selects included.
    pub fn tables(&self, names: &mut Vec<Arc<str>>) {
        for from in self.sides() {
            from.origin.table(names);
            conditions_tables(&from.conditions, names);
        }
    }

    /// Collects the files that it reads, inner selects included.
    pub fn files(&self, files: &mut Vec<Arc<File>>) {
        for from in self.sides() {
            if let Origin::File(file) = &from.origin {
                files.push(file.clone());
            }
            conditions_files(&from.conditions, files);
        }
    }

    /// Returns its sources.
    pub fn sides(&self) -> impl Iterator<Item = &From> {
        std::iter::once(&self.from).chain(self.join.as_ref().map(|join| &join.from))
    }
}

fn conditions_files(conditions: &[Condition], files: &mut Vec<Arc<File>>) {
    for condition in conditions {
        if let Operand::Select(select) = &condition.operand {
            select.files(files);
        }
    }
}

fn conditions_tables(conditions: &[Condition], names: &mut Vec<Arc<str>>) {
    for condition in conditions {
        if let Operand::Select(select) = &condition.operand {
            select.tables(names);
        }
    }
}
