//! A caller's request as parameters of a script (docs/spec/ql.md 7.1, 12).

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::request::Parts;
use polywire_core::Limits;
use polywire_doc::{Datum, Object, View};

use polywire_ql::error::QueryError;
use polywire_ql::memory::Share;

use super::gateway::Gateway;
use super::{admission, body};
use crate::aside::{LONG, aside};
use crate::callers::identity::Identity;
use crate::decode::{Content, content, fields};
use crate::exchange::coding;
use crate::exchange::error::ErrorKind;
use crate::exchange::headers::is_parameter;

/// The sender of a request; all requests of a connection share it.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The address of the gateway that it connected to.
    pub local: Option<SocketAddr>,
    /// The connection, as scripts see it.
    connection: Datum,
}

impl Peer {
    pub fn new(address: SocketAddr, local: Option<SocketAddr>) -> Peer {
        Peer { address, local, connection: Datum::object([("remoteAddress", Datum::text(address.ip().to_string()))]) }
    }
}

/// The parameter by which callers give their request an id, whatever header the gateway uses
/// (docs/spec/ql.md 8.2).
const GIVEN_ID: http::HeaderName = http::HeaderName::from_static("request-id");

/// A caller's request.
#[derive(Default)]
pub(super) struct Caller {
    /// The part for the script.
    pub request: polywire_ql::params::Request,
    /// Names and values of the query, in order.
    pub query: Vec<(String, String)>,
    /// Header `accept`.
    pub accept: Option<String>,
    /// The id that the caller gave its request.
    pub id: Option<String>,
    /// The caller's token.
    pub token: Option<String>,
    /// The caller, as its request shows.
    pub identity: Arc<Identity>,
    /// The origin of the plan.
    pub by: By,
    /// The memory of a long body's values.
    pub _memory: Share,
}

/// The origin of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum By {
    /// A page or description of the interface itself.
    #[default]
    Interface,
    /// A route.
    Route,
    /// The caller.
    Script,
}

impl Caller {
    /// Reads a caller's request, with its whole body.
    ///
    /// # Errors
    /// The body is too long, with or without its content coding, or does not match its headers; or
    /// the request has come through this gateway too often.
    pub async fn read(gateway: &Gateway, request: Request) -> Result<Caller, QueryError> {
        let directory = gateway.directory();
        let most = directory.settings.max_request_length;
        let (mut parts, body) = request.into_parts();
        let id = parts.headers.get(gateway.id_header()).and_then(|value| value.to_str().ok());
        if gateway.service().comes_back(id) {
            return Err(QueryError::new("loop", "the request comes from this gateway itself, again and again")
                .status(508)
                .hint("look for a table whose URI leads to this gateway"));
        }
        let body = body::read(body, most, Duration::from_millis(directory.settings.request_timeout), gateway.bodies()).await?;
        let coded = parts.headers.contains_key(CONTENT_ENCODING);
        let body = coding::decode(&mut parts.headers, body, most as u64, 0).await.map_err(|error| uncoded(&error, most))?;
        let body = if coded { gateway.bodies().keep(body).map_err(|_| body::full())? } else { body };
        let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (memory, most) = (Share::of(gateway.memory()), directory.settings.max_memory);
        // A long body would hold the thread that serves others.
        let (content, memory) = match body.len() > LONG {
            true => aside(body.len(), move || weighed(contents(&body, content_type.as_deref(), most)?, memory, most))
                .await
                .unwrap_or_else(|| Err(QueryError::new("internal", "reading the body of the request failed").status(500)))?,
            false => (contents(&body, content_type.as_deref(), most)?, memory),
        };
        Ok(Caller { _memory: memory, ..Caller::new(&parts, content, gateway.id_header()) })
    }

    /// Takes the parameters from a request whose body was read.
    pub fn new(parts: &Parts, content: Content, id_header: &http::HeaderName) -> Caller {
        let text = |name: &http::HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let query: Vec<(String, String)> = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let content_type = text(&CONTENT_TYPE);
        let mut headers = Object::default();
        for (name, value) in &parts.headers {
            if is_parameter(name.as_str()) && headers.get(name.as_str()).is_none() {
                headers.insert(name.as_str(), Datum::text(String::from_utf8_lossy(value.as_bytes()).into_owned()));
            }
        }
        let id_of_query = query.iter().find(|(name, _)| name == GIVEN_ID.as_str()).map(|(_, value)| value.clone());
        let peer = parts.extensions.get::<Peer>();
        let connection = peer.map_or_else(|| Datum::Object(Object::default()), |peer| peer.connection.clone());
        let seen = query.iter().filter(|(name, _)| !RESERVED.contains(&name.as_str()));
        let request = polywire_ql::params::Request {
            body: content.body,
            sent: content.sent.map(|body| polywire_ql::params::Sent { body, media: content_type.clone() }),
            route: Datum::Null,
            query: fields(seen.map(|(name, value)| (name.clone(), Datum::text(value.as_str())))),
            headers: Datum::from(headers),
            connection,
            parts: content.parts,
        };
        Caller {
            request,
            query,
            accept: text(&http::header::ACCEPT),
            id: text(id_header).or_else(|| text(&GIVEN_ID)).or(id_of_query),
            token: admission::shown(&parts.headers).map(str::to_owned),
            identity: parts.extensions.get::<Arc<Identity>>().cloned().unwrap_or_default(),
            by: By::Interface,
            _memory: Share::default(),
        }
    }

    /// Returns a parameter of the query, else of a form in the body.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let of_query = self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        of_query.or_else(|| match self.request.body.as_ref()?.view().get(name)?.view() {
            View::Text(text) => Some(text.to_owned()),
            _ => None,
        })
    }
}

/// Bytes that a value of a body takes at least, with what it is in.
const EACH: u64 = 64;

/// Reads a body, the values of which may take `most` bytes.
///
/// # Errors
/// It is not in the format of its media type, or has too many values.
fn contents(body: &Bytes, content_type: Option<&str>, most: u64) -> Result<Content, QueryError> {
    if body.is_empty() {
        return Ok(Content::default());
    }
    content(body, content_type, &Limits::DEFAULT.with_items(most / EACH)).map_err(|error| {
        QueryError::new("bad_request_body", format!("the body of the request cannot be read: {}", error.what()))
            .hint("send a body that matches its Content-Type")
    })
}

/// Takes memory for the values of a body.
///
/// # Errors
/// They take more than `most` bytes, or others have the memory.
fn weighed(content: Content, memory: Share, most: u64) -> Result<(Content, Share), QueryError> {
    let values = content.body.iter().chain(&content.sent).chain(&content.parts);
    let weight = values.fold(0, |sum: u64, value| sum.saturating_add(value.view().weight(most)));
    if weight > most {
        return Err(QueryError::new("too_much_memory", format!("the values of the request's body take more than {most} bytes"))
            .status(413)
            .hint("send less at once, or raise `maxMemory` in config.json"));
    }
    memory.grow(weight).map_err(|_| body::full())?;
    Ok((content, memory))
}

/// Returns the error for a content coding that was not removed.
fn uncoded(error: &ErrorKind, most: usize) -> QueryError {
    match error {
        ErrorKind::Coding { coding, .. } if !coding::is_known(coding) => {
            QueryError::new("unknown_coding", format!("the content coding `{coding}` of the request's body is not supported"))
                .status(415)
                .hint(format!("send one of {}, or none", coding::ACCEPTED))
        }
        ErrorKind::Coding { coding, reason } => {
            QueryError::new("bad_request_body", format!("the body of the request is not in {coding}, its Content-Encoding: {reason}"))
        }
        _ => QueryError::new("request_too_long", format!("the body of the request is longer than {most} bytes without its content coding"))
            .status(413)
            .hint("send less, or raise `maxRequestLength` in config.json"),
    }
}

/// Parameters of the interface itself, which scripts don't see.
const RESERVED: [&str; 3] = ["s", "callback", "events"];
