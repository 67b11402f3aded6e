//! Packets that cannot be applied.

use core::fmt;

use alloc::vec::Vec;

use crate::packet::Operator;

/// A packet that cannot be applied. It has changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The number of the line in the entity header, counted from 0; if the packet as a whole is at
    /// fault, that of its last line, or 0.
    pub line: usize,
    /// The variable; empty if the packet as a whole is at fault.
    pub name: Vec<u8>,
    /// The error.
    pub kind: ErrorKind,
}

/// The reason why a packet cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The content of the packet was not parsed.
    Raw,
    /// The name of the context contains an LF, or the name of a variable is no keyword.
    Name,
    /// The type of the value has no addition: only numbers, lists and dicts can be added to or
    /// subtracted from.
    Type,
    /// A value is not the number, list, dict or update that its variable's type or the index asks
    /// for. The number is the offset of the first wrong byte.
    Value(usize),
    /// A number leaves 64 bits, or a degree leaves 0 to 9.
    Range,
    /// The item to be removed or changed is not there.
    NotThere,
    /// The operator has no meaning inside of an update.
    Operator(Operator),
    /// A limit is exceeded: its name in [`Limits`](super::Limits).
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
