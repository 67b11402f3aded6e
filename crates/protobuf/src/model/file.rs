//! Files, their editions, and places in their text.

use std::fmt;

use super::ids::FileId;

/// A place in the text of a file: lines and columns from 0, columns in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Last column, exclusive.
    pub end_column: u32,
}

/// A `.proto` file.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Path, as imports name it.
    pub name: Box<str>,
    /// Package, empty if there is none.
    pub package: Box<str>,
    /// Syntax or edition.
    pub edition: Edition,
    /// Imported files, in order.
    pub imports: Vec<FileId>,
    /// Indices of the public imports.
    pub public: Vec<u32>,
    /// Marks it deprecated.
    pub deprecated: bool,
}

/// The syntax or edition of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// `syntax = "proto2"`, or nothing.
    Proto2,
    /// `syntax = "proto3"`.
    Proto3,
    /// `edition = "2023"`.
    E2023,
    /// `edition = "2024"`.
    E2024,
}

/// Writes it as the file spells it.
impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Edition::Proto2 => "proto2",
            Edition::Proto3 => "proto3",
            Edition::E2023 => "2023",
            Edition::E2024 => "2024",
        })
    }
}
