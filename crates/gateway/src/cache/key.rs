//! The key of a reply, where the hook *compute key* does not say otherwise (spec 10).

use std::fmt::Write;

use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest, Sha256};

/// What makes one request another.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The table.
    pub table: &'a str,
    /// The method.
    pub method: &'a Method,
    /// The URI.
    pub uri: &'a str,
    /// Names and values of the parameters, in any order.
    pub params: &'a [(&'a str, &'a str)],
    /// All headers that are sent.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: &'a [u8],
    /// The header with the request id, which differs each time.
    pub id: &'a HeaderName,
}

/// Table, method, URI, sorted parameters, sorted headers and the body, as a digest, so that no secret of the headers can be read from it.
pub fn of(asked: &Asked<'_>) -> String {
    let mut digest = Sha256::new();
    // With their lengths and counts, so that no two requests are the same pieces cut elsewhere.
    let mut piece = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    piece(asked.uri.as_bytes());
    piece(asked.body);
    let mut params = asked.params.to_vec();
    params.sort_unstable();
    piece(&params.len().to_le_bytes());
    for (name, value) in params {
        piece(name.as_bytes());
        piece(value.as_bytes());
    }
    let mut headers: Vec<(&str, &[u8])> =
        asked.headers.iter().filter(|(name, _)| *name != asked.id).map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    headers.sort_unstable();
    for (name, value) in headers {
        piece(name.as_bytes());
        piece(value);
    }
    let mut key = format!("{}:{}:", asked.table, asked.method);
    for byte in digest.finalize() {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(uri: &str, params: &[(&str, &str)], headers: &[(&'static str, &'static str)], body: &str) -> String {
        let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
        let id = HeaderName::from_static("request-id");
        of(&Asked { table: "t", method: &Method::GET, uri, params, headers: &headers, body: body.as_bytes(), id: &id })
    }

    #[test]
    fn what_makes_a_difference() {
        let one = key("u", &[("a", "1"), ("b", "2")], &[("x", "y"), ("request-id", "1")], "");
        assert!(one.starts_with("t:GET:") && !one.contains('y'));
        assert_eq!(one, key("u", &[("b", "2"), ("a", "1")], &[("request-id", "2"), ("x", "y")], ""));
        for other in [
            key("v", &[("a", "1"), ("b", "2")], &[("x", "y")], ""),
            key("u", &[("a", "1"), ("b", "3")], &[("x", "y")], ""),
            key("u", &[("a", "1"), ("b", "2")], &[("x", "z")], ""),
            key("u", &[("a", "1"), ("b", "2")], &[("x", "y")], "b"),
            key("u", &[("a", "1")], &[("b", "2"), ("x", "y")], ""),
        ] {
            assert_ne!(one, other);
        }
    }
}
