//! Data and failures as HTTP replies (specification 12).

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, VARY};
use http::{HeaderName, HeaderValue, StatusCode};
use polywire_core::doc::Datum;
use polywire_ql::failure::Failure;

use crate::decode::{Offer, choose, ranges};

/// Names what the format of an answer could not keep.
const LOSSES: HeaderName = HeaderName::from_static("polywire-losses");

/// The result of a script, in the format that the caller accepts. An undefined or null one has an empty body.
pub(super) fn of_result(result: Option<&Datum>, offers: &[Offer], accept: Option<&str>, callback: Option<&str>) -> Response {
    if let Some(callback) = callback {
        return jsonp(StatusCode::OK, result.unwrap_or(&Datum::Null), callback);
    }
    let Some(offer) = Offer::wanted(offers, accept) else {
        return of_failure(
            &Failure::new("not_acceptable", "no format of the header Accept can be written").status(406).hint("accept application/json"),
        );
    };
    let value = match result {
        Some(value) if !value.view().is_null() => value,
        _ => return reply(StatusCode::OK, offer.media_type, Body::empty()),
    };
    match offer.write(value) {
        Ok(answer) => {
            let mut response = reply(StatusCode::OK, &answer.content_type, Body::from(answer.body));
            if let Ok(losses) = HeaderValue::from_str(&answer.losses.join(", "))
                && !losses.is_empty()
            {
                response.headers_mut().insert(LOSSES, losses);
            }
            response
        }
        Err(error) => of_failure(
            &Failure::new("not_acceptable", format!("the answer cannot be written as {}: {error}", offer.media_type))
                .status(406)
                .hint("accept application/json"),
        ),
    }
}

/// A failure: its status, and its parts as JSON.
pub(super) fn of_failure(failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.parts().status).ok().filter(|status| status.as_u16() >= 400);
    reply(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), "application/json", Body::from(failure.to_datum().to_json()))
}

/// The same for a caller that wants a function to be called.
pub(super) fn of_failure_for(failure: &Failure, callback: Option<&str>) -> Response {
    match callback {
        Some(callback) => {
            jsonp(StatusCode::from_u16(failure.parts().status).unwrap_or(StatusCode::BAD_REQUEST), &failure.to_datum(), callback)
        }
        None => of_failure(failure),
    }
}

/// No route has the path.
pub(super) fn not_found(method: &http::Method, path: &str, accept: Option<&str>) -> Response {
    let text = format!("Cannot {method} {path}");
    if choose(&ranges(accept), ["text/plain", "application/json"]) == Some("application/json") {
        let body = Datum::object([("error", Datum::text(text))]).to_json();
        return reply(StatusCode::NOT_FOUND, "application/json", Body::from(body));
    }
    reply(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", Body::from(text))
}

/// Whether a function's name is one, with its dots, and nothing else.
pub(super) fn is_callback(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    };
    name.len() <= 200 && name.split('.').all(part)
}

fn jsonp(status: StatusCode, value: &Datum, callback: &str) -> Response {
    // Line ends that JavaScript before 2019 had no place for in text.
    let text = String::from_utf8_lossy(&value.to_json()).replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let mut response = reply(status, "application/javascript", Body::from(format!("{callback}({text})")));
    response.headers_mut().insert(http::header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

pub(super) fn reply(status: StatusCode, media: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if let Ok(media) = HeaderValue::from_str(media) {
        response.headers_mut().insert(CONTENT_TYPE, media);
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    response
}
