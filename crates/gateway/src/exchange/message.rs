//! What is sent to a service, and what came back.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};

/// Idle timeout of a statement that has none (spec 8.9).
pub const IDLE: Duration = Duration::from_secs(10);

/// One request. Its body goes out as it is, with its length in bytes (D12).
#[derive(Clone)]
pub struct Request {
    /// GET, POST and so on.
    pub method: Method,
    /// Absolute, `http` or `https`. User information becomes an `Authorization` header, unless there is one.
    pub uri: Uri,
    /// All headers but `Host` and `Content-Length`, which the client adds.
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Bytes,
    /// The table on whose behalf it is sent: back-off is kept by URI and table (spec 8.10).
    pub table: Arc<str>,
    /// Whether it may be sent a second time after a timeout or a network error: true for selects only (spec 8.9).
    pub repeatable: bool,
    /// The longest time without progress. Sending the request is no progress until the reply begins.
    pub idle: Duration,
    /// The longest time for the exchange as a whole, redirects and second try included; none = the answer's deadline only.
    pub overall: Option<Duration>,
    /// The shortest and the longest delay of back-off.
    pub delays: Delays,
}

/// `minDelay` and `maxDelay` of a statement (spec 8.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delays {
    /// Of the first back-off.
    pub min: Duration,
    /// No delay is longer.
    pub max: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Delays { min: Duration::from_millis(500), max: Duration::from_secs(30) }
    }
}

impl Request {
    /// A request without headers, body and table, with the timeouts of the specification. GET and HEAD are repeatable.
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

    /// A GET request.
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
    /// As the service said.
    pub status: StatusCode,
    /// As they came, but for those that describe the coding of the body, which was taken off.
    pub headers: HeaderMap,
    /// Whole, without content coding, in one piece.
    pub body: Bytes,
    /// Where it came from in the end, after redirects; without user information.
    pub uri: Uri,
    /// Bytes of the body as they came over the wire.
    pub received: u64,
    /// How often the request was sent again before it came.
    pub retries: u32,
    /// How long it took.
    pub timings: Timings,
}

/// Where the time of an exchange went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timings {
    /// Until there was room for it: limits of the answer and of the host.
    pub waited: Duration,
    /// From then until the head of the last reply, connecting included.
    pub head: Duration,
    /// All of it.
    pub total: Duration,
}
