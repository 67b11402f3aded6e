//! The head of an answer, within the room that proxies have for one.

use http::{HeaderMap, HeaderName};
use polywire_ql::error::QueryError;

/// The pages that may embed an answer (Fetch Standard 3.7).
pub(super) const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The most bytes of an answer's headers. nginx takes 4 KiB or more with the status line, as
/// `proxy_buffer_size` says.
pub(super) const MOST: usize = 2048;

/// Returns the bytes of headers as HTTP/1.1 writes them: name, colon, space, value, line end.
pub(super) fn len(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// The bytes that headers of every answer take which are not there yet: date, server, length,
/// connection, the coding of the body, and what browsers obey, and
/// the rate of the caller.
pub(super) const LATER: usize = 576;

/// Returns the error for a route whose headers are too long.
pub(super) fn too_long() -> QueryError {
    QueryError::new("head_too_long", format!("the headers of the answer have more than {} bytes", MOST - LATER))
        .status(500)
        .hint("return long values in the body: shorten the route's headers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_http_1_1_writes_them() {
        let headers = HeaderMap::from_iter([(http::header::ACCEPT, http::HeaderValue::from_static("a/b"))]);
        assert_eq!(len(&headers), "accept: a/b\r\n".len());
    }
}
