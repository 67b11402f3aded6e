//! Languages of templates.

use std::path::Path;

use super::{ejs, mustache};
use crate::error::HookError;

/// The language of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Embedded JavaScript: `.ejs`.
    Ejs,
    /// Mustache: `.mu`, `.mustache`, or no file extension.
    Mustache,
}

impl Language {
    /// Returns the language by the name of a file; `None` if the extension is unknown.
    pub fn of(file: &str) -> Option<Language> {
        match Path::new(file).extension().and_then(|extension| extension.to_str()) {
            Some("ejs") => Some(Language::Ejs),
            Some("mu" | "mustache") | None => Some(Language::Mustache),
            Some(_) => None,
        }
    }

    /// Checks that a text is a template of the language, as when a table is loaded. The scripts in
    /// EJS are not checked: that happens when the template is used. Returns a doubt about a text
    /// that may not mean what was meant.
    ///
    /// # Errors
    /// The first mistake, in a file of the name `file`.
    pub fn check(self, file: &str, text: &str) -> Result<Option<String>, HookError> {
        let checked = match self {
            Language::Ejs => ejs::compile(text).map(|_| None),
            Language::Mustache => mustache::check(text),
        };
        checked.map_err(|error| error.in_file(file).into())
    }
}
