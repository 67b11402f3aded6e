//! Errors of hooks: what went wrong, where in which module, and what to do.

use std::fmt;

use polywire_doc::Datum;

use crate::engine::{ErrorKind, Place, ScriptError};

/// The error of a call. File names are relative to the table directory.
#[derive(Debug, Clone, PartialEq)]
pub struct HookError(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    hook: String,
    module: String,
    error: ScriptError,
}

impl HookError {
    #[cold]
    pub(crate) fn new(error: ScriptError, hook: &str, module: &str) -> HookError {
        HookError(Box::new(Inner { hook: hook.to_string(), module: module.to_string(), error }))
    }

    /// Returns the kind of error, for programs.
    pub fn kind(&self) -> ErrorKind {
        self.0.error.kind()
    }

    /// Returns the name of the hook or function: `patch uri`, `auth`, `u.f`.
    pub fn hook(&self) -> &str {
        &self.0.hook
    }

    /// Returns the file that was called.
    pub fn module(&self) -> &str {
        &self.0.module
    }

    /// Returns the message, without place and hook.
    pub fn message(&self) -> &str {
        self.0.error.message()
    }

    /// Returns the place of the error, if known. It may be in a file that [`HookError::module`]
    /// requires.
    pub fn place(&self) -> Option<&Place> {
        self.0.error.place()
    }

    /// Returns the functions that were running, innermost first.
    pub fn stack(&self) -> &[String] {
        self.0.error.frames()
    }

    /// Returns the thrown value, unless it was an `Error`: old modules throw objects that become
    /// part of the answer.
    pub fn thrown(&self) -> Option<&Datum> {
        self.0.error.thrown()
    }
}

/// An error of no hook in particular.
impl From<ScriptError> for HookError {
    fn from(error: ScriptError) -> HookError {
        HookError::new(error, "", "")
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.hook.is_empty() {
            write!(f, "{} of {}: ", self.0.hook, self.0.module)?;
        }
        self.0.error.fmt(f)
    }
}

impl std::error::Error for HookError {}
