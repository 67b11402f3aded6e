//! Diagnostics about a text that people write, such as a schema: the mistake, its place, and the
//! remedy.
//!
//! A checker collects [`Diagnostic`]s over [`Source`]s and returns both as [`Diagnostics`]. Nothing
//! here prints: `Display` writes one line per finding, and a command line may draw the places with
//! carets.

use std::fmt;
use std::sync::OnceLock;

use crate::error::{Error, ErrorKind, Fault};

/// Text that places refer to.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Path of the file, or another name for people.
    pub name: String,
    /// The text. It must not change after the first lookup of a line.
    pub text: String,
    /// Offsets of the lines after the first, computed on the first lookup.
    lines: OnceLock<Vec<usize>>,
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for Source {}

impl Source {
    /// Returns a source of a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    fn starts(&self) -> &[usize] {
        self.lines.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the offset of the first byte of a line, counted from 1, or `None` after the last
    /// line.
    pub fn line_start(&self, line: usize) -> Option<usize> {
        match line {
            1 => Some(0),
            line => self.starts().get(line.checked_sub(2)?).copied(),
        }
    }

    /// Returns line and column of a byte offset, both from 1. Columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let starts = self.starts();
        let line = starts.partition_point(|start| *start <= end);
        let start = line.checked_sub(1).map_or(0, |last| starts[last]);
        (line + 1, self.text[start..end].chars().count() + 1)
    }
}

/// Range of bytes in one of several sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Place {
    /// Index of the source.
    pub source: u32,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Place {
    /// Returns the place from the start of this one to the end of `last`, in the same source.
    #[must_use]
    pub fn to(self, last: Place) -> Place {
        Place { end: last.end.max(self.start), ..self }
    }

    /// Returns the range of bytes in the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is valid, but may not mean what its writer meant.
    Warning,
    /// The text is rejected.
    Error,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity.
    pub severity: Severity,
    /// Stable code for programs: words joined by `_`.
    pub code: &'static str,
    /// Text on one line: what was seen, and what was expected.
    pub message: String,
    /// Place that the text is about.
    pub at: Place,
    /// Label at `at` itself. Empty if the text suffices.
    pub label: String,
    /// Other places that explain the finding, with their labels.
    pub related: Vec<(Place, String)>,
    /// Advice. Empty if there is none.
    pub hint: String,
    /// Parts of the text for programs: names and numbers, under keys that `code` determines.
    pub details: Vec<(&'static str, String)>,
}

impl Diagnostic {
    /// Returns an error.
    pub fn error(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            at,
            label: String::new(),
            related: Vec::new(),
            hint: String::new(),
            details: Vec::new(),
        }
    }

    /// Returns a warning.
    pub fn warning(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, at, message) }
    }

    /// Sets the label at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, at: Place, label: impl Into<String>) -> Diagnostic {
        self.related.push((at, label.into()));
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = hint.into();
        self
    }

    /// Adds a detail for programs.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl fmt::Display) -> Diagnostic {
        self.details.push((key, value.to_string()));
        self
    }

    /// Returns the detail of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.details.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }
}

/// Findings, with the texts that they are about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnostics {
    /// The texts.
    pub sources: Vec<Source>,
    /// The findings, in the order of their places if the checker knows it.
    pub findings: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Returns whether a finding is an error.
    pub fn is_error(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Returns `name:line:column` of a place.
    pub fn position(&self, at: Place) -> String {
        self.sources.get(at.source as usize).map_or_else(String::new, |source| {
            let (line, column) = source.line_column(at.start as usize);
            format!("{}:{line}:{column}", source.name)
        })
    }
}

/// Writes one line per finding: `name:line:column: message (hint)`.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, finding) in self.findings.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            let warning = if finding.severity == Severity::Warning { "warning: " } else { "" };
            write!(f, "{}: {warning}{}", self.position(finding.at), finding.message)?;
            if !finding.hint.is_empty() {
                write!(f, " ({})", finding.hint)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Converts the first error into the error of a walk, with the schema at fault.
impl From<Diagnostics> for Error {
    fn from(diagnostics: Diagnostics) -> Error {
        let errors = diagnostics.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let more = errors.clone().count().saturating_sub(1);
        let Some(first) = errors.clone().next() else {
            return Error::internal("findings without an error taken for an error");
        };
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let error = Error::new(ErrorKind::Syntax, Fault::Schema)
            .seen(format!("{}: {}{more}", diagnostics.position(first.at), first.message))
            .at(u64::from(first.at.start));
        if first.hint.is_empty() { error } else { error.hint(first.hint.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_lines_and_columns() {
        let source = Source::new("a.txt", "eins\nzwö drei");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(5), (2, 1));
        assert_eq!(source.line_column(10), (2, 5), "columns count characters");
        assert_eq!(source.line_column(99), (2, 9));
        assert_eq!([0, 1, 2, 3].map(|line| source.line_start(line)), [None, Some(0), Some(5), None]);
        assert_eq!(Source::new("", "").line_column(0), (1, 1));
        let broken = Source::new("", "\n\nx\n");
        assert_eq!([0, 1, 2, 3, 4].map(|at| broken.line_column(at)), [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1)]);
        let at = Place { source: 0, start: 10, end: 14 };
        let finding = Diagnostic::error("odd_word", at, "drei is odd").hint("write vier").detail("word", "drei");
        assert_eq!(finding.get("word"), Some("drei"));
        let all = Diagnostics { sources: vec![source], findings: vec![finding] };
        assert_eq!(all.to_string(), "a.txt:2:5: drei is odd (write vier)");
        let error = Error::from(all);
        assert_eq!((error.fault(), error.offset(), error.advice()), (Fault::Schema, Some(10), "write vier"));
    }
}
