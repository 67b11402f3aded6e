//! What is wrong with a text that people write, such as a schema: what, where, and what to do.
//!
//! A checker collects [`Diagnostic`]s over [`Source`]s and hands both back as [`Diagnostics`]. Nothing here prints: `Display` gives one
//! line per finding, and a command line may draw the places with carets.

use std::fmt;
use std::sync::OnceLock;

use crate::error::{Error, ErrorKind, Fault};

/// A text that places refer to.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Path of the file, or whatever people know the text by.
    pub name: String,
    /// The text. It stays as it is once places in it were asked for.
    pub text: String,
    /// Where its lines start, but for the first; found when a place is asked for.
    lines: OnceLock<Vec<usize>>,
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for Source {}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    fn starts(&self) -> &[usize] {
        self.lines.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Offset of the first byte of a line, which counts from 1; none if the text has fewer.
    pub fn line_start(&self, line: usize) -> Option<usize> {
        match line {
            1 => Some(0),
            line => self.starts().get(line.checked_sub(2)?).copied(),
        }
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
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

/// A range of bytes in one of several sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Place {
    /// Index of the source.
    pub source: u32,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Place {
    /// From the start of this place to the end of `last`, which is in the same source.
    #[must_use]
    pub fn to(self, last: Place) -> Place {
        Place { end: last.end.max(self.start), ..self }
    }

    /// The range as it indexes the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text means something, but perhaps not what was meant.
    Warning,
    /// The text is refused.
    Error,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of finding it is, for programs: words joined by `_`, which stay the same from version to version.
    pub code: &'static str,
    /// What was seen, and what would have been right, on one line.
    pub message: String,
    /// What the message is about.
    pub at: Place,
    /// What to say at `at` itself, empty if the message says it all.
    pub label: String,
    /// Other places that explain it.
    pub related: Vec<(Place, String)>,
    /// What to do about it, empty if there is no advice.
    pub hint: String,
    /// The parts of the message, for programs: names and numbers under keys that `code` determines.
    pub details: Vec<(&'static str, String)>,
}

impl Diagnostic {
    /// An error.
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

    /// Something odd, which stops nothing.
    pub fn warning(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, at, message) }
    }

    /// Sets what stands at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, at: Place, label: impl Into<String>) -> Diagnostic {
        self.related.push((at, label.into()));
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = hint.into();
        self
    }

    /// Adds a part for programs.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: impl fmt::Display) -> Diagnostic {
        self.details.push((key, value.to_string()));
        self
    }

    /// The part of that key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.details.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }
}

/// Findings together with the texts that they are about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnostics {
    /// The texts.
    pub sources: Vec<Source>,
    /// The findings, in the order of their places where the checker could tell.
    pub findings: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether one of them is an error.
    pub fn is_error(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// `name:line:column` of a place.
    pub fn position(&self, at: Place) -> String {
        self.sources.get(at.source as usize).map_or_else(String::new, |source| {
            let (line, column) = source.line_column(at.start as usize);
            format!("{}:{line}:{column}", source.name)
        })
    }
}

/// One line per finding: `name:line:column: message (hint)`.
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

/// The first error as an error of a walk: the schema's fault, at its byte.
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
    fn places_are_told_by_line_and_column() {
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
