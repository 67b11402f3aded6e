//! The columns of a table: their names, and their types where the first row or the caller declares
//! them.

use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::{Error, ErrorKind, Result};

use super::lex::{Cell, Marks, RowEnd, after_blank_lines, cell, unescape};
use super::options::Options;

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The type that each cell looks like; text if in quotes.
    Any,
    /// As [`Type::Any`], until the first value decides.
    Undecided,
    /// Numbers that look like ones; other cells are text, and remarked.
    Numbers,
    /// `true` and `false`; other cells are text, and remarked.
    Bools,
    /// Text, in quotes or not.
    Text,
    /// Whole numbers.
    Int,
    /// Numbers in JSON's spelling, `NaN`, `inf` and `-inf`.
    Float,
    /// `true` and `false`.
    Bool,
    /// RFC 3339 in UTC.
    Time,
    /// base64.
    Bytes,
}

impl Type {
    /// Returns the type with this name in a header.
    fn named(name: &str) -> Option<Type> {
        Some(match name {
            "any" => Type::Any,
            "text" => Type::Text,
            "int" => Type::Int,
            "float" => Type::Float,
            "bool" => Type::Bool,
            "time" => Type::Time,
            "bytes" => Type::Bytes,
            _ => return None,
        })
    }

    /// Returns the type of a column that has values of this type, and then a cell of the other one.
    fn joined(self, other: Type) -> Type {
        match (self, other) {
            (Type::Undecided, other) => other,
            (this, Type::Undecided) => this,
            (this, other) if this == other => this,
            _ => Type::Text,
        }
    }

    /// Returns the type that a column has by one of its cells.
    pub fn of(contents: &str, quoted: bool) -> Type {
        match classify(contents) {
            _ if quoted => Type::Text,
            _ if contents.is_empty() => Type::Undecided,
            Lexical::Bool(_) => Type::Bools,
            Lexical::Text => Type::Text,
            _ => Type::Numbers,
        }
    }
}

/// The type that a caller names for a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// One type for the column, by the first rows.
    Infer,
    /// Each cell is what it looks like.
    Cell,
    /// This type.
    Is(Type),
}

impl Named {
    /// Returns what a word names.
    pub fn of(word: &str) -> Option<Named> {
        Some(match word {
            "infer" => Named::Infer,
            "cell" | "any" => Named::Cell,
            "text" => Named::Is(Type::Text),
            "integer" | "int" => Named::Is(Type::Int),
            "number" | "decimal" | "float" => Named::Is(Type::Float),
            "boolean" | "bool" => Named::Is(Type::Bool),
            "time" => Named::Is(Type::Time),
            "bytes" => Named::Is(Type::Bytes),
            _ => return None,
        })
    }
}

/// The types that a caller names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Types {
    /// Those of columns by name.
    pub columns: Vec<(String, Named)>,
    /// That of all other columns.
    pub others: Named,
}

impl Types {
    /// Each cell is what it looks like.
    pub const EACH_CELL: Types = Types { columns: Vec::new(), others: Named::Cell };

    /// Reports whether the first rows decide about a column.
    pub fn infers(&self) -> bool {
        self.others == Named::Infer || self.columns.iter().any(|(_, named)| *named == Named::Infer)
    }
}

/// Returns name and type if `cell` declares a type: `name:type`.
pub fn declared(cell: &str) -> Option<(&str, Type)> {
    let (name, kind) = cell.rsplit_once(':')?;
    Some((name, Type::named(kind)?))
}

/// The names and types of a table's columns.
#[derive(Debug, Default, Clone)]
pub struct Header {
    /// The bytes between and around cells.
    pub marks: Marks,
    names: String,
    /// End of each name in `names`.
    ends: Vec<usize>,
    types: Vec<Type>,
    /// True if no two columns have one name.
    unique: bool,
    /// Names of columns beyond the header, which are numbers.
    beyond: Vec<String>,
}

impl Header {
    /// Reads the row at `start` of `text`; errors count from `base`. Returns the end of the row,
    /// without its line break.
    ///
    /// Types are declared only if every cell declares one without quotes. So quotes in one of them
    /// keep colons as they are.
    pub fn read(&mut self, text: &str, start: usize, marks: Marks, base: u64) -> Result<usize> {
        self.clear(marks);
        let bytes = text.as_bytes();
        let mut at = start;
        let mut typed = true;
        let mut name = String::new();
        let end = loop {
            let cell = cell(bytes, at, marks, base)?;
            unescape(&text[cell.from..cell.to], &cell, marks, &mut name);
            typed = typed && !cell.quoted && declared(&name).is_some();
            self.push(&name, Type::Any);
            at = cell.end() + 1;
            if bytes.get(cell.end()) != Some(&marks.separator) {
                break cell.end();
            }
        };
        if typed {
            self.take_types();
        }
        Ok(end)
    }

    /// Names the columns of a table whose row at `start` of `text` is data: by their numbers.
    pub fn number(&mut self, text: &str, start: usize, marks: Marks, base: u64) -> Result<()> {
        self.clear(marks);
        for number in 1..=count(text.as_bytes(), start, marks, base)? {
            self.push(itoa::Buffer::new().format(number), Type::Any);
        }
        Ok(())
    }

    /// Names the columns as the caller does, if he does, and gives them their types. `ahead` holds
    /// the types of the first rows' cells. `at` is the offset of the first row.
    pub fn settle(&mut self, options: &Options, ahead: &[Type], at: u64) -> Result<()> {
        if !options.columns.is_empty() {
            if options.header && options.columns.len() != self.len() {
                return Err(Error::data(ErrorKind::Syntax, at)
                    .seen(format!("{} columns", self.len()))
                    .expected(format!("the {} that the caller names", options.columns.len())));
            }
            let types = std::mem::take(&mut self.types);
            self.clear(self.marks);
            for (column, name) in options.columns.iter().enumerate() {
                self.push(name, types.get(column).copied().unwrap_or(Type::Any));
            }
        }
        for (name, _) in &options.types.columns {
            if !(0..self.len()).any(|column| self.name(column) == name) {
                let names: Vec<&str> = (0..self.len()).map(|column| self.name(column)).collect();
                return Err(Error::usage(format!("a type for the column `{name}`")).expected(format!("one of {}", names.join(", "))));
            }
        }
        for column in 0..self.len() {
            // A declaration in the header is the table's own.
            if self.types[column] == Type::Any {
                let named = options.types.columns.iter().find(|(name, _)| self.name(column) == name);
                self.types[column] = match named.map_or(options.types.others, |(_, named)| *named) {
                    Named::Infer => ahead.get(column).copied().unwrap_or(Type::Undecided),
                    Named::Cell => Type::Any,
                    Named::Is(kind) => kind,
                };
            }
        }
        let mut sorted: Vec<&str> = (0..self.len()).map(|column| self.name(column)).collect();
        sorted.sort_unstable();
        self.unique = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        Ok(())
    }

    fn clear(&mut self, marks: Marks) {
        self.marks = marks;
        self.names.clear();
        self.ends.clear();
        self.types.clear();
        self.beyond.clear();
    }

    fn push(&mut self, name: &str, kind: Type) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
        self.types.push(kind);
    }

    fn take_types(&mut self) {
        let cells = std::mem::take(&mut self.names);
        let mut from = 0;
        for (end, kind) in self.ends.iter_mut().zip(&mut self.types) {
            if let Some((name, named)) = declared(&cells[from..*end]) {
                self.names.push_str(name);
                from = *end;
                (*end, *kind) = (self.names.len(), named);
            }
        }
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reports whether no two columns have one name.
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// Reports whether no later row decides about the type of a column.
    pub fn is_settled(&self) -> bool {
        !self.types.contains(&Type::Undecided)
    }

    /// Reports whether each cell is what it looks like, in every column.
    pub fn is_plain(&self) -> bool {
        self.types.iter().all(|kind| *kind == Type::Any)
    }

    /// Returns the name of the column `index`, which must exist.
    #[inline]
    pub fn name(&self, index: usize) -> &str {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[from..self.ends[index]]
    }

    /// Returns the type of the column `index`, which must exist.
    #[inline]
    pub fn kind(&self, index: usize) -> Type {
        self.types[index]
    }

    /// Sets the type of the column `index`, which must exist.
    pub fn decide(&mut self, index: usize, kind: Type) {
        self.types[index] = kind;
    }

    /// Makes the names of columns beyond the header up to `count` columns.
    pub fn extend(&mut self, count: usize) {
        for number in self.len() + self.beyond.len()..count {
            self.beyond.push((number + 1).to_string());
        }
    }

    /// Returns the name of a column beyond the header, after [`Header::extend`].
    pub fn beyond(&self, index: usize) -> &str {
        self.beyond.get(index - self.len()).map_or("", String::as_str)
    }
}

/// Returns the number of cells of the row at `start`.
pub fn count(bytes: &[u8], start: usize, marks: Marks, base: u64) -> Result<usize> {
    let mut at = start;
    for number in 1.. {
        let cell = cell(bytes, at, marks, base)?;
        if bytes.get(cell.end()) != Some(&marks.separator) {
            return Ok(number);
        }
        at = cell.end() + 1;
    }
    Ok(0)
}

/// Returns the types that the columns have by the whole rows of `bytes`, the first one at `start`.
/// A row that is malformed ends the look: its walk reports it.
pub fn look_ahead(bytes: &[u8], start: usize, marks: Marks, whole: bool) -> Vec<Type> {
    let mut types = Vec::new();
    let mut at = start;
    while at < bytes.len() {
        let found = RowEnd::new(at, marks.quote).find(bytes, at, Some(marks.separator), whole);
        let Some(end) = found.or(whole.then_some(bytes.len())) else { break };
        let Ok(row) = std::str::from_utf8(&bytes[at..end]) else { break };
        let mut from = 0;
        for column in 0.. {
            let Ok(Cell { from: start, to, quoted, .. }) = cell(row.as_bytes(), from, marks, 0) else { return types };
            let kind = Type::of(&row[start..to], quoted);
            match types.get_mut(column) {
                Some(known) => *known = Type::joined(*known, kind),
                None => types.push(kind),
            }
            let end = to + usize::from(quoted);
            if row.as_bytes().get(end) != Some(&marks.separator) {
                break;
            }
            from = end + 1;
        }
        at = after_blank_lines(bytes, end);
    }
    types
}
