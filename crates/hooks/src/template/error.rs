//! Errors of templates.

use crate::engine::{ErrorKind, Place, ScriptError};

/// A mistake in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateError {
    /// Line, from 1.
    pub line: u32,
    pub message: String,
}

impl TemplateError {
    /// Returns the error, in a file of that name.
    pub fn in_file(self, file: &str) -> ScriptError {
        error(self.message).at(Some(Place { file: file.to_string(), line: self.line, column: 0 }))
    }
}

/// Makes an error that has no place in a template.
pub(crate) fn error(message: impl Into<String>) -> ScriptError {
    ScriptError::new(ErrorKind::Template, message)
}
