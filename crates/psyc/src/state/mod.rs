//! State: what packets assign to variables, kept by context (docs/spec/psyc.md 4.2 and 4.3).
//!
//! [`Store::apply`] takes a packet and does what its operators say; a packet that can't be applied as a whole changes nothing. What comes out are the packet's
//! [`Effects`]: the variables set for it alone, the variables asked for, and whether the state changed. [`Log`] keeps the packets that did, and replays them.
//! `docs/psyc-state.md` has the rules.
//!
//! ```
//! use polywire_psyc::packet::{Modifier, Operator, Packet};
//! use polywire_psyc::state::{Limits, Store};
//!
//! let routing = [Modifier::new(Operator::Set, b"_context", b"psyc://h/@room")];
//! let mut store = Store::new(Limits::default());
//! let join = [Modifier::new(Operator::Augment, b"_list_members", b"| ann| bob"), Modifier::new(Operator::Assign, b"_amount_members", b"2")];
//! store.apply(&Packet::new(&routing, &join, b"", b""))?;
//! let leave = [Modifier::new(Operator::Diminish, b"_list_members", b"| ann"), Modifier::new(Operator::Diminish, b"_amount_members", b"1")];
//! let effects = store.apply(&Packet::new(&routing, &leave, b"_notice_context_leave", b""))?;
//! assert_eq!(store.value(&effects, b"_list_members"), Some(&b"| bob"[..]));
//! assert_eq!(store.value(&effects, b"_amount_members"), Some(&b"1"[..]));
//! # Ok::<(), polywire_psyc::state::Error>(())
//! ```

mod change;
mod log;
mod store;
mod structure;
mod update;

#[cfg(test)]
mod tests;

pub use log::{Log, Replay, ReplayError};
pub use store::{Contexts, Effects, Store, Variables};

use core::fmt;

use alloc::vec::Vec;

use crate::packet::Operator;

/// What a store holds at most, and what a packet may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Contexts that hold a variable.
    pub contexts: usize,
    /// Variables of a context.
    pub variables: usize,
    /// Bytes of names and values of a context.
    pub context_bytes: usize,
    /// Bytes of names and values of all contexts, with the names of the contexts.
    pub total_bytes: usize,
    /// Steps of an update's index: how deep structures may lie in each other.
    pub depth: usize,
    /// Bytes of structured values that one packet may make the store read or write. Each operator on a list or dict costs its size, and the layout
    /// of a struct the names that are looked up for it.
    pub work: usize,
}

impl Default for Limits {
    /// 65,536 contexts of 1,024 variables and 1 MiB each; 256 MiB in all; 16 steps; 64 MiB of work.
    fn default() -> Limits {
        Limits { contexts: 1 << 16, variables: 1 << 10, context_bytes: 1 << 20, total_bytes: 256 << 20, depth: 16, work: 64 << 20 }
    }
}

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
