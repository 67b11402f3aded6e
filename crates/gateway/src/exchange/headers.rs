//! The headers of a request (docs/spec/ql.md 8.1), and the headers of a caller that are parameters
//! (docs/spec/ql.md 12).

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
    USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::coding::ACCEPTED;

/// Name and version of the gateway.
pub const PRODUCT: &str = concat!("polywire/", env!("CARGO_PKG_VERSION"));

/// Returns the headers of every request. `accept` names the formats that can be read.
pub fn standing(accept: HeaderValue) -> HeaderMap {
    // Room for the request's id and media type, and some of the table's.
    let mut headers = HeaderMap::with_capacity(6);
    headers.insert(USER_AGENT, HeaderValue::from_static(PRODUCT));
    headers.insert(ACCEPT, accept);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
    headers
}

/// Adds the headers of a table, in lower case, over the standing ones. Framing headers are the
/// client's and ignored, except `Connection: close` and `TE: trailers`. The error says why a header
/// cannot be sent (ql-D22).
pub fn add<'a>(headers: &mut HeaderMap, table: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), String> {
    for (name, value) in table {
        let parsed: HeaderName = name.trim().parse().map_err(|_| format!("'{}' is not a header name", name.escape_debug()))?;
        let asks_for_trailers = parsed == TE && value.trim().eq_ignore_ascii_case(TRAILERS);
        if [CONTENT_LENGTH, TRANSFER_ENCODING, TRAILER, UPGRADE].contains(&parsed)
            || parsed == TE && !asks_for_trailers
            || parsed == "keep-alive"
            || parsed == "proxy-connection"
            || parsed == CONNECTION && !value.trim().eq_ignore_ascii_case("close")
        {
            continue;
        }
        // Values beyond ASCII go out as UTF-8, which RFC 9110 5.5 calls opaque. The value itself
        // may be a secret, so it is not shown.
        let value = HeaderValue::from_bytes(value.trim().as_bytes())
            .map_err(|_| format!("the value of the header '{parsed}' has a line end or another control character"))?;
        headers.insert(parsed, value);
    }
    Ok(())
}

/// The only value of `TE` that HTTP/2 knows (RFC 9113 8.2.2).
const TRAILERS: &str = "trailers";

/// Asks for trailers if the request is one of gRPC, whose servers refuse others.
pub fn ask_for_trailers(headers: &mut HeaderMap) {
    let subtype = headers.get(CONTENT_TYPE).and_then(|media| media.as_bytes().strip_prefix(b"application/"));
    if subtype.is_some_and(|subtype| subtype.starts_with(b"grpc")) {
        headers.insert(TE, HeaderValue::from_static(TRAILERS));
    }
}

/// Adds the trailers of a reply to its headers, such as `grpc-status`. They replace no header, and
/// say nothing about the message itself (RFC 9110 6.5.1).
pub fn add_trailers(headers: &mut HeaderMap, trailers: HeaderMap) {
    let mut of = None;
    for (name, value) in trailers {
        // Only the first of several values has the name.
        of = name.map(|name| (!headers.contains_key(&name) && may_trail(&name)).then_some(name)).unwrap_or(of);
        if let Some(name) = &of {
            headers.append(name, value);
        }
    }
}

fn may_trail(name: &HeaderName) -> bool {
    !name.as_str().starts_with("content-") && ![TRANSFER_ENCODING, TRAILER, TE, CONNECTION, UPGRADE, SET_COOKIE, LOCATION].contains(name)
}

/// Headers of a caller that concern its connection or its abilities: no parameters of scripts.
const NO_PARAMETERS: [&str; 13] = [
    "connection",
    "host",
    "referer",
    "content-length",
    "accept",
    "accept-charset",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailers",
    "transfer-encoding",
    "upgrade",
];

/// Returns true if a caller's header, in lower case, is a parameter of scripts (docs/spec/ql.md
/// 12).
pub fn is_parameter(name: &str) -> bool {
    !NO_PARAMETERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_over_the_standing_headers() {
        let mut headers = standing(HeaderValue::from_static("text/csv"));
        assert_eq!(headers[ACCEPT_ENCODING], "gzip, deflate, br, zstd");
        assert!(headers[USER_AGENT].to_str().unwrap().starts_with("polywire/"));
        add(&mut headers, [("Accept", "x/y"), ("X-App", " caf\u{e9} "), ("Content-Length", "3"), ("Connection", "keep-alive")]).unwrap();
        assert_eq!(headers[ACCEPT], "x/y");
        assert_eq!(headers["x-app"].as_bytes(), "caf\u{e9}".as_bytes());
        assert_eq!(headers.len(), 4);
        add(&mut headers, [("connection", "Close")]).unwrap();
        assert_eq!(headers[CONNECTION], "Close");
    }

    #[test]
    fn trailers_are_asked_for_and_replace_nothing() {
        let mut headers = HeaderMap::new();
        add(&mut headers, [("TE", "gzip"), ("te", "Trailers")]).unwrap();
        assert_eq!(headers[TE], "Trailers");
        let mut headers = HeaderMap::new();
        ask_for_trailers(&mut headers);
        assert!(headers.is_empty());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc+proto"));
        ask_for_trailers(&mut headers);
        assert_eq!(headers[TE], "trailers");

        let mut trailers = HeaderMap::new();
        for (name, value) in [("grpc-status", "5"), ("x", "1"), ("x", "2"), ("te", "x"), ("content-type", "a/b"), ("set-cookie", "a=b")] {
            trailers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        add_trailers(&mut headers, trailers);
        let all: Vec<(&str, &[u8])> = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(all.len(), 5, "{all:?}");
        assert_eq!((headers["grpc-status"].as_bytes(), headers.get_all("x").iter().count()), (&b"5"[..], 2));
        assert_eq!(headers[TE], "trailers");
    }

    #[test]
    fn headers_that_would_be_two() {
        let mut headers = HeaderMap::new();
        assert!(add(&mut headers, [("a", "b\r\nc: s3cret")]).is_err_and(|reason| !reason.contains("s3cret")));
        assert!(add(&mut headers, [("a b", "c")]).is_err());
        assert!(add(&mut headers, [("a\n", "c"), ("", "c")]).is_err());
        assert!(!headers.contains_key("c"));
    }

    #[test]
    fn parameters() {
        assert!(is_parameter("x-app") && is_parameter("user-agent"));
        assert!(!is_parameter("host") && !is_parameter("accept") && !is_parameter("te"));
    }
}
