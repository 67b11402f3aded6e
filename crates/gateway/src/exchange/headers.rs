//! The headers of a request (docs/spec/ql.md 8.1), and the headers of a caller that are parameters
//! (docs/spec/ql.md 12).

use http::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT};
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

/// Adds the headers of a table, in lower case, over the standing ones. The client frames the
/// message, so that framing headers are ignored, except `Connection: close`. The error says why a
/// header cannot be sent (ql-D22).
pub fn add<'a>(headers: &mut HeaderMap, table: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), String> {
    for (name, value) in table {
        let parsed: HeaderName = name.trim().parse().map_err(|_| format!("'{}' is not a header name", name.escape_debug()))?;
        if [CONTENT_LENGTH, TRANSFER_ENCODING, TE, TRAILER, UPGRADE].contains(&parsed)
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
