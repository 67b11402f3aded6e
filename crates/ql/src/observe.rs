//! Events of an execution, as they happen (docs/spec/ql.md 14).

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use polywire_doc::Datum;

use crate::error::QueryError;
use crate::statement::StatementInfo;

/// An observer of an execution.
pub trait Observer: Send + Sync {
    /// Receives an event.
    fn event(&self, event: &Event<'_>);

    /// Returns whether it wants events of that name: costly ones are made only then.
    fn wants(&self, name: &str) -> bool {
        let _ = name;
        true
    }

    /// Returns what a statement waits for before it begins, if anything: a debugger's step.
    fn hold<'a>(&'a self, statement: &'a StatementInfo) -> Option<BoxFuture<'a, ()>> {
        let _ = statement;
        None
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn event(&self, _: &Event<'_>) {}

    fn wants(&self, _: &str) -> bool {
        false
    }
}

/// An event of an execution.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A script was accepted.
    Ack,
    /// A script does not compile.
    CompileError(&'a QueryError),
    /// A statement waits for others.
    Waiting(&'a StatementInfo),
    /// A statement has begun.
    InFlight(&'a StatementInfo),
    /// A statement has ended well.
    Success(&'a StatementInfo, Duration),
    /// A statement has failed.
    Error(&'a StatementInfo, &'a QueryError),
    /// The backend sends a request.
    Request {
        /// The statement.
        statement: &'a StatementInfo,
        /// HTTP method.
        method: &'a str,
        /// URI.
        uri: &'a str,
        /// Headers: an object, without secrets.
        headers: &'a Datum,
        /// The body.
        body: Option<&'a Datum>,
    },
    /// The backend received a reply.
    Response {
        /// The statement.
        statement: &'a StatementInfo,
        /// URI.
        uri: &'a str,
        /// HTTP status.
        status: u16,
        /// Headers: an object.
        headers: &'a Datum,
        /// The body, decoded.
        body: Option<&'a Datum>,
        /// Time from request to reply.
        elapsed: Duration,
    },
    /// A variable was set.
    Variable(&'a str, Option<&'a Datum>),
    /// Something was left out, or looks odd.
    Warning(&'a Warning),
    /// All statements are done.
    Done(Duration),
    /// The result.
    Result(Option<&'a Datum>),
}

/// Something that was left out, or looks odd, and does not stop the script.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Line of the statement, from 1.
    pub line: u32,
    /// Message.
    pub message: Arc<str>,
    /// The failure that was passed over, if any.
    pub failure: Option<QueryError>,
}

impl Event<'_> {
    /// Returns the name that clients know it by; for a variable, the variable's.
    pub fn name(&self) -> &str {
        match self {
            Event::Ack => "ack",
            Event::CompileError(_) => "compile-error",
            Event::Waiting(_) => "statement-waiting",
            Event::InFlight(_) => "statement-in-flight",
            Event::Success(..) => "statement-success",
            Event::Error(..) => "statement-error",
            Event::Request { .. } => "statement-request",
            Event::Response { .. } => "statement-response",
            Event::Variable(name, _) => name,
            Event::Warning(_) => "ql.io-warning",
            Event::Done(_) => "script-done",
            Event::Result(_) => "script-result",
        }
    }

    /// Returns the event's content, as an object.
    pub fn to_datum(&self) -> Datum {
        let mut members: Vec<(&'static str, Datum)> = Vec::new();
        let of = |statement: &StatementInfo| {
            vec![
                ("line", Datum::UInt(statement.line.into())),
                ("id", Datum::UInt(statement.id.into())),
                ("type", Datum::from(statement.kind)),
            ]
        };
        let millis = |elapsed: &Duration| Datum::F64(elapsed.as_secs_f64() * 1000.0);
        match self {
            Event::Ack => {}
            Event::CompileError(failure) => return failure.to_datum(),
            Event::Waiting(statement) | Event::InFlight(statement) => members = of(statement),
            Event::Success(statement, elapsed) => {
                members = of(statement);
                members.push(("elapsed", millis(elapsed)));
            }
            Event::Error(statement, failure) => {
                members = of(statement);
                members.push(("error", failure.to_datum()));
            }
            Event::Request { statement, method, uri, headers, body } => {
                members = of(statement);
                members.push(("method", Datum::from(*method)));
                members.push(("uri", Datum::from(*uri)));
                members.push(("headers", (*headers).clone()));
                members.extend(body.map(|body| ("body", body.clone())));
            }
            Event::Response { statement, uri, status, headers, body, elapsed } => {
                members = of(statement);
                members.push(("uri", Datum::from(*uri)));
                members.push(("status", Datum::UInt((*status).into())));
                members.push(("headers", (*headers).clone()));
                members.extend(body.map(|body| ("body", body.clone())));
                members.push(("elapsed", millis(elapsed)));
            }
            Event::Variable(_, value) | Event::Result(value) => return value.cloned().unwrap_or_default(),
            Event::Warning(warning) => {
                members.push(("line", Datum::UInt(warning.line.into())));
                members.push(("message", Datum::Text(warning.message.clone())));
                members.extend(warning.failure.as_ref().map(|failure| ("error", failure.to_datum())));
            }
            Event::Done(elapsed) => members.push(("elapsed", millis(elapsed))),
        }
        Datum::object(members)
    }
}
