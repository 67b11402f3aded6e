//! Errors of scripts, and what ends a call before it is one.

use std::borrow::Cow;
use std::fmt;

use polywire_doc::Datum;

use crate::wire::{Get, Malformed, Put, Wire, wire_fields};

/// The reason why a call returned no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The function threw, or the promise that it returned was rejected.
    Thrown,
    /// A module does not load: it is missing, or it is not JavaScript.
    Load,
    /// The function returned a value that has no meaning at this place.
    Answer,
    /// The call ran longer than [`Settings::time`](crate::Settings::time).
    Time,
    /// The call needed more memory than [`Settings::memory`](crate::Settings::memory).
    Memory,
    /// The call recursed deeper than [`Settings::stack`](crate::Settings::stack) allows.
    Stack,
    /// Too many calls are queued, or no thread or process is left for them.
    Busy,
    /// A template is malformed.
    Template,
    /// An internal error of Polywire.
    Internal,
}

impl ErrorKind {
    /// The `code` of exceptions that carry an error of this kind through scripts.
    pub(crate) fn code(self) -> Option<&'static str> {
        match self {
            // As in Node.
            ErrorKind::Load => Some("MODULE_NOT_FOUND"),
            ErrorKind::Template => Some("POLYWIRE_TEMPLATE"),
            _ => None,
        }
    }
}

/// A place in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

/// An error of a script, whoever asked for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptError(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: Cow<'static, str>,
    place: Option<Place>,
    frames: Vec<String>,
    thrown: Option<Datum>,
}

impl ScriptError {
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> ScriptError {
        ScriptError(Box::new(Inner {
            kind,
            message: message.into(),
            hint: Cow::Borrowed(""),
            place: None,
            frames: Vec::new(),
            thrown: None,
        }))
    }

    pub fn with_hint(mut self, hint: &'static str) -> ScriptError {
        self.0.hint = Cow::Borrowed(hint);
        self
    }

    pub fn at(mut self, place: Option<Place>) -> ScriptError {
        self.0.place = place;
        self
    }

    pub fn with_frames(mut self, frames: Vec<String>) -> ScriptError {
        self.0.frames = frames;
        self
    }

    pub fn with_thrown(mut self, thrown: Option<Datum>) -> ScriptError {
        self.0.thrown = thrown;
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The functions that were running, innermost first.
    pub fn frames(&self) -> &[String] {
        &self.0.frames
    }

    /// The thrown value, unless it was an `Error`.
    pub fn thrown(&self) -> Option<&Datum> {
        self.0.thrown.as_ref()
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(Place { file, line, column }) = &self.0.place {
            write!(f, " ({file}:{line}")?;
            if *column > 0 {
                write!(f, ":{column}")?;
            }
            f.write_str(")")?;
        }
        if !self.0.hint.is_empty() {
            write!(f, "; {}", self.0.hint)?;
        }
        Ok(())
    }
}

/// All kinds, in the order of their numbers in messages.
const KINDS: [ErrorKind; 9] = [
    ErrorKind::Thrown,
    ErrorKind::Load,
    ErrorKind::Answer,
    ErrorKind::Time,
    ErrorKind::Memory,
    ErrorKind::Stack,
    ErrorKind::Busy,
    ErrorKind::Template,
    ErrorKind::Internal,
];

impl Wire for ErrorKind {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        out.byte(KINDS.iter().position(|kind| kind == self).unwrap_or(KINDS.len() - 1) as u8);
    }

    fn get(from: &mut Get<'_>) -> Result<ErrorKind, Malformed> {
        KINDS.get(usize::from(from.byte()?)).copied().ok_or_else(|| from.wrong("a kind of error"))
    }
}

wire_fields!(Place { file, line, column });

impl Wire for ScriptError {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        let Inner { kind, message, hint, place, frames, thrown } = &*self.0;
        kind.put(out);
        message.put(out);
        out.bytes(hint.as_bytes());
        place.put(out);
        frames.put(out);
        thrown.put(out);
    }

    fn get(from: &mut Get<'_>) -> Result<ScriptError, Malformed> {
        let (kind, message) = (ErrorKind::get(from)?, String::get(from)?);
        let hint = Cow::Owned(String::get(from)?);
        let (place, frames, thrown) = (Wire::get(from)?, Wire::get(from)?, Wire::get(from)?);
        Ok(ScriptError(Box::new(Inner { kind, message, hint, place, frames, thrown })))
    }
}

/// The end of a call before its time.
pub(crate) enum Raised {
    /// The engine has an exception pending, or failed itself.
    Pending(rquickjs::Error),
    /// An error that is complete.
    Known(ScriptError),
}

impl From<rquickjs::Error> for Raised {
    fn from(error: rquickjs::Error) -> Raised {
        Raised::Pending(error)
    }
}

impl From<ScriptError> for Raised {
    fn from(error: ScriptError) -> Raised {
        Raised::Known(error)
    }
}
