//! Requests to services, and their replies.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};

/// Idle timeout of a statement that has none (docs/spec/ql.md 8.9).
pub const IDLE: Duration = Duration::from_secs(10);

/// One request. Its body is sent unchanged, with its length in bytes (ql-D12).
#[derive(Clone)]
pub struct Request {
    /// GET, POST and so on.
    pub method: Method,
    /// The absolute URI, `http` or `https`. User information becomes an `Authorization` header,
    /// unless there is one.
    pub uri: Uri,
    /// All headers but `Host` and `Content-Length`, which the client adds.
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Bytes,
    /// The table behind the request: back-off is kept by URI and table (docs/spec/ql.md 8.10).
    pub table: Arc<str>,
    /// True if it may be sent again after a timeout or a network error: for selects only
    /// (docs/spec/ql.md 8.9).
    pub repeatable: bool,
    /// The longest time without progress. Sending the request is no progress until the reply
    /// begins.
    pub idle: Duration,
    /// The longest time of the whole exchange, with redirects and retries; none = the answer's
    /// deadline only.
    pub overall: Option<Duration>,
    /// The shortest and the longest delay of back-off.
    pub delays: Delays,
}

/// `minDelay` and `maxDelay` of a statement (docs/spec/ql.md 8.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delays {
    /// The delay of the first back-off.
    pub min: Duration,
    /// The longest delay.
    pub max: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Delays { min: Duration::from_millis(500), max: Duration::from_secs(30) }
    }
}

impl Request {
    /// Makes a request without headers, body and table, with the default timeouts. GET and HEAD are
    /// repeatable.
    pub fn new(method: Method, uri: Uri) -> Self {
        Request {
            repeatable: method == Method::GET || method == Method::HEAD,
            method,
            uri,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            table: Arc::from(""),
            idle: IDLE,
            overall: None,
            delays: Delays::default(),
        }
    }

    /// Makes a GET request.
    pub fn get(uri: Uri) -> Self {
        Request::new(Method::GET, uri)
    }
}

/// Header values, user information and query are left out: they may be secrets.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(|name| name.as_str()).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("host", &self.uri.host())
            .field("path", &self.uri.path())
            .field("headers", &names)
            .field("body", &self.body.len())
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

/// A reply, of any status.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers, without those that described the removed content coding.
    pub headers: HeaderMap,
    /// The whole body, without content coding, in one piece.
    pub body: Bytes,
    /// The URI after redirects, without user information.
    pub uri: Uri,
    /// Bytes of the body on the wire.
    pub received: u64,
    /// The number of retries.
    pub retries: u32,
    /// The times of its phases.
    pub timings: Timings,
}

/// The times of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timings {
    /// The wait for room: limits of the answer and of the host.
    pub waited: Duration,
    /// The time from then until the head of the last reply, with connecting.
    pub head: Duration,
    /// The whole time.
    pub total: Duration,
}
