//! A caller's request as parameters of a script (specification 7.1, 12).

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Request;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use polywire_core::Limits;
use polywire_doc::{Datum, Object, View};

use polywire_ql::failure::Failure;

use super::gateway::Gateway;
use super::{admission, body};
use crate::decode::{Content, content, fields};
use crate::exchange::coding;
use crate::exchange::error::ErrorKind;
use crate::exchange::headers::is_parameter;

/// In a request: who sent it. One for all requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// What scripts see of the connection.
    connection: Datum,
}

impl Peer {
    pub fn new(address: SocketAddr) -> Peer {
        Peer { address, connection: Datum::object([("remoteAddress", Datum::text(address.ip().to_string()))]) }
    }
}

/// What a caller sent.
#[derive(Default)]
pub(super) struct Caller {
    /// For the script.
    pub request: polywire_ql::params::Request,
    /// Names and values of the query, in order.
    pub query: Vec<(String, String)>,
    /// Header `accept`.
    pub accept: Option<String>,
    /// The id that it gave its request.
    pub id: Option<String>,
    /// The token that it shows.
    pub token: Option<String>,
}

impl Caller {
    /// What a caller sent, its body read to the end.
    ///
    /// # Errors
    /// The body is too long, as it came or without its content coding, or not what its headers say.
    pub async fn read(gateway: &Gateway, request: Request) -> Result<Caller, Failure> {
        let directory = gateway.directory();
        let most = directory.settings.max_request_length;
        let (mut parts, body) = request.into_parts();
        let body = body::read(body, most, Duration::from_millis(directory.settings.request_timeout)).await?;
        let body = coding::decode(&mut parts.headers, body, most as u64).await.map_err(|error| uncoded(&error, most))?;
        Caller::new(&parts, &body, gateway.id_header())
    }

    /// The parameters in a request whose body was read.
    ///
    /// # Errors
    /// The body is not what its media type says.
    pub fn new(parts: &Parts, body: &Bytes, id_header: &http::HeaderName) -> Result<Caller, Failure> {
        let text = |name: &http::HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let query: Vec<(String, String)> = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let content_type = text(&CONTENT_TYPE);
        let content = match body.is_empty() {
            true => Content::default(),
            false => content(body, content_type.as_deref(), &Limits::DEFAULT).map_err(|error| {
                Failure::new("bad_request_body", format!("the body of the request cannot be read: {}", error.what()))
                    .hint("send what its Content-Type says")
            })?,
        };
        let mut headers = Object::default();
        for (name, value) in &parts.headers {
            if is_parameter(name.as_str()) && headers.get(name.as_str()).is_none() {
                headers.insert(name.as_str(), Datum::text(String::from_utf8_lossy(value.as_bytes()).into_owned()));
            }
        }
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
        Ok(Caller {
            request,
            query,
            accept: text(&http::header::ACCEPT),
            id: text(id_header),
            token: admission::shown(&parts.headers).map(str::to_owned),
        })
    }

    /// A parameter of the query, else of a form in the body.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let of_query = self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        of_query.or_else(|| match self.request.body.as_ref()?.view().get(name)?.view() {
            View::Text(text) => Some(text.to_owned()),
            _ => None,
        })
    }
}

/// Why a content coding was not taken off.
fn uncoded(error: &ErrorKind, most: usize) -> Failure {
    match error {
        ErrorKind::Coding { coding, .. } if !coding::is_known(coding) => {
            Failure::new("unknown_coding", format!("the content coding `{coding}` of the request's body is not taken off"))
                .status(415)
                .hint(format!("send one of {}, or none", coding::ACCEPTED))
        }
        ErrorKind::Coding { coding, reason } => {
            Failure::new("bad_request_body", format!("the body of the request is no {coding}, as its Content-Encoding says: {reason}"))
        }
        _ => Failure::new("request_too_long", format!("the body of the request is longer than {most} bytes without its content coding"))
            .status(413)
            .hint("send less, or raise `maxRequestLength` in config.json"),
    }
}

/// Parameters of the interface itself, which scripts don't see.
const RESERVED: [&str; 3] = ["s", "callback", "events"];
