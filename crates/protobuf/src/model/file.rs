//! Files, what they are written in, and places in their text.

use std::fmt;

use super::ids::FileId;

/// Where something stands in the text of its file: lines and columns from 0, columns in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One behind the last column.
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
    /// Files that it imports, in order.
    pub imports: Vec<FileId>,
    /// Which of the imports are public, by index.
    pub public: Vec<u32>,
    /// Whether it should not be used any more.
    pub deprecated: bool,
}

/// What a file is written in.
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

/// As the file says it.
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
