//! What stands between the language and the services that tables name. The language knows no protocol: a test is a backend, and so is the gateway.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use polywire_doc::{Datum, Wanted};

use crate::failure::Failure;
use crate::observe::Observer;
use crate::params::Params;
use crate::syntax::ast::Tail;
use crate::table::{Action, Table};

/// Makes the requests of a table's verb.
pub trait Backend: Send + Sync {
    /// Calls a verb once with its parameters: makes the URIs, which may be several, makes one request of each, and decodes the replies.
    ///
    /// The replies are in the order of the URIs, one for each, also where one failed. The language applies the result set, the columns, offset and limit, and merges.
    ///
    /// # Errors
    /// No request could be made at all: a parameter is missing or refused, or a hook failed.
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, Failure>>;
}

/// One call of a table's verb.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The table.
    pub table: &'a Arc<Table>,
    /// The verb.
    pub action: &'a Action,
    /// Parameters.
    pub params: &'a Params<'a>,
    /// The statement that calls.
    pub statement: &'a StatementInfo,
    /// Rows at most, as the statement says. Also a parameter.
    pub limit: Option<u64>,
    /// Rows to leave out, as the statement says. Also a parameter.
    pub offset: Option<u64>,
    /// Timeout and delays of the statement.
    pub tail: Tail,
    /// Body that replaces the template's: of an insert of one value, or of none.
    pub opaque: Option<Opaque<'a>>,
    /// Attachments.
    pub parts: &'a [Datum],
    /// What of the message is looked at. The rest may be left out of the datum of a reply.
    pub wanted: &'a Wanted,
    /// Requests that the call may make.
    pub allowed: usize,
    /// Who is told of requests and replies.
    pub observer: &'a dyn Observer,
}

/// A body that is sent as it is.
#[derive(Debug, Clone, Copy)]
pub struct Opaque<'a> {
    /// Text and bytes are sent as they stand, all else as JSON.
    pub value: &'a Datum,
    /// What the caller called it, if it is the caller's.
    pub media: Option<&'a str>,
}

/// Which statement it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementInfo {
    /// Number in the plan.
    pub id: u32,
    /// Line of the script, from 1.
    pub line: u32,
    /// Its keyword.
    pub kind: &'static str,
    /// Its text, on one line, cut.
    pub text: Arc<str>,
    /// The variable that it is assigned to.
    pub name: Option<Arc<str>>,
}

/// What came of one request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The decoded message, or what went wrong.
    pub outcome: Result<Datum, Failure>,
    /// HTTP method, upper case.
    pub method: String,
    /// URI of the request.
    pub uri: String,
    /// HTTP status of the reply; 0 if there was none.
    pub status: u16,
    /// Bytes of the reply's body, decompressed.
    pub bytes_in: u64,
    /// Bytes of it that were stepped over.
    pub bytes_skipped: u64,
    /// From the start of the request to the decoded reply.
    pub elapsed: Duration,
    /// Whether it came from the cache.
    pub cached: bool,
    /// How often the request was made again.
    pub retries: u32,
}

impl Reply {
    /// A reply that nothing more is known of.
    pub fn new(outcome: Result<Datum, Failure>) -> Reply {
        Reply {
            outcome,
            method: String::new(),
            uri: String::new(),
            status: 0,
            bytes_in: 0,
            bytes_skipped: 0,
            elapsed: Duration::ZERO,
            cached: false,
            retries: 0,
        }
    }
}
