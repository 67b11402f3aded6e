//! Errors of reading or running a script, and their JSON.

use std::fmt;
use std::sync::Arc;

use polywire_core::text::diagnostic::{Diagnostics, Severity};
use polywire_doc::Datum;

use crate::limits::Exhausted;
use crate::template::uri::UriError;

/// An error of a script or statement. One word wide.
#[derive(Clone)]
pub struct QueryError(Box<Parts>);

/// The facts of an error.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Parts {
    /// Code, for programs: words joined by `_`.
    pub code: &'static str,
    /// Message, for people.
    pub message: String,
    /// HTTP status of the answer that reports it.
    pub status: u16,
    /// Line of the statement in the script, from 1.
    pub line: Option<u32>,
    /// Text of the statement, on one line, cut.
    pub statement: Option<Arc<str>>,
    /// Name of the table.
    pub table: Option<Arc<str>>,
    /// Keyword of the statement.
    pub verb: Option<&'static str>,
    /// URI of the request.
    pub uri: Option<String>,
    /// HTTP status of the backend.
    pub upstream_status: Option<u16>,
    /// Body of the backend's reply, or the text that does not decode.
    pub body: Option<Datum>,
    /// Cause: the message of another library, a position in a body.
    pub cause: Option<String>,
    /// Hint: what to do about it.
    pub hint: Option<String>,
    /// Further facts for programs.
    pub details: Vec<(&'static str, Datum)>,
}

impl QueryError {
    /// Makes an error that is the caller's: status 400.
    #[cold]
    pub fn new(code: &'static str, message: impl Into<String>) -> QueryError {
        QueryError(Box::new(Parts { code, message: message.into(), status: 400, ..Parts::default() }))
    }

    /// Makes an error between us and a backend: status 502.
    #[cold]
    pub fn transport(code: &'static str, message: impl Into<String>) -> QueryError {
        QueryError::new(code, message).status(502)
    }

    /// Sets the status of the answer.
    #[must_use]
    pub fn status(mut self, status: u16) -> QueryError {
        self.0.status = status;
        self
    }

    /// Sets the URI.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> QueryError {
        self.0.uri = Some(uri.into());
        self
    }

    /// Sets the status of the backend.
    #[must_use]
    pub fn upstream(mut self, status: u16) -> QueryError {
        self.0.upstream_status = Some(status);
        self
    }

    /// Sets the body of the reply.
    #[must_use]
    pub fn body(mut self, body: Datum) -> QueryError {
        self.0.body = Some(body);
        self
    }

    /// Sets the cause.
    #[must_use]
    pub fn cause(mut self, cause: impl fmt::Display) -> QueryError {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> QueryError {
        self.0.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// Adds a fact for programs.
    #[must_use]
    pub fn detail(mut self, name: &'static str, value: impl Into<Datum>) -> QueryError {
        self.0.details.push((name, value.into()));
        self
    }

    /// Sets the statement and the table, unless they are set.
    #[must_use]
    pub fn at(mut self, statement: &crate::statement::StatementInfo, table: Option<&Arc<str>>) -> QueryError {
        if self.0.line.is_none() {
            self.0.line = Some(statement.line);
            self.0.statement = Some(statement.text.clone());
            self.0.verb = Some(statement.kind);
        }
        if self.0.table.is_none() {
            self.0.table = table.cloned();
        }
        self
    }

    /// Returns whether an execution ends with it, whatever else it could still answer: a limit is
    /// used up.
    pub fn is_of_limits(&self) -> bool {
        const CODES: [&str; 6] = ["too_much_work", "too_much_memory", "deadline", "too_many_calls", "too_many_requests", "too_many_rows"];
        CODES.contains(&self.0.code)
    }

    /// Returns the facts.
    pub fn parts(&self) -> &Parts {
        &self.0
    }

    /// Returns the facts, to change them.
    pub fn parts_mut(&mut self) -> &mut Parts {
        &mut self.0
    }

    /// Returns the body of the answer that reports it: an object with `message`, `code` and
    /// `status`; if known, `line`, `statement`, `verb`, `table`, `uri`, `upstreamStatus`, `body`,
    /// `cause` and `hint`; and the details.
    pub fn to_datum(&self) -> Datum {
        let parts = &*self.0;
        let mut members: Vec<(&'static str, Datum)> = vec![
            ("message", Datum::text(parts.message.as_str())),
            ("code", Datum::from(parts.code)),
            ("status", Datum::UInt(parts.status.into())),
        ];
        let mut add = |name, value: Option<Datum>| members.extend(value.map(|value| (name, value)));
        add("line", parts.line.map(|line| Datum::UInt(line.into())));
        add("statement", parts.statement.clone().map(Datum::Text));
        add("verb", parts.verb.map(Datum::from));
        add("table", parts.table.clone().map(Datum::Text));
        add("uri", parts.uri.as_deref().map(Datum::from));
        add("upstreamStatus", parts.upstream_status.map(|status| Datum::UInt(status.into())));
        add("body", parts.body.clone());
        add("cause", parts.cause.as_deref().map(Datum::from));
        add("hint", parts.hint.as_deref().map(Datum::from));
        members.extend(parts.details.iter().cloned());
        Datum::object(members)
    }
}

/// One line: statement, message, place.
impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &*self.0;
        if let Some(line) = parts.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&parts.message)?;
        if let Some(uri) = &parts.uri {
            write!(f, ", at {uri}")?;
        }
        if let Some(cause) = &parts.cause {
            write!(f, ": {cause}")?;
        }
        if let Some(hint) = &parts.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failure({}, {}: {self})", self.0.code, self.0.status)
    }
}

impl PartialEq for QueryError {
    fn eq(&self, other: &QueryError) -> bool {
        self.0 == other.0
    }
}

impl std::error::Error for QueryError {}

impl From<Exhausted> for QueryError {
    fn from(what: Exhausted) -> QueryError {
        let (status, code, message, hint) = match what {
            Exhausted::Work => (
                422,
                "too_much_work",
                "the script takes more steps than one execution may",
                "select fewer rows, or raise the limit of work",
            ),
            Exhausted::Memory => (
                422,
                "too_much_memory",
                "the values of the script take more memory than one execution may",
                "select fewer rows or columns, or raise `maxMemory` in config.json",
            ),
            Exhausted::Shared => (
                503,
                "busy",
                "the values of all scripts take more memory than the gateway gives them",
                "ask again later, or raise `totalMemory` in config.json",
            ),
            Exhausted::Time => {
                (504, "deadline", "the script takes longer than an answer may", "ask for less, or raise `deadline` in config.json")
            }
        };
        QueryError::new(code, message).status(status).hint(hint)
    }
}

impl From<UriError> for QueryError {
    fn from(failure: UriError) -> QueryError {
        let code = match failure {
            UriError::Required { .. } => "missing_parameter",
            UriError::TwoFanOuts { .. } => "two_fan_outs",
            UriError::TooMany { .. } => "too_many_requests",
            UriError::Beyond { .. } => "bad_parameter",
        };
        let hint = match failure {
            UriError::TooMany { .. } => "ask for fewer values at once, or raise `maxNestedRequests` in config.json",
            _ => "",
        };
        let error = QueryError::new(code, failure.to_string());
        if hint.is_empty() { error } else { error.hint(hint) }
    }
}

/// A script that does not compile: its first error, with line, column and offset, and the others in
/// `errors`.
impl From<&Diagnostics> for QueryError {
    fn from(diagnostics: &Diagnostics) -> QueryError {
        let mut errors = diagnostics.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let Some(first) = errors.next() else { return QueryError::new("syntax", "the script cannot be read") };
        let source = diagnostics.sources.get(first.at.source as usize);
        let (line, column) = source.map_or((0, 0), |source| source.line_column(first.at.start as usize));
        let mut failure = QueryError::new(first.code, first.message.clone())
            .hint(first.hint.clone())
            .detail("name", if first.code == "syntax" { "SyntaxError" } else { "CompileError" })
            .detail("column", Datum::UInt(column as u64))
            .detail("offset", Datum::UInt(first.at.start.into()));
        failure.0.line = Some(line as u32);
        if let Some(expected) = first.get("expected") {
            failure = failure.detail("expected", Datum::list(expected.split('\n').filter(|one| !one.is_empty()).map(Datum::from)));
        }
        if let Some(found) = first.get("found") {
            failure = failure.detail("found", found);
        }
        let others: Vec<Datum> =
            errors.map(|finding| Datum::from(format!("{}: {}", diagnostics.position(finding.at), finding.message))).collect();
        if others.is_empty() { failure } else { failure.detail("errors", others) }
    }
}
