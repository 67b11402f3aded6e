//! The access log: one line of JSON for each answered request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::{HeaderValue, Method, Uri};
use serde::Serialize;

use super::lines::{self, Entry};
use crate::secrets::Secrets;

/// An answered request.
#[derive(Debug)]
pub struct Line {
    /// The time of its arrival.
    pub time: SystemTime,
    /// The caller's address.
    pub address: Option<SocketAddr>,
    /// Its method, unless it could not be read.
    pub method: Option<Method>,
    /// Its path and query, unless they could not be read.
    pub uri: Option<Uri>,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of the answer's body, as sent.
    pub bytes: u64,
    /// From the head of the request to the end of the answer.
    pub elapsed: Duration,
    /// Its id, from the answer.
    pub id: Option<HeaderValue>,
    /// Path of the route, as its script writes it.
    pub route: Arc<str>,
    /// Name of the caller's key, or subject of its token.
    pub caller: Option<Arc<str>>,
    /// Requests to services on its behalf.
    pub requests: u64,
}

/// The members of a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    time: String,
    address: Option<SocketAddr>,
    method: Option<&'a str>,
    path: Option<String>,
    status: u16,
    bytes: u64,
    duration_ms: f64,
    id: Option<&'a str>,
    route: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    backend_requests: u64,
}

impl Entry for Line {
    const THREAD: &'static str = "access-log";

    fn written(&self, secrets: &Secrets) -> impl Serialize {
        Written {
            time: lines::time(self.time),
            address: self.address,
            method: self.method.as_ref().map(Method::as_str),
            path: self.uri.as_ref().map(|uri| secrets.show(uri)),
            status: self.status,
            bytes: self.bytes,
            duration_ms: self.elapsed.as_micros() as f64 / 1000.0,
            id: self.id.as_ref().and_then(|id| id.to_str().ok()),
            route: &self.route,
            caller: self.caller.as_deref(),
            backend_requests: self.requests,
        }
    }
}
