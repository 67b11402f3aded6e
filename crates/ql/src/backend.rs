//! Backends: they stand between the language and the services that tables name. The language knows
//! no protocol; a test is a backend, and so is the gateway.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use polywire_doc::{Datum, Wanted};

use crate::error::QueryError;
use crate::limits::NestedRequests;
use crate::observe::Observer;
use crate::params::Params;
use crate::statement::StatementInfo;
use crate::syntax::ast::Tail;
use crate::table::{Action, Table};

/// A maker of requests for a table's verb.
pub trait Backend: Send + Sync {
    /// Calls a verb once with its parameters: makes the URIs, which may be several, makes one
    /// request per URI, and decodes the replies.
    ///
    /// Returns the replies in the order of the URIs, failed ones included: one per URI, or one per
    /// page. The language applies the result set, the columns, offset and limit, and merges.
    ///
    /// # Errors
    /// No request can be made at all: a parameter is missing or refused, or a hook failed.
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Vec<Reply>, QueryError>>;
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
    /// Most rows, by the statement. Also a parameter.
    pub limit: Option<u64>,
    /// Rows to leave out, by the statement. Also a parameter.
    pub offset: Option<u64>,
    /// Rows of one request after which no further page need be read.
    pub enough: Option<u64>,
    /// Bytes that replies may take. With more, the statement fails: further pages are of no use.
    pub memory: u64,
    /// Timeout and delays of the statement.
    pub tail: Tail,
    /// A body in place of the template's: of an insert of one value, or of none.
    pub opaque: Option<Opaque<'a>>,
    /// Attachments.
    pub parts: &'a [Datum],
    /// The parts of the message that are looked at. The datum of a reply may leave out the rest.
    pub wanted: &'a Wanted,
    /// Requests that values may still add to the call.
    pub nested: &'a NestedRequests,
    /// The observer of requests and replies.
    pub observer: &'a dyn Observer,
}

/// A body that is sent unchanged.
#[derive(Debug, Clone, Copy)]
pub struct Opaque<'a> {
    /// The value: text and bytes are sent unchanged, all else as JSON.
    pub value: &'a Datum,
    /// The media type that the caller gave, if the body is the caller's.
    pub media: Option<&'a str>,
}

/// The outcome of one request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The decoded message, or the failure.
    pub outcome: Result<Datum, QueryError>,
    /// HTTP method, upper case.
    pub method: String,
    /// URI of the request.
    pub uri: String,
    /// HTTP status of the reply; 0 if there was none.
    pub status: u16,
    /// Name of the status that the protocol has beside HTTP's, such as `NOT_FOUND` of gRPC.
    pub rpc_status: Option<&'static str>,
    /// Bytes of the reply's body, decompressed.
    pub bytes_in: u64,
    /// Bytes of it that were skipped.
    pub bytes_skipped: u64,
    /// Time from the start of the request to the decoded reply.
    pub elapsed: Duration,
    /// True if it came from the cache.
    pub cached: bool,
    /// Number of retries.
    pub retries: u32,
    /// True if it is the reply to an equal request of the same execution.
    pub shared: bool,
    /// Bytes that are kept for equal requests, beside the datum.
    pub kept: u64,
    /// Number of the page, from 1; 0 for rows that do not come in pages. The rows of all pages are
    /// one result set.
    pub page: u32,
    /// Number of values in the parameter that takes several, if there is one; else 1.
    pub values: usize,
    /// The reason why further pages are missing.
    pub cut: Option<Cut>,
}

/// The reason why further pages are missing.
#[derive(Debug, Clone)]
pub struct Cut {
    /// Message of the warning.
    pub message: String,
    /// The mistake of the service; `None` if a limit was reached.
    pub failure: Option<QueryError>,
}

impl Reply {
    /// Makes a reply with this outcome and nothing else.
    pub fn new(outcome: Result<Datum, QueryError>) -> Reply {
        Reply {
            outcome,
            method: String::new(),
            uri: String::new(),
            status: 0,
            rpc_status: None,
            bytes_in: 0,
            bytes_skipped: 0,
            elapsed: Duration::ZERO,
            cached: false,
            retries: 0,
            shared: false,
            kept: 0,
            page: 0,
            values: 1,
            cut: None,
        }
    }
}
