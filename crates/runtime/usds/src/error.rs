//! The errors of a decoder, with the codes of docs/spec/usds.md 8.

use std::fmt;

use crate::marker::Usds;
use crate::revision::Revision;

/// Why bytes are refused, where, and in which field.
pub type Error = polywire_runtime::Error<Usds>;

/// A problem of bytes in one revision, which gives it a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The mistake.
    pub problem: Problem,
    /// Revision of the dictionary that the code was generated from.
    pub revision: Revision,
}

/// The mistake in refused bytes, in any revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// No bytes at all.
    Empty,
    /// The bytes end too early.
    End,
    /// A number of variable length is too big.
    Overflow,
    /// A number of variable length is over-long, or a presence bit stands for no field.
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
    /// A root of another tag than the requested one.
    RootType,
    /// Another dictionary than the one that the code was generated from.
    Dictionary,
    /// A body of a revision that has no bytes for the dictionary's types.
    Revision,
    /// Bytes that are no part of a document, or follow its end.
    Document,
}

impl Problem {
    /// Returns its number in a revision (docs/spec/usds.md 8).
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

    /// Returns what was seen, for people.
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
            Problem::Dictionary => "another dictionary than this code is generated from",
            Problem::Revision => "a body of a revision that has no bytes for the dictionary's types",
            Problem::Document => "bytes that are no part of a document",
        }
    }
}

impl Cause {
    /// Returns the number of docs/spec/usds.md 8.
    pub const fn code(self) -> u32 {
        self.problem.code(self.revision)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (USDS error {})", self.problem.text(), self.code())
    }
}
