//! What a decoder refuses, with the error codes of section 8.

use std::fmt;

use crate::dictionary::Revision;

/// Why bytes are refused, where, and in which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Found>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    problem: Problem,
    revision: Revision,
    offset: usize,
    path: Vec<Step>,
}

/// One step to a value that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The tag of a root, a field, or a member of a polymorph.
    Name(&'static str),
    /// An element of an array.
    Index(u32),
}

/// What is wrong, apart from the revision that gives it a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// No bytes at all.
    Empty,
    /// The bytes end too early.
    End,
    /// A number of variable length is too big.
    Overflow,
    /// A number of variable length is longer than it has to be, or a presence bit stands for no field.
    Padded,
    /// A byte that is neither true nor false.
    Boolean,
    /// A signed number of variable length is padded, or a negative zero.
    Varint,
    /// Text is not UTF-8.
    Text,
    /// The number is no enumerator.
    Enumerator,
    /// The tag is no member of the polymorph.
    Member,
    /// A root that the dictionary does not have.
    RootUnknown,
    /// A tag that is no root.
    NotRoot,
    /// A root of another tag than was asked for.
    RootType,
    /// Another dictionary than the one that the code was made of.
    Dictionary,
    /// A body in a revision that cannot say what the dictionary does.
    Revision,
    /// Bytes that are no part of a document, or follow its end.
    Document,
}

impl Problem {
    /// Its number in a revision (section 8).
    pub const fn code(self, revision: Revision) -> u32 {
        let (a, b) = match self {
            Problem::Empty => (2002, 22),
            Problem::End => (2003, 23),
            Problem::Overflow => (2004, 24),
            Problem::Padded => (25, 25),
            Problem::Boolean => (26, 26),
            Problem::Varint => (27, 27),
            Problem::Text => (29006, 29006),
            Problem::Enumerator => (31010, 31010),
            Problem::Member => (32003, 32003),
            Problem::RootUnknown => (13002, 5005),
            Problem::NotRoot => (13002, 13006),
            Problem::RootType => (13001, 13001),
            Problem::Dictionary => (9001, 9001),
            Problem::Revision => (24001, 24001),
            Problem::Document => (11001, 11001),
        };
        if matches!(revision, Revision::A) { a } else { b }
    }

    /// What was seen, for people.
    pub const fn text(self) -> &'static str {
        match self {
            Problem::Empty => "no bytes",
            Problem::End => "the end of the bytes",
            Problem::Overflow => "a number that is too big",
            Problem::Padded => "a number with a zero byte behind it, or a presence bit without a field",
            Problem::Boolean => "a byte that is neither 00 nor FF",
            Problem::Varint => "a signed number that is padded, or a negative zero",
            Problem::Text => "text that is not UTF-8",
            Problem::Enumerator => "a number that is no enumerator",
            Problem::Member => "a tag that is no member of the polymorph",
            Problem::RootUnknown => "a root whose id the dictionary does not have",
            Problem::NotRoot => "a tag that is not a root",
            Problem::RootType => "a root of another tag",
            Problem::Dictionary => "another dictionary than this code is made of",
            Problem::Revision => "a body of a revision that has no bytes for the dictionary's types",
            Problem::Document => "bytes that are no part of a document",
        }
    }
}

impl Error {
    #[cold]
    pub(crate) fn new(problem: Problem, revision: Revision, offset: usize, path: Vec<Step>) -> Error {
        Error(Box::new(Found { problem, revision, offset, path }))
    }

    /// What is wrong.
    pub fn problem(&self) -> Problem {
        self.0.problem
    }

    /// The number of section 8.
    pub fn code(&self) -> u32 {
        self.0.problem.code(self.0.revision)
    }

    /// Offset of the byte: of the value that is refused, or of the end where bytes are missing.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Names and indices from the outside in.
    pub fn path(&self) -> &[Step] {
        &self.0.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (USDS error {}), at byte {}", self.0.problem.text(), self.code(), self.0.offset)?;
        for (n, step) in self.0.path.iter().enumerate() {
            match step {
                Step::Name(name) if n == 0 => write!(f, ", in {name}")?,
                Step::Name(name) => write!(f, ".{name}")?,
                Step::Index(index) if n == 0 => write!(f, ", in [{index}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
