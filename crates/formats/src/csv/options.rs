//! Settings: marks, header, ragged rows, types of columns.

use std::sync::Arc;

use polywire_core::format::{Configure, Configured, Setting};
use polywire_core::{Error, Reader, Result, Writer};

use super::header::{Named, Types};
use super::lex::{Marks, NAME};
use super::{CsvReader, CsvWriter};

/// Treatment of rows with another number of cells than the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ragged {
    /// An error.
    #[default]
    Refuse,
    /// Missing cells are null; too many are an error.
    Pad,
    /// Missing cells are no fields; those beyond the header are fields named by their number.
    Keep,
}

/// How a table is read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Name of the format in errors.
    pub name: &'static str,
    /// The byte between cells; `None` if the first row decides, and for a writer the comma.
    pub separator: Option<u8>,
    /// The byte around cells, if any may be.
    pub quote: Option<u8>,
    /// True if the first row names the columns.
    pub header: bool,
    /// Names of the columns, in place of a header's; empty for none.
    pub columns: Vec<String>,
    /// Rows with another number of cells than the header.
    pub ragged: Ragged,
    /// Types of the columns that the header does not declare.
    pub types: Types,
}

impl Options {
    /// Returns how the tables of the format `name` are read and written without settings.
    pub const fn new(name: &'static str, separator: Option<u8>) -> Options {
        Options { name, separator, quote: Some(b'"'), header: true, columns: Vec::new(), ragged: Ragged::Refuse, types: Types::EACH_CELL }
    }

    /// Returns the marks of a table with this separator.
    pub fn marks(&self, separator: u8) -> Marks {
        Marks { separator, quote: self.quote }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new(NAME, None)
    }
}

/// The settings of a format of tables.
pub struct TableSettings {
    /// Name of the format.
    pub name: &'static str,
    /// The byte between cells where the user names none.
    pub separator: Option<u8>,
}

const NO_HEADER: &str = "no-header";
const SEPARATOR: &str = "separator";
const QUOTE: &str = "quote";
const COLUMNS: &str = "columns";
const RAGGED: &str = "ragged";
const TYPES: &str = "types";

static LIST: &[Setting] = &[
    Setting::new(SEPARATOR, "CHAR", "Character between cells, also tab, comma, semicolon, pipe or space").reads().writes("to-separator"),
    Setting::new(QUOTE, "CHAR", "Character around cells that hold separators; none: no cell has one").reads().writes("to-quote"),
    Setting::switch(NO_HEADER, "The first row is data: columns are named 1, 2, 3, or by the option for columns")
        .reads()
        .writes("to-no-header"),
    Setting::new(COLUMNS, "NAME[,NAME…]", "Names of the columns, in order, in place of the first row's or the first message's")
        .reads()
        .writes("to-columns"),
    Setting::new(
        RAGGED,
        "POLICY",
        "Rows with fewer or more cells than the header: error; pad: missing cells are null; keep: missing cells are absent, \
         and cells beyond are named by their number",
    )
    .reads(),
    Setting::new(
        TYPES,
        "TYPE|NAME:TYPE[,…]",
        "Types of columns, * for all others: infer (one type for a column, by the first rows), cell (each cell what it looks like), \
         text, integer, number, boolean, time, bytes",
    )
    .reads()
    .usual("infer"),
];

impl Configure for TableSettings {
    fn settings(&self) -> &'static [Setting] {
        LIST
    }

    fn configure(&self, given: &[(&str, &str)]) -> Result<Arc<dyn Configured>> {
        let mut options = Options::new(self.name, self.separator);
        for &(name, value) in given {
            match name {
                SEPARATOR => options.separator = Some(mark(name, value)?),
                QUOTE => options.quote = if value == "none" { None } else { Some(mark(name, value)?) },
                NO_HEADER => options.header = false,
                COLUMNS => options.columns = columns(value)?,
                RAGGED => options.ragged = ragged(value)?,
                TYPES => options.types = types(value)?,
                _ => return Err(Error::usage(format!("the setting `{name}`"))),
            }
        }
        if options.separator.is_some() && options.separator == options.quote {
            return Err(Error::usage("one character both between and around cells").expected("two characters"));
        }
        Ok(Arc::new(Table(options)))
    }
}

/// Tables with settings.
struct Table(Options);

impl Configured for Table {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(CsvReader::new(self.0.clone()))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(CsvWriter::new(self.0.clone())))
    }
}

/// Reads a separator or a quote.
fn mark(name: &str, value: &str) -> Result<u8> {
    let named = match value {
        "tab" | "\\t" => Some(b'\t'),
        "comma" => Some(b','),
        "semicolon" => Some(b';'),
        "pipe" => Some(b'|'),
        "space" => Some(b' '),
        _ => None,
    };
    let single = match value.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Some(*byte),
        _ => None,
    };
    named.or(single).ok_or_else(|| {
        let error = Error::usage(format!("the {name} `{value}`")).expected("one ASCII character that is no line break, or tab");
        if value.chars().count() == 1 { error.hint("other characters would be looked for in the middle of texts too") } else { error }
    })
}

fn columns(value: &str) -> Result<Vec<String>> {
    let names: Vec<String> = value.split(',').map(str::to_string).collect();
    let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
    match twice {
        Some((_, name)) => Err(Error::usage(format!("the column `{name}` for the second time")).expected("each column once")),
        None => Ok(names),
    }
}

fn ragged(value: &str) -> Result<Ragged> {
    match value {
        "error" => Ok(Ragged::Refuse),
        "pad" => Ok(Ragged::Pad),
        "keep" => Ok(Ragged::Keep),
        _ => Err(Error::usage(format!("the policy `{value}` for ragged rows")).expected("one of error, pad, keep")),
    }
}

fn types(value: &str) -> Result<Types> {
    let kind = |word: &str| {
        Named::of(word).ok_or_else(|| {
            Error::usage(format!("the type `{word}`")).expected("one of infer, cell, text, integer, number, boolean, time, bytes")
        })
    };
    if !value.contains(':') {
        return Ok(Types { columns: Vec::new(), others: kind(value)? });
    }
    let mut types = Types { columns: Vec::new(), others: Named::Infer };
    for part in value.split(',') {
        let Some((name, word)) = part.rsplit_once(':') else {
            return Err(Error::usage(format!("`{part}` among the types of columns")).expected("NAME:TYPE"));
        };
        match name {
            "*" => types.others = kind(word)?,
            _ => types.columns.push((name.to_string(), kind(word)?)),
        }
    }
    Ok(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        assert_eq!(mark("separator", ";").unwrap(), b';');
        assert_eq!(mark("separator", "\\t").unwrap(), b'\t');
        for value in ["", ";;", "\n", "§"] {
            assert!(mark("separator", value).is_err(), "{value:?}");
        }
        assert_eq!(columns("a,b").unwrap(), ["a", "b"]);
        assert!(columns("a,b,a").is_err());
        assert!(ragged("no").is_err());
        let read = types("id:integer,a:b:text,*:cell").unwrap();
        assert_eq!(read.others, Named::Cell);
        assert_eq!(read.columns.len(), 2);
        assert_eq!(read.columns[1].0, "a:b");
        assert!(types("id:int,name").is_err() && types("whole").is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        let settings = TableSettings { name: NAME, separator: None };
        assert!(settings.configure(&[("separator", ";"), ("quote", ";")]).is_err());
        assert!(settings.configure(&[("indent", "2")]).is_err());
        assert!(settings.configure(&[("separator", ";"), ("quote", "none"), ("no-header", "")]).is_ok());
    }
}
