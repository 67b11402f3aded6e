//! What a script does, as a graph (specification 6): made once, never changed, executed as often as wanted.
//!
//! | file | holds |
//! |---|---|
//! | `build` | statements become steps |
//! | `statement` | what each kind of statement does |
//! | `graph` | which step waits for which |
//! | `needs` | which parts of a reply are looked at |

mod build;
mod graph;
mod needs;
mod statement;

use std::path::Path;
use std::sync::Arc;

use polywire_core::text::diagnostic::{Diagnostic, Diagnostics, Source};
use polywire_doc::{Datum, Wanted};

use crate::backend::StatementInfo;
use crate::path::JsonPath;
use crate::route::Route;
use crate::syntax::ast::{Logic, Tail};
use crate::table::Table;
use crate::template::reference::Reference;
use crate::template::text::TextTemplate;
use crate::template::value::ValueTemplate;

/// Statements of a script at most.
pub const MAX_STEPS: usize = 2000;

/// What a script does.
#[derive(Debug)]
pub struct Plan {
    /// The script.
    pub source: Source,
    /// What is done, in the order of the text. The last is what the script returns, if it returns something that is no step by itself.
    pub steps: Vec<Step>,
    /// Where the result comes from.
    pub result: Outcome,
    /// The route that the script answers.
    pub route: Option<Arc<Route>>,
    /// Tables that the script makes, whether or not the statement is reached.
    pub tables: Vec<Arc<Table>>,
    /// What means something, but perhaps not what was meant.
    pub warnings: Vec<Diagnostic>,
}

/// Where the result of a script comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The value of a step.
    Step(usize),
    /// There is no statement: an empty object.
    Nothing,
    /// There are only tables: `{"message": "ok"}`.
    Created,
}

/// Something to do.
#[derive(Debug)]
pub struct Step {
    /// The statement.
    pub info: StatementInfo,
    /// What to do.
    pub work: Work,
    /// Steps that must be done before.
    pub after: Vec<usize>,
    /// The choice that it depends on, and which way that must go.
    pub guard: Option<(usize, bool)>,
    /// Whether it waits for all others: a returned value, which is made when everything is done.
    pub last: bool,
}

/// What a step does.
#[derive(Debug)]
pub enum Work {
    /// A statement, then those that take its place if it fails.
    Statement(Vec<Operation>),
    /// Decides which way a choice goes.
    Decide(Logic),
    /// Raises an exception.
    Throw,
}

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

/// A table or a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A table.
    Table(Arc<str>),
    /// A variable of the script.
    Variable(Arc<str>),
}

/// A user function.
#[derive(Debug)]
pub struct Call {
    /// The variable that holds its module.
    pub module: Arc<str>,
    /// Its name in the module.
    pub function: Arc<str>,
    /// What it is given.
    pub arguments: Vec<Argument>,
}

/// What a user function is given.
#[derive(Debug)]
pub enum Argument {
    /// A value.
    Value(ValueTemplate),
    /// A variable, or, in a where clause, a column: of the second source of a join if the flag is set.
    Path(JsonPath, bool),
}

/// `select`.
#[derive(Debug)]
pub struct Select {
    /// What of each row.
    pub columns: Columns,
    /// What is read, once or first.
    pub from: From,
    /// What is read for each row of it.
    pub join: Option<Join>,
    /// User functions that decide on rows.
    pub functions: Vec<Call>,
    /// Rows at most.
    pub limit: Option<u64>,
    /// Rows to leave out first.
    pub offset: Option<u64>,
    /// Timeout and delays.
    pub tail: Tail,
    /// Variables without which it is skipped.
    pub conditions: Vec<Reference>,
}

/// One side of a select.
#[derive(Debug)]
pub struct From {
    /// What is read.
    pub origin: Origin,
    /// Under which conditions.
    pub conditions: Vec<Condition>,
    /// What of each row is looked at.
    pub wanted: Wanted,
    /// What of each row is looked at if no table's template looks at the variable that it is assigned to.
    pub narrowed: Option<Wanted>,
    /// The same as `wanted`, where nothing of the columns is looked at but by who writes the result.
    pub written: Option<Wanted>,
}

/// The second side of a join.
#[derive(Debug)]
pub struct Join {
    /// What is read for each row of the first side.
    pub from: From,
    /// What of the second side equals what of the first: name of the parameter, path in the second, path in the first.
    pub equations: Vec<(Arc<str>, JsonPath, JsonPath)>,
}

/// What of each row.
#[derive(Debug)]
pub enum Columns {
    /// All.
    All,
    /// These.
    These(Vec<Column>),
}

/// One column.
#[derive(Debug)]
pub struct Column {
    /// What.
    pub path: ColumnPath,
    /// Whether it is of the second source of a join.
    pub second: bool,
    /// Under which name.
    pub alias: Option<Arc<str>>,
}

/// Path of a column.
#[derive(Debug)]
pub enum ColumnPath {
    /// Known from the start.
    Known(JsonPath),
    /// With tokens in it.
    Made(TextTemplate),
    /// A function among the columns, which is not called and shows nothing.
    Function,
}

/// One condition.
#[derive(Debug)]
pub struct Condition {
    /// Name of the parameter: the path as it is written, without the alias.
    pub name: Arc<str>,
    /// What of a row.
    pub path: JsonPath,
    /// What it must equal.
    pub operand: Operand,
}

/// What something is compared with.
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
    /// Always the same.
    Constant(Datum),
    /// The value of a variable; if there is no variable of that name, the text, if there is one.
    Reference(Reference, Option<Datum>),
}

/// `insert`.
#[derive(Debug)]
pub struct Insert {
    /// Where into.
    pub into: Origin,
    /// What.
    pub what: Inserted,
    /// Attachments.
    pub parts: Vec<Member>,
    /// Timeout and delays.
    pub tail: Tail,
}

/// What is inserted.
#[derive(Debug)]
pub enum Inserted {
    /// The members of an object.
    Object(Member),
    /// Values by name.
    Values(Vec<(Arc<str>, Member)>),
    /// One value, as it is.
    Opaque(Member),
    /// The body of the request.
    Body,
}

/// `update`.
#[derive(Debug)]
pub struct Update {
    /// What is changed.
    pub origin: Origin,
    /// The object whose members are set.
    pub object: Member,
    /// Timeout and delays.
    pub tail: Tail,
}

/// `delete`.
#[derive(Debug)]
pub struct Delete {
    /// Where from.
    pub from: Origin,
    /// Under which conditions.
    pub conditions: Vec<Condition>,
    /// User functions that decide which rows stay.
    pub functions: Vec<Call>,
    /// Timeout and delays.
    pub tail: Tail,
    /// Variables without which it is skipped.
    pub needed: Vec<Reference>,
}

impl Plan {
    /// Reads, checks and plans a script. Tables in it have their files in `folder`, and their tokens filled from `config`.
    ///
    /// # Errors
    /// All mistakes that can be told in one run.
    pub fn new(source: &Source, config: &Datum, folder: Option<&Path>) -> Result<Plan, Diagnostics> {
        let script = crate::syntax::parse(source)?;
        build::plan(source, &script, config, folder).map_err(|findings| Diagnostics { sources: vec![source.clone()], findings })
    }

    /// The tables of a text that makes tables: what a file in a directory of tables says.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn tables(source: &Source, config: &Datum, folder: Option<&Path>) -> Result<Vec<Arc<Table>>, Diagnostics> {
        Plan::new(source, config, folder).map(|plan| plan.tables)
    }

    /// Names of the tables that it uses and does not make.
    pub fn uses(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for step in &self.steps {
            if let Work::Statement(operations) = &step.work {
                operations.iter().for_each(|operation| operation.tables(&mut names));
            }
        }
        names.retain(|name| !self.tables.iter().any(|table| table.name == *name));
        names.sort();
        names.dedup();
        names
    }
}

impl Operation {
    /// The keyword.
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

    /// The tables that it calls or describes, inner selects included.
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

impl Origin {
    fn table(&self, names: &mut Vec<Arc<str>>) {
        if let Origin::Table(name) = self {
            names.push(name.clone());
        }
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Origin::Table(name) | Origin::Variable(name) => name,
        }
    }
}

impl Select {
    /// The tables that it reads, inner selects included.
    pub fn tables(&self, names: &mut Vec<Arc<str>>) {
        for from in self.sides() {
            from.origin.table(names);
            conditions_tables(&from.conditions, names);
        }
    }

    /// Its sources.
    pub fn sides(&self) -> impl Iterator<Item = &From> {
        std::iter::once(&self.from).chain(self.join.as_ref().map(|join| &join.from))
    }
}

fn conditions_tables(conditions: &[Condition], names: &mut Vec<Arc<str>>) {
    for condition in conditions {
        if let Operand::Select(select) = &condition.operand {
            select.tables(names);
        }
    }
}
