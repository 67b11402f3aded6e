//! The first row of a table: names, and types if it declares them.

use polywire_core::Result;

use super::lex::{cell, separator};

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The type that each cell looks like; text if in quotes.
    Any,
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
}

/// Returns name and type if `cell` declares a type: `name:type`.
pub fn declared(cell: &str) -> Option<(&str, Type)> {
    let (name, kind) = cell.rsplit_once(':')?;
    Some((name, Type::named(kind)?))
}

/// The names and types of a table's columns.
#[derive(Debug, Default)]
pub struct Header {
    /// The byte between cells.
    pub separator: u8,
    names: String,
    /// End of each name in `names`, and the column's type.
    columns: Vec<(usize, Type)>,
}

impl Header {
    /// Reads the row at `start` of `text`; errors count from `base`. Returns the end of the row,
    /// without its line break.
    ///
    /// Types are declared only if every cell declares one without quotes. So quotes in one of them
    /// keep colons as they are.
    pub fn read(&mut self, text: &str, start: usize, row: &[u8], base: u64) -> Result<usize> {
        self.separator = separator(row);
        self.names.clear();
        self.columns.clear();
        let bytes = text.as_bytes();
        let mut at = start;
        let mut typed = true;
        let end = loop {
            let cell = cell(bytes, at, self.separator, base)?;
            let name = &text[cell.from..cell.to];
            for (index, piece) in name.split("\"\"").enumerate() {
                // Only names in quotes contain quotes.
                self.names.push_str(if index > 0 { "\"" } else { "" });
                self.names.push_str(piece);
            }
            self.columns.push((self.names.len(), Type::Any));
            typed = typed && !cell.quoted && declared(name).is_some();
            at = cell.end() + 1;
            if bytes.get(cell.end()) != Some(&self.separator) {
                break cell.end();
            }
        };
        if typed {
            self.take_types();
        }
        Ok(end)
    }

    fn take_types(&mut self) {
        let cells = std::mem::take(&mut self.names);
        let mut from = 0;
        for (end, kind) in &mut self.columns {
            if let Some((name, named)) = declared(&cells[from..*end]) {
                self.names.push_str(name);
                from = *end;
                (*end, *kind) = (self.names.len(), named);
            }
        }
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns name and type of the column `index`, which must exist.
    pub fn column(&self, index: usize) -> (&str, Type) {
        let from = index.checked_sub(1).map_or(0, |before| self.columns[before].0);
        let (to, kind) = self.columns[index];
        (&self.names[from..to], kind)
    }
}
