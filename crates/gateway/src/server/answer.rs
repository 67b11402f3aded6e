//! Data and errors as HTTP replies (docs/spec/ql.md 12).

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, ALLOW, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use polywire_core::Error;
use polywire_doc::Datum;
use polywire_formats::registry;
use polywire_ql::error::QueryError;

use super::head::RESOURCE_POLICY;
use crate::decode::{Offer, data_type};
use crate::exchange::coding;
use crate::room::Room;

/// The header with the losses of an answer's format.
const LOSSES: HeaderName = HeaderName::from_static("polywire-losses");

/// Media type of messages for people.
pub(super) const PLAIN: &str = "text/plain; charset=utf-8";

/// Answers with the result of a script, in the format that the caller accepts, of at most `most`
/// bytes. An undefined or null result has an empty body. Memory of a long
/// answer counts in `room` until the caller has it.
pub(super) fn of_result(result: Option<&Datum>, offer: Option<&Offer>, callback: Option<&str>, most: u64, room: &Room) -> Response {
    if let Some(callback) = callback {
        return jsonp(StatusCode::OK, result.unwrap_or(&Datum::Null), callback, most, Some(room));
    }
    let Some(offer) = offer else {
        return of_failure(
            &QueryError::new("not_acceptable", "no format of the header Accept can be written")
                .status(406)
                .hint(format!("accept {}; formats that need a schema are written by routes that name one: using encoder", data_type())),
        );
    };
    let value = match result {
        Some(value) if !value.view().is_null() => value,
        _ => return reply(StatusCode::OK, offer.media_type, Body::empty()),
    };
    match offer.write_within(value, most) {
        Ok(None) => of_failure(&too_large(most)),
        Ok(Some(body)) => {
            let Ok(bytes) = room.keep(body.bytes.into()) else { return of_failure(&no_room()) };
            let mut response = reply(StatusCode::OK, &body.content_type, Body::from(bytes));
            if let Ok(losses) = HeaderValue::from_str(&listed(&body.losses))
                && !losses.is_empty()
            {
                response.headers_mut().insert(LOSSES, losses);
            }
            response
        }
        Err(error) => of_failure(&unfit(offer.media_type, &error)),
    }
}

/// The most bytes of the header with losses, beside its last one.
const LONGEST_LOSSES: usize = 256;

/// Returns losses as one line; the number of those that have no place in it.
fn listed(losses: &[&str]) -> String {
    let mut text = String::new();
    for (n, loss) in losses.iter().enumerate() {
        if text.len() + loss.len() > LONGEST_LOSSES {
            text.push_str(&format!("{}{} more", if n > 0 { ", " } else { "" }, losses.len() - n));
            break;
        }
        text.push_str(if n > 0 { ", " } else { "" });
        text.push_str(loss);
    }
    text
}

/// Returns the error for a result that is larger than an answer may be.
pub(super) fn too_large(most: u64) -> QueryError {
    QueryError::new("too_much_memory", format!("the answer has more than {most} bytes"))
        .status(422)
        .hint("select fewer rows or columns, or raise `maxMemory` in config.json")
}

/// Returns the error for an answer that has no room beside others.
fn no_room() -> QueryError {
    QueryError::new("busy", "answers that wait until their callers take them, and values of scripts, have all memory")
        .status(503)
        .hint("take answers faster, or ask again later, or raise `totalMemory` in config.json")
}

/// Returns the error for a result that the format of an answer cannot hold.
fn unfit(media_type: &str, error: &Error) -> QueryError {
    let place = error.path().map(|path| format!("{path}: ")).unwrap_or_default();
    let message = format!("the answer cannot be written as {media_type}: {place}{}", error.what());
    let failure = QueryError::new("not_acceptable", message).status(406);
    let failure = match error.path() {
        Some(path) => failure.detail("path", path.to_string()),
        None => failure,
    };
    match error.advice() {
        "" => failure.hint(format!("accept {}", data_type())),
        advice => failure.hint(advice),
    }
}

/// Answers with an error: its status, and its parts as JSON.
pub(super) fn of_failure(failure: &QueryError) -> Response {
    let status = StatusCode::from_u16(failure.parts().status).ok().filter(|status| status.as_u16() >= 400);
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = data(status, failure.to_datum().to_json());
    if failure.parts().code == "unknown_coding" {
        // RFC 9110 15.5.16: the codings that could have been sent.
        response.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(coding::ACCEPTED));
    }
    response
}

/// Answers with an error, through the callback function if there is one.
pub(super) fn of_failure_for(failure: &QueryError, callback: Option<&str>) -> Response {
    match callback {
        Some(callback) => {
            let status = StatusCode::from_u16(failure.parts().status).unwrap_or(StatusCode::BAD_REQUEST);
            jsonp(status, &failure.to_datum(), callback, u64::MAX, None)
        }
        None => of_failure(failure),
    }
}

/// Answers a request without a route. `methods` are those that the path is known with.
pub(super) fn not_found(method: &http::Method, path: &str, accept: Option<&str>, methods: &[String]) -> Response {
    let text = format!("Cannot {method} {path}");
    let mut response = match wants_json(accept) {
        true => error(StatusCode::NOT_FOUND, text),
        false => reply(StatusCode::NOT_FOUND, PLAIN, Body::from(text)),
    };
    allow(&mut response, methods);
    response
}

/// Answers with the methods of a path (RFC 9110 9.3.7).
pub(super) fn options(methods: &[String]) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    allow(&mut response, methods);
    response
}

fn allow(response: &mut Response, methods: &[String]) {
    if methods.is_empty() {
        return;
    }
    if let Ok(methods) = HeaderValue::from_str(&methods.join(", ")) {
        response.headers_mut().insert(ALLOW, methods);
    }
}

/// Returns the header `accept`.
pub(super) fn accept(headers: &HeaderMap) -> Option<&str> {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok())
}

/// Returns true if a caller prefers errors in JSON: its header contains the word (docs/spec/ql.md
/// 12).
pub(super) fn wants_json(accept: Option<&str>) -> bool {
    accept.is_some_and(|accept| accept.to_ascii_lowercase().contains(registry::DATA.name))
}

/// Returns true if the parameter `format` asks for JSON.
pub(super) fn is_json(format: &str) -> bool {
    format == registry::DATA.name
}

/// Answers with `{"error": …}`.
pub(super) fn error(status: StatusCode, text: String) -> Response {
    let body = Datum::object([("error", Datum::text(text))]).to_json();
    data(status, body)
}

/// Returns true for the name of a function, with its dots, and nothing else.
pub(super) fn is_callback(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    name.len() <= 200 && name.split('.').all(part)
}

fn jsonp(status: StatusCode, value: &Datum, callback: &str, most: u64, room: Option<&Room>) -> Response {
    let Some(bytes) = value.to_json_within(usize::try_from(most).unwrap_or(usize::MAX)) else {
        return of_failure_for(&too_large(most), Some(callback));
    };
    // Line ends that JavaScript before 2019 did not allow in text.
    let text = String::from_utf8_lossy(&bytes).replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let bytes = Bytes::from(format!("{callback}({text})"));
    let Ok(bytes) = room.map_or_else(|| Ok(bytes.clone()), |room| room.keep(bytes.clone())) else {
        return of_failure_for(&no_room(), Some(callback));
    };
    let mut response = reply(status, "application/javascript", Body::from(bytes));
    // Pages of any origin call the function.
    response.headers_mut().insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    response
}

/// Answers with JSON.
pub(super) fn data(status: StatusCode, bytes: Vec<u8>) -> Response {
    reply(status, data_type(), Body::from(bytes))
}

pub(super) fn reply(status: StatusCode, media: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    // Room for the id, the server and the length.
    response.headers_mut().reserve(6);
    if let Ok(media) = HeaderValue::from_str(media) {
        response.headers_mut().insert(CONTENT_TYPE, media);
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    response
}
