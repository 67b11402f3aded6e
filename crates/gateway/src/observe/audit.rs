//! The audit log: one line of JSON for each request that ran a script of its caller, changed
//! something at a service, or was refused; and for each reload of the folder.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use http::{HeaderValue, Method, Uri};
use serde::Serialize;

use super::lines::{self, Entry};
use crate::secrets::Secrets;

/// An entry of the audit log.
#[derive(Debug)]
pub enum Audited {
    /// A request.
    Request(Box<AuditedRequest>),
    /// A reload of the folder.
    Reload {
        /// Its time.
        time: SystemTime,
        /// The reason why the old state stays, if it does.
        failure: Option<String>,
    },
}

/// A request of the audit log.
#[derive(Debug)]
pub struct AuditedRequest {
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
    /// Its id, from the answer.
    pub id: Option<HeaderValue>,
    /// Path of the route, as its script writes it.
    pub route: Arc<str>,
    /// Name of the caller's key, or subject of its token.
    pub caller: Option<Arc<str>>,
    /// SHA-256 of a caller's script, in hexadecimal digits.
    pub script: Option<String>,
    /// Tables that were written to.
    pub writes: Vec<Arc<str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", untagged)]
enum Written<'a> {
    Request {
        time: String,
        event: &'static str,
        address: Option<SocketAddr>,
        method: Option<&'a str>,
        path: Option<String>,
        status: u16,
        id: Option<&'a str>,
        route: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a str>,
        script: Option<&'a str>,
        writes: Vec<&'a str>,
    },
    Reload {
        time: String,
        event: &'static str,
        failure: Option<&'a str>,
    },
}

impl AuditedRequest {
    /// Returns the kind of the entry.
    fn event(&self) -> &'static str {
        match (self.status, self.writes.is_empty()) {
            (401 | 403 | 429, _) => "refused",
            (_, false) => "write",
            _ => "script",
        }
    }
}

impl Entry for Audited {
    const THREAD: &'static str = "audit-log";

    fn written(&self, secrets: &Secrets) -> impl Serialize {
        match self {
            Audited::Request(request) => Written::Request {
                time: lines::time(request.time),
                event: request.event(),
                address: request.address,
                method: request.method.as_ref().map(Method::as_str),
                path: request.uri.as_ref().map(|uri| secrets.show(uri)),
                status: request.status,
                id: request.id.as_ref().and_then(|id| id.to_str().ok()),
                route: &request.route,
                caller: request.caller.as_deref(),
                script: request.script.as_deref(),
                writes: request.writes.iter().map(|name| &**name).collect(),
            },
            Audited::Reload { time, failure } => Written::Reload { time: lines::time(*time), event: "reload", failure: failure.as_deref() },
        }
    }
}
