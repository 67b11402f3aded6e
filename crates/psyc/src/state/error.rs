//! Packets that cannot be applied.

use core::fmt;

use alloc::vec::Vec;

use crate::packet::Operator;

/// Why a packet can't be applied. It has changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Number of the entity header's line, counted from 0. That of the last, or 0, if the packet as a whole is at fault.
    pub line: usize,
    /// The variable; empty if the packet as a whole is at fault.
    pub name: Vec<u8>,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a packet that can't be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The content of the packet was not taken apart.
    Raw,
    /// The name of the context has an LF, or that of a variable is no keyword.
    Name,
    /// Values of this type can't be added to or taken from: only numbers, lists and dicts can.
    Type,
    /// A value is no number, list, dict or update, though its variable's type or the index says so. This many bytes of it were right.
    Value(usize),
    /// A number would not fit: into 64 bits, or a degree into 0 to 9.
    Range,
    /// What is to be taken away, or to be changed, is not there.
    NotThere,
    /// The operator has no meaning inside of an update.
    Operator(Operator),
    /// A limit is exceeded: its name in [`Limits`].
    Limit(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "entity line {}, {}: ", self.line + 1, self.name.escape_ascii())?;
        }
        match self.kind {
            ErrorKind::Raw => write!(f, "the content was not parsed, so that its variables are not known"),
            ErrorKind::Name => write!(f, "a variable's name has to be a keyword, and a context's must not have a line feed"),
            ErrorKind::Type => write!(f, "only numbers, lists and dicts can be added to or taken from"),
            ErrorKind::Value(at) => write!(f, "byte {at} of the value: not what the type of the variable asks for"),
            ErrorKind::Range => write!(f, "the number would not fit"),
            ErrorKind::NotThere => write!(f, "what is to be changed or taken away is not there; the peer is to be asked for a resync"),
            ErrorKind::Operator(operator) => write!(f, "the operator '{}' has no meaning in an update", char::from(operator.byte())),
            ErrorKind::Limit(name) => write!(f, "the limit of {name} is exceeded"),
        }
    }
}

impl core::error::Error for Error {}
