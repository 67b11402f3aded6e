//! Envelopes: the name of a method, the type of the message, and its sequence number.

use std::ops::Range;

use polywire_core::Error;

/// Type of a message, by its number from 1 on.
pub(crate) const TYPES: [&str; 4] = ["call", "reply", "exception", "oneway"];

/// Names of the fields of an enveloped message, in the order in which they are written.
pub(crate) const METHOD: &str = "name";
pub(crate) const SEQUENCE: &str = "sequence";
pub(crate) const BODY: &str = "body";

/// An envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope<'m> {
    /// Type, from 1 to 4.
    pub kind: u8,
    /// Name of the method.
    pub name: &'m [u8],
    /// Sequence number, which a reply repeats.
    pub sequence: i32,
}

/// Places of the parts of an envelope, counted from the start of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Type, from 1 to 4.
    pub kind: u8,
    /// Sequence number.
    pub sequence: i32,
    /// Bytes of the version and the type. Empty if the type comes behind the name.
    pub head: Range<usize>,
    /// The name with its length.
    pub named: Range<usize>,
    /// The name.
    pub name: Range<usize>,
    /// The type, where it comes behind the name.
    pub late: Range<usize>,
    /// The sequence number.
    pub numbered: Range<usize>,
    /// Number of bytes of the envelope.
    pub len: usize,
}

/// The start of a message.
#[derive(Debug)]
pub enum Found {
    /// No envelope: a struct.
    Struct,
    /// An envelope.
    Envelope(Places),
    /// Something that is no envelope and no struct, and the end of the bytes that show it.
    Bad(Error, usize),
    /// More bytes decide, at least this many.
    More(usize),
}

/// Returns the type of a message of a name.
pub(crate) fn of_name(name: &str) -> Option<u8> {
    TYPES.iter().position(|known| *known == name).map(|at| at as u8 + 1)
}

/// Number of a reply.
pub(crate) const REPLY: u8 = 2;

/// Number of an exception.
pub(crate) const EXCEPTION: u8 = 3;
