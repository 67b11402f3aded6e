//! Requests whose end, or whose fields, others could read in another way. The library that reads
//! them refuses most; these are what it lets pass.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, Version};
use polywire_ql::error::QueryError;

/// Checks that a request is framed in one way only.
///
/// # Errors
/// It has other codings than `chunked` (RFC 9112 6.1), two ends, or blanks around a field.
pub(super) fn framed(version: Version, headers: &HeaderMap) -> Result<(), QueryError> {
    let bad = |what: String| QueryError::new("bad_framing", what).hint("send one Content-Length, or Transfer-Encoding: chunked alone");
    if version == Version::HTTP_2 {
        // RFC 9113 8.2.1.
        let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        return match headers.iter().find(|(_, value)| blank(value.as_bytes().first()) || blank(value.as_bytes().last())) {
            Some((name, _)) => Err(bad(format!("the field {name} has blanks at an end, which HTTP/2 forbids"))),
            None => Ok(()),
        };
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(_), _) if headers.contains_key(CONTENT_LENGTH) => {
            Err(bad("the request has both Content-Length and Transfer-Encoding".to_owned()))
        }
        (Some(coding), None) if coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(()),
        (Some(coding), _) => {
            let shown: String = String::from_utf8_lossy(coding.as_bytes()).chars().take(80).collect();
            Err(bad(format!("Transfer-Encoding: expected chunked alone, saw {shown:?}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(version: Version, fields: &[(&'static str, &'static str)]) -> bool {
        let headers = fields.iter().map(|(name, value)| (name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap())).collect();
        framed(version, &headers).is_ok()
    }

    #[test]
    fn one_coding_that_is_chunked() {
        for (value, good) in [
            ("chunked", true),
            ("Chunked ", true),
            ("identity, chunked", false),
            ("chunked, chunked", false),
            ("gzip, chunked", false),
            ("", false),
        ] {
            assert_eq!(checked(Version::HTTP_11, &[("transfer-encoding", value)]), good, "{value}");
        }
        assert!(!checked(Version::HTTP_11, &[("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")]));
        assert!(checked(Version::HTTP_11, &[("content-length", "5")]));
        assert!(!checked(Version::HTTP_11, &[("content-length", "5"), ("transfer-encoding", "chunked")]));
    }

    #[test]
    fn fields_of_http2_have_no_blanks_around_them() {
        for (value, good) in [("y", true), (" y", false), ("y\t", false), ("", true), ("a b", true)] {
            assert_eq!(checked(Version::HTTP_2, &[("x", value)]), good, "{value:?}");
        }
    }
}
