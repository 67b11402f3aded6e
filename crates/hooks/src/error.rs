//! What goes wrong in a hook: what, where in which module, and what to do.

use std::fmt;

use polywire_doc::Datum;

/// Why a call gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookErrorKind {
    /// The function threw, or a promise that it returned was broken.
    Thrown,
    /// A module does not load: it is not there, or is no JavaScript.
    Load,
    /// The function gave back what the hook cannot mean.
    Answer,
    /// It ran longer than [`Settings::time`](crate::Settings::time).
    Time,
    /// It needed more memory than [`Settings::memory`](crate::Settings::memory).
    Memory,
    /// It called itself deeper than [`Settings::stack`](crate::Settings::stack) allows.
    Stack,
    /// Too many calls wait already, or all threads hang in calls that cannot be stopped.
    Busy,
    /// A template is malformed.
    Template,
    /// A promise inside Polywire was broken.
    Internal,
}

/// Why a call gave nothing. Files are named as they are below the table directory.
#[derive(Debug, Clone, PartialEq)]
pub struct HookError(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: HookErrorKind,
    hook: String,
    module: String,
    message: String,
    hint: &'static str,
    place: Option<Place>,
    stack: Vec<String>,
    thrown: Option<Datum>,
}

/// A place in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

impl HookError {
    #[cold]
    pub(crate) fn new(kind: HookErrorKind, message: impl Into<String>) -> HookError {
        HookError(Box::new(Inner {
            kind,
            hook: String::new(),
            module: String::new(),
            message: message.into(),
            hint: "",
            place: None,
            stack: Vec::new(),
            thrown: None,
        }))
    }

    pub(crate) fn of(mut self, hook: &str, module: &str) -> HookError {
        self.0.hook = hook.to_string();
        self.0.module = module.to_string();
        self
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> HookError {
        self.0.hint = hint;
        self
    }

    pub(crate) fn at(mut self, place: Option<Place>) -> HookError {
        self.0.place = place;
        self
    }

    pub(crate) fn stack_frames(mut self, stack: Vec<String>) -> HookError {
        self.0.stack = stack;
        self
    }

    pub(crate) fn with_thrown(mut self, thrown: Option<Datum>) -> HookError {
        self.0.thrown = thrown;
        self
    }

    /// What kind of failure it is, for programs.
    pub fn kind(&self) -> HookErrorKind {
        self.0.kind
    }

    /// Name of the hook or function: `patch uri`, `auth`, `u.f`.
    pub fn hook(&self) -> &str {
        &self.0.hook
    }

    /// The file that was called.
    pub fn module(&self) -> &str {
        &self.0.module
    }

    /// What was seen, without place and hook.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it happened, if that is known: not always in [`HookError::module`], but perhaps in a file that this one requires.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// The functions that were running, the innermost first.
    pub fn stack(&self) -> &[String] {
        &self.0.stack
    }

    /// What was thrown, if it was no `Error`: old modules throw objects that the answer is to carry.
    pub fn thrown(&self) -> Option<&Datum> {
        self.0.thrown.as_ref()
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.hook.is_empty() {
            write!(f, "{} of {}: ", self.0.hook, self.0.module)?;
        }
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

impl std::error::Error for HookError {}
