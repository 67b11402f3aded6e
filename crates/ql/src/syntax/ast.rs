//! What a script says, as it is written.

use std::fmt;

use polywire_core::text::diagnostic::Place;

use crate::path::JsonPath;

/// Where something stands in the script. Two things are equal wherever they stand.
#[derive(Clone, Copy, Default)]
pub struct At(pub Place);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.0.start, self.0.end)
    }
}

/// A script.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// Statements, blocks and comments, in the order of the text.
    pub items: Vec<Item>,
    /// What it returns.
    pub result: Option<Return>,
    /// Comments behind the return.
    pub trailing: Vec<Comment>,
}

/// Something that stands in a script or a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A comment. Those right before a statement belong to it.
    Comment(Comment),
    /// A statement.
    Line(Line),
    /// A choice.
    If(If),
    /// A block whose exceptions are caught.
    Try(Try),
    /// Raises an exception: only inside of blocks.
    Throw(Word),
}

/// A comment.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// What stands between its marks.
    pub text: String,
    /// Whether it is `/* … */`; else it runs to the end of a line.
    pub block: bool,
    /// Where.
    pub at: At,
}

/// A name without dots.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The name.
    pub text: String,
    /// Where.
    pub at: At,
}

/// A name, perhaps of words joined by dots.
pub type Name = Word;

/// Text in quotes, as it stands between them.
pub type Quoted = Word;

/// A statement, with those that take its place if it fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The variable that it is assigned to.
    pub name: Option<Word>,
    /// It, then its fallbacks.
    pub alternatives: Vec<Rhs>,
    /// Where.
    pub at: At,
}

/// What can be assigned or returned.
#[derive(Debug, Clone, PartialEq)]
pub enum Rhs {
    /// A statement.
    Statement(Statement),
    /// A value.
    Value(Value),
    /// A call of a user function.
    Call(FunctionCall),
    /// A variable: only behind `return`.
    Variable(Word),
}

/// A statement proper.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where.
    pub at: At,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `select`.
    Select(Box<Select>),
    /// `insert`.
    Insert(Box<Insert>),
    /// `update`.
    Update(Box<Update>),
    /// `delete`.
    Delete(Box<Delete>),
    /// `create table`.
    Create(Box<Create>),
    /// `show tables`.
    ShowTables,
    /// `show routes`.
    ShowRoutes,
    /// `describe`.
    Describe(Origin),
    /// `describe route`.
    DescribeRoute {
        /// Path of the route.
        path: Quoted,
        /// HTTP method, lower case.
        method: Word,
    },
}

/// A literal value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number in the syntax of JSON (RFC 8259, section 6), whatever way it was written.
    Number(String),
    /// Text, perhaps a reference.
    Text(String),
    /// Values in order.
    Array(Vec<Value>),
    /// Members in order.
    Object(Vec<(String, Value)>),
}

/// A number or text or path that something is compared with or set to.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// In quotes.
    Text(Quoted),
    /// A whole number, without leading zeros.
    Digits(Word),
    /// A path.
    Path(Path),
}

impl Operand {
    /// Where.
    pub fn at(&self) -> Place {
        match self {
            Operand::Text(word) | Operand::Digits(word) => word.at.0,
            Operand::Path(path) => path.at.0,
        }
    }
}

/// A path with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The steps.
    pub path: JsonPath,
    /// The steps as text, the first of them without quotes.
    pub text: String,
    /// Where.
    pub at: At,
}

/// `f(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// The function.
    pub name: Name,
    /// What it is given.
    pub arguments: Vec<Argument>,
    /// Where.
    pub at: At,
}

/// What a function is given.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// A variable or a column.
    Path(Path),
}

/// `select`.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// What of each row.
    pub columns: Columns,
    /// Of which tables or variables.
    pub sources: Vec<Origin>,
    /// Under which conditions.
    pub conditions: Vec<Condition>,
    /// Rows at most.
    pub limit: Option<u64>,
    /// Rows to leave out first.
    pub offset: Option<u64>,
    /// How long it may take.
    pub tail: Tail,
}

/// What of each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Columns {
    /// `*`.
    All,
    /// Columns by path.
    These(Vec<Column>),
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What.
    pub field: Field,
    /// Under which name.
    pub alias: Option<Name>,
}

/// What can stand for a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A path.
    Path(Path),
    /// A function call, which nothing makes.
    Call(FunctionCall),
}

/// A table or variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Its name.
    pub name: Name,
    /// What it is called in this statement.
    pub alias: Option<Name>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `=`, or `in` without brackets.
    Equal(Field, Operand),
    /// `in (…)`.
    Among(Name, Members),
    /// A user function decides.
    Call(FunctionCall),
}

/// What stands behind `in`.
#[derive(Debug, Clone, PartialEq)]
pub enum Members {
    /// The rows of another select.
    Select(Box<Select>, At),
    /// These.
    These(Vec<Member>),
}

/// One of several values.
#[derive(Debug, Clone, PartialEq)]
pub enum Member {
    /// In quotes.
    Text(Quoted),
    /// A whole number, without leading zeros.
    Digits(Word),
    /// A variable.
    Name(Name),
}

/// How long a statement may take, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tail {
    /// Until a reply.
    pub timeout: Option<u64>,
    /// The first pause after failures.
    pub min_delay: Option<u64>,
    /// The longest pause after failures.
    pub max_delay: Option<u64>,
}

/// `insert`.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// An object whose members are inserted.
    pub object: Option<Quoted>,
    /// Where into.
    pub into: Origin,
    /// Names.
    pub columns: Option<Columns>,
    /// Values.
    pub values: Option<Vec<Member>>,
    /// Attachments.
    pub parts: Vec<Member>,
    /// How long it may take.
    pub tail: Tail,
}

/// `update`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// What is changed.
    pub source: Origin,
    /// An object whose members are set.
    pub object: Quoted,
    /// How long it may take.
    pub tail: Tail,
}

/// `delete`.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Where from.
    pub source: Origin,
    /// Under which conditions.
    pub conditions: Vec<Condition>,
    /// How long it may take.
    pub tail: Tail,
}

/// A condition of words.
#[derive(Debug, Clone, PartialEq)]
pub enum Logic {
    /// A variable.
    Word(Word),
    /// Not this.
    Not(Box<Logic>),
    /// All of these.
    All(Vec<Logic>),
    /// Any of these.
    Any(Vec<Logic>),
}

/// `if`.
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// What decides.
    pub condition: Logic,
    /// If it holds.
    pub then: Vec<Item>,
    /// If it does not.
    pub otherwise: Option<Vec<Item>>,
    /// Where the condition stands.
    pub at: At,
}

/// `try`.
#[derive(Debug, Clone, PartialEq)]
pub struct Try {
    /// What may throw.
    pub body: Vec<Item>,
    /// What to do then.
    pub catches: Vec<Catch>,
    /// What to do in any case.
    pub finally: Option<Vec<Item>>,
    /// Where it begins.
    pub at: At,
}

/// `catch`.
#[derive(Debug, Clone, PartialEq)]
pub struct Catch {
    /// Which exceptions.
    pub condition: Logic,
    /// What to do.
    pub body: Vec<Item>,
    /// Where the condition stands.
    pub at: At,
}

/// `return`.
#[derive(Debug, Clone, PartialEq)]
pub struct Return {
    /// What, then its fallbacks.
    pub alternatives: Vec<Rhs>,
    /// The route that the script answers.
    pub route: Option<Route>,
    /// Where.
    pub at: At,
}

/// `via route`.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Path and query, with tokens.
    pub path: Quoted,
    /// `with optional params`.
    pub optional: bool,
    /// Defaults of parameters.
    pub defaults: Vec<Pair>,
    /// HTTP method, lower case.
    pub method: Word,
    /// Headers of the answer.
    pub headers: Vec<Pair>,
    /// Formats of the answer that need a schema.
    pub encoders: Vec<CodecClause>,
}

/// `name = value` in a clause.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The name.
    pub name: Word,
    /// The value.
    pub value: Operand,
}

/// `create table`.
#[derive(Debug, Clone, PartialEq)]
pub struct Create {
    /// Name of the table.
    pub name: Name,
    /// `via`.
    pub connector: Option<Word>,
    /// What can be done with it.
    pub verbs: Vec<Verb>,
}

/// The four things to do with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerbKind {
    /// Read rows.
    Select,
    /// Add.
    Insert,
    /// Change.
    Update,
    /// Take away.
    Delete,
}

impl VerbKind {
    /// All of them.
    pub const ALL: [VerbKind; 4] = [VerbKind::Select, VerbKind::Insert, VerbKind::Update, VerbKind::Delete];

    /// The keyword.
    pub const fn name(self) -> &'static str {
        match self {
            VerbKind::Select => "select",
            VerbKind::Insert => "insert",
            VerbKind::Update => "update",
            VerbKind::Delete => "delete",
        }
    }
}

/// What one verb of a table means.
#[derive(Debug, Clone, PartialEq)]
pub struct Verb {
    /// Which.
    pub kind: VerbKind,
    /// HTTP method, or what a connector is told behind `do`.
    pub method: Word,
    /// Whether `do … at` was written.
    pub connector_form: bool,
    /// Template of the URI.
    pub uri: Quoted,
    /// Other names of limit and offset.
    pub aliases: Vec<Pair>,
    /// Headers of the request.
    pub headers: Vec<Pair>,
    /// What a connector expects: name, and whether it must be there.
    pub expect: Vec<(Word, bool)>,
    /// Defaults of parameters.
    pub defaults: Vec<Pair>,
    /// File of hooks.
    pub patch: Option<Quoted>,
    /// Template of the body.
    pub body: Option<BodyClause>,
    /// File of an authentication module.
    pub auth: Option<Quoted>,
    /// Where the rows are in a reply.
    pub resultset: Option<Quoted>,
    /// Seconds that a reply may be kept.
    pub expires: Option<u64>,
    /// How replies are decoded.
    pub decoder: Option<CodecClause>,
    /// How documents become objects.
    pub mapping: Option<Quoted>,
    /// What is known of the shape of replies.
    pub shape: ShapeClause,
    /// Where.
    pub at: At,
}

/// `using bodyTemplate`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyClause {
    /// File of the template.
    pub template: Quoted,
    /// Media type.
    pub media: Quoted,
    /// Parameter of which each value makes a request.
    pub foreach: Option<Quoted>,
}

/// `using decoder` of a table, `using encoder` of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct CodecClause {
    /// Name of a format.
    pub format: Quoted,
    /// File of a schema.
    pub schema: Option<Quoted>,
    /// Type of the message in the schema.
    pub message: Option<Quoted>,
}

/// `with arrays … numbers … text …`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShapeClause {
    /// Paths that are always arrays.
    pub arrays: Vec<Quoted>,
    /// Paths of numbers.
    pub numbers: Vec<Quoted>,
    /// Paths of text, whatever it looks like.
    pub text: Vec<Quoted>,
}

impl ShapeClause {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.numbers.is_empty() && self.text.is_empty()
    }
}
