//! Scripts as trees.

use std::fmt;

use polywire_core::text::diagnostic::Place;

use crate::path::JsonPath;

/// A place in the script. All places are equal, so that equal trees may stand at different places.
#[derive(Clone, Copy, Default)]
pub struct At(pub Place);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

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
    /// The returned value.
    pub result: Option<Return>,
    /// Comments behind the return.
    pub trailing: Vec<Comment>,
}

/// An item of a script or block.
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
    /// Raises an exception; only in blocks.
    Throw(Word),
}

/// A comment.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// Text between its marks.
    pub text: String,
    /// True for `/* … */`; else it runs to the end of a line.
    pub block: bool,
    /// Place.
    pub at: At,
}

/// A name without dots.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The name.
    pub text: String,
    /// Place.
    pub at: At,
}

/// A name, perhaps of words joined by dots.
pub type Name = Word;

/// Text in quotes, as it stands between them.
pub type Quoted = Word;

/// A statement, with its fallbacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The variable that it is assigned to.
    pub name: Option<Word>,
    /// The statement, then its fallbacks.
    pub alternatives: Vec<Rhs>,
    /// Place.
    pub at: At,
}

/// The right-hand side of an assignment or return.
#[derive(Debug, Clone, PartialEq)]
pub enum Rhs {
    /// A statement.
    Statement(Statement),
    /// A value.
    Value(Value),
    /// A call of a user function.
    Call(FunctionCall),
    /// A variable; only behind `return`.
    Variable(Word),
}

/// A statement proper.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Kind.
    pub kind: StatementKind,
    /// Place.
    pub at: At,
}

/// The kind of a statement.
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
    /// A number in the syntax of JSON (RFC 8259 6), however it was written.
    Number(String),
    /// Text, perhaps a reference.
    Text(String),
    /// Values in order.
    Array(Vec<Value>),
    /// Members in order.
    Object(Vec<(String, Value)>),
}

/// A number, text or path that something is compared with or set to.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// Text in quotes.
    Text(Quoted),
    /// A whole number, without leading zeros.
    Digits(Word),
    /// A path.
    Path(Path),
}

impl Operand {
    /// Returns the place.
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
    /// Place.
    pub at: At,
}

/// `f(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// The function.
    pub name: Name,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Place.
    pub at: At,
}

/// An argument of a function.
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
    /// Columns of each row.
    pub columns: Columns,
    /// Tables, variables or files.
    pub sources: Vec<Origin>,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Most rows.
    pub limit: Option<u64>,
    /// Rows to leave out first.
    pub offset: Option<u64>,
    /// Timeout and delays.
    pub tail: Tail,
}

/// The columns of a select or insert.
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
    /// Value.
    pub field: Field,
    /// Name in the result.
    pub alias: Option<Name>,
}

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A path.
    Path(Path),
    /// A function call, which is never made.
    Call(FunctionCall),
}

/// A table, a variable or a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Its name; the path of a file.
    pub name: Name,
    /// Set for a file, whose path stands in quotes.
    pub file: Option<FileClause>,
    /// Name in this statement.
    pub alias: Option<Name>,
}

/// The clauses behind the path of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileClause {
    /// Path in each document to the values that are rows: `each`.
    pub each: Option<Quoted>,
    /// Format of the file: `using decoder`.
    pub decoder: Option<CodecClause>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// `=`, or `in` without brackets.
    Equal(Field, Operand),
    /// `in (…)`.
    Among(Name, Members),
    /// A user function that decides.
    Call(FunctionCall),
}

/// The right-hand side of `in`.
#[derive(Debug, Clone, PartialEq)]
pub enum Members {
    /// The rows of another select.
    Select(Box<Select>, At),
    /// Listed values.
    These(Vec<Member>),
}

/// A value of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Member {
    /// Text in quotes.
    Text(Quoted),
    /// A whole number, without leading zeros.
    Digits(Word),
    /// A variable.
    Name(Name),
}

/// Timeout and delays of a statement, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tail {
    /// Longest time until a reply.
    pub timeout: Option<u64>,
    /// First pause after failures.
    pub min_delay: Option<u64>,
    /// Longest pause after failures.
    pub max_delay: Option<u64>,
}

/// `insert`.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// An object whose members are inserted.
    pub object: Option<Quoted>,
    /// Table or variable that gets the values.
    pub into: Origin,
    /// Names.
    pub columns: Option<Columns>,
    /// Values.
    pub values: Option<Vec<Member>>,
    /// Attachments.
    pub parts: Vec<Member>,
    /// Timeout and delays.
    pub tail: Tail,
}

/// `update`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Table or variable that changes.
    pub source: Origin,
    /// An object whose members are set.
    pub object: Quoted,
    /// Timeout and delays.
    pub tail: Tail,
}

/// `delete`.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Table or variable.
    pub source: Origin,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// Timeout and delays.
    pub tail: Tail,
}

/// A condition of words.
#[derive(Debug, Clone, PartialEq)]
pub enum Logic {
    /// A variable.
    Word(Word),
    /// Negation.
    Not(Box<Logic>),
    /// Conjunction.
    All(Vec<Logic>),
    /// Disjunction.
    Any(Vec<Logic>),
}

/// `if`.
#[derive(Debug, Clone, PartialEq)]
pub struct If {
    /// Condition.
    pub condition: Logic,
    /// Items if it holds.
    pub then: Vec<Item>,
    /// Items if it does not.
    pub otherwise: Option<Vec<Item>>,
    /// Place of the condition.
    pub at: At,
}

/// `try`.
#[derive(Debug, Clone, PartialEq)]
pub struct Try {
    /// Items that may throw.
    pub body: Vec<Item>,
    /// Handlers of exceptions.
    pub catches: Vec<Catch>,
    /// Items that run in any case.
    pub finally: Option<Vec<Item>>,
    /// Place of its beginning.
    pub at: At,
}

/// `catch`.
#[derive(Debug, Clone, PartialEq)]
pub struct Catch {
    /// Exceptions that it handles.
    pub condition: Logic,
    /// Items.
    pub body: Vec<Item>,
    /// Place of the condition.
    pub at: At,
}

/// `return`.
#[derive(Debug, Clone, PartialEq)]
pub struct Return {
    /// The value, then its fallbacks.
    pub alternatives: Vec<Rhs>,
    /// The route that the script answers.
    pub route: Option<Route>,
    /// Place.
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
    /// Connector: `via`.
    pub connector: Option<Word>,
    /// Verbs of the table.
    pub verbs: Vec<Verb>,
}

/// A verb of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerbKind {
    /// Reads rows.
    Select,
    /// Adds rows.
    Insert,
    /// Changes rows.
    Update,
    /// Removes rows.
    Delete,
}

impl VerbKind {
    /// All verbs.
    pub const ALL: [VerbKind; 4] = [VerbKind::Select, VerbKind::Insert, VerbKind::Update, VerbKind::Delete];

    /// Returns the keyword.
    pub const fn name(self) -> &'static str {
        match self {
            VerbKind::Select => "select",
            VerbKind::Insert => "insert",
            VerbKind::Update => "update",
            VerbKind::Delete => "delete",
        }
    }
}

/// The meaning of one verb of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Verb {
    /// Verb.
    pub kind: VerbKind,
    /// HTTP method, or the word for a connector behind `do`.
    pub method: Word,
    /// True if `do … at` was written.
    pub connector_form: bool,
    /// Template of the URI.
    pub uri: Quoted,
    /// Other names of limit and offset.
    pub aliases: Vec<Pair>,
    /// Headers of the request.
    pub headers: Vec<Pair>,
    /// Parameters that a connector expects: name, and whether it is required.
    pub expect: Vec<(Word, bool)>,
    /// Defaults of parameters.
    pub defaults: Vec<Pair>,
    /// File of hooks.
    pub patch: Option<Quoted>,
    /// Template of the body.
    pub body: Option<BodyClause>,
    /// File of an authentication module.
    pub auth: Option<Quoted>,
    /// Names on the way to the rows in a reply.
    pub resultset: Option<Quoted>,
    /// Seconds that a reply may be cached.
    pub expires: Option<u64>,
    /// Decoder of replies.
    pub decoder: Option<CodecClause>,
    /// Encoder of requests.
    pub encoder: Option<CodecClause>,
    /// Envelope of requests and replies.
    pub soap: Option<SoapClause>,
    /// Mapping that makes objects of documents.
    pub mapping: Option<Quoted>,
    /// Known shape of replies.
    pub shape: ShapeClause,
    /// Way from one page of rows to the next.
    pub pages: Option<PagesClause>,
    /// Parameters that a join fills with many values at once: name, and path of the value in a row.
    pub batches: Vec<Pair>,
    /// True if equal requests of one execution share a reply, false if they never do.
    pub shared: Option<bool>,
    /// Place.
    pub at: At,
}

/// `using bodyTemplate`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyClause {
    /// File of the template.
    pub template: Quoted,
    /// Media type.
    pub media: Quoted,
    /// Parameter whose values make one request each.
    pub foreach: Option<Quoted>,
}

/// `using soap`.
#[derive(Debug, Clone, PartialEq)]
pub struct SoapClause {
    /// Version of the protocol.
    pub version: Quoted,
    /// Element of the request, with its namespace in braces before it.
    pub element: Option<Quoted>,
    /// Names of parameters, in the order of their elements.
    pub order: Vec<Quoted>,
}

/// `using decoder` and `using encoder` of a table, `using encoder` of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct CodecClause {
    /// Name of a format.
    pub format: Quoted,
    /// File of a schema.
    pub schema: Option<Quoted>,
    /// Type of the message in the schema.
    pub message: Option<Quoted>,
}

/// `with pages by …`.
#[derive(Debug, Clone, PartialEq)]
pub struct PagesClause {
    /// Way to the next page.
    pub by: PagesBy,
    /// Most pages of one request.
    pub most: Option<u64>,
}

/// The way from one page to the next.
#[derive(Debug, Clone, PartialEq)]
pub enum PagesBy {
    /// Number of the page: `page`.
    Page(Counted),
    /// Number of rows before the page: `offset`.
    Offset(Counted),
    /// Text in each reply that asks for the next page: `cursor`.
    Cursor {
        /// Name of the parameter.
        name: Quoted,
        /// Names on the way to the cursor in a reply.
        path: Quoted,
    },
    /// URI of the next page: `link`.
    Link {
        /// Names on the way to it in a reply; `None` for the header `Link`.
        path: Option<Quoted>,
    },
}

/// A parameter that counts pages or rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// Name of the parameter.
    pub name: Quoted,
    /// Its value for the first page.
    pub first: Option<u64>,
    /// Rows of a full page.
    pub size: Option<u64>,
}

/// `with arrays … numbers … text …`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShapeClause {
    /// Paths that are always arrays.
    pub arrays: Vec<Quoted>,
    /// Paths of numbers.
    pub numbers: Vec<Quoted>,
    /// Paths of text, also if it looks like a number.
    pub text: Vec<Quoted>,
}

impl ShapeClause {
    /// Returns whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.numbers.is_empty() && self.text.is_empty()
    }
}
