//! The rules of [`crate::guard`] for each request, and the headers that browsers obey.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::header::{CONNECTION, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, Version};
use polywire_ql::error::QueryError;

use super::answer;
use super::caller::Peer;
use super::framed::framed;
use super::gateway::Gateway;
use super::head::RESOURCE_POLICY;
use crate::directory::Directory;
use crate::guard::name::Name;
use crate::guard::site;

/// Returns the answer to a request that goes no further: one whose end is in doubt, one for an
/// unknown host, or a preflight.
pub(super) fn stop(gateway: &Gateway, directory: &Directory, request: &Request) -> Option<Response> {
    if let Err(failure) = framed(request.version(), request.headers()) {
        let mut response = answer::of_failure(&failure);
        // Where its end is in doubt, nothing behind it is a request.
        if request.version() < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        return Some(response);
    }
    let path = request.uri().path();
    // Probes of balancers use names of their own, and learn nothing but that the gateway runs.
    let probed = path == "/healthz" || gateway.is_health(directory, path);
    if !probed && let Err(failure) = known_host(directory, request) {
        return Some(answer::of_failure(&failure));
    }
    let permitted = directory.settings.cors.preflight(request.method(), request.headers())?;
    if permitted.is_empty() {
        return Some(answer::of_failure(&other_origin("ask for answers", &seen_origin(request.headers()))));
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = permitted;
    Some(response)
}

/// Checks that every name in a request is one that the gateway answers for.
fn known_host(directory: &Directory, request: &Request) -> Result<(), QueryError> {
    let bad = |what: String| QueryError::new("bad_host", what).hint("send one header Host, or :authority, with the name of this gateway");
    let mut headers = request.headers().get_all(HOST).iter();
    let (header, second) = (headers.next(), headers.next());
    if second.is_some() {
        return Err(bad("the request has more than one header Host".to_owned()));
    }
    let header = header.map(|value| value.to_str().unwrap_or_default());
    let target = request.uri().authority().map(|authority| authority.as_str());
    if header.is_none() && target.is_none() && request.version() == Version::HTTP_11 {
        // RFC 9112 3.2.
        return Err(bad("the request has no header Host, which HTTP/1.1 requires".to_owned()));
    }
    let local = request.extensions().get::<Peer>().and_then(|peer| peer.local);
    for text in target.into_iter().chain(header) {
        let shown: String = text.chars().take(200).collect();
        let name = Name::new(text).ok_or_else(|| bad(format!("the host of the request is no name: {shown:?}")))?;
        if !directory.settings.hosts.know(&name, local) {
            let message =
                format!("the request is for the host {shown}; expected localhost, the address of the connection, or one of `hosts`");
            let failure = QueryError::new("unknown_host", message).status(403);
            return Err(failure.hint(format!("add {:?} to `hosts` in config.json, if the gateway has this name", name.host)));
        }
    }
    Ok(())
}

/// Checks that a request comes from no page, or from one that may have scripts and writing routes
/// run. `what` is what it would do.
///
/// # Errors
/// It comes from a page of another site.
pub(super) fn own_site(directory: &Directory, uri: &Uri, headers: &HeaderMap, what: &str) -> Result<(), QueryError> {
    let host = uri.authority().map(|authority| authority.as_str());
    let host = host.or_else(|| headers.get(HOST)?.to_str().ok()).and_then(Name::new);
    site::own(headers, host.as_ref(), &directory.settings.cors).map_err(|seen| other_origin(what, &seen))
}

fn other_origin(what: &str, seen: &str) -> QueryError {
    QueryError::new("other_origin", format!("a page of another origin may not {what}: the request has {seen}"))
        .status(403)
        .hint("list the origin of the page in `origins` of `cors` in config.json, if it is trusted")
}

fn seen_origin(headers: &HeaderMap) -> String {
    let origin = headers.get(ORIGIN).map(|value| String::from_utf8_lossy(value.as_bytes()));
    format!("origin: {}", origin.unwrap_or_default().chars().take(200).collect::<String>())
}

/// Adds the headers by which browsers keep answers from other pages, unless the route sets them.
/// `origin` is that of the page that asked.
pub(super) fn protect(directory: &Directory, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
    headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    directory.settings.cors.permit(origin, headers);
}
