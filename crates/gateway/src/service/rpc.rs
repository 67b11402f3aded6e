//! gRPC over HTTP/2 and unary Connect: time limits of requests, statuses and frames of replies.

use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode;
use polywire_doc::{Datum, Wanted};
use polywire_ql::error::QueryError;
use tokio::time::Instant;

use super::send::Raw;
use crate::decode::{Decoder, data_type};
use crate::exchange::message::Request;

/// A protocol of remote calls. The request shows which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rpc {
    /// Frames in HTTP/2, statuses in trailers.
    Grpc,
    /// Plain bodies, errors as JSON.
    Connect,
}

/// The media type of a binary message in Connect.
pub(super) const CONNECT_MESSAGE: &str = "application/proto";

/// The names of gRPC's status codes, which Connect has in lower case.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The status of a call that did not fail.
pub(super) const OK: &str = CODES[0];

/// The detail of an error that has the name of its status.
const STATUS: &str = "rpcStatus";

/// The largest number of a time limit: eight digits in gRPC.
const MOST_TIME: u128 = 99_999_999;

/// The bytes before a message: a flag for compression, and the length.
const FRAME: usize = 5;

impl Rpc {
    /// Returns the protocol of a request, by its media type or its header of Connect.
    pub fn of(headers: &HeaderMap) -> Option<Rpc> {
        let subtype = headers.get(CONTENT_TYPE).and_then(|media| media.as_bytes().strip_prefix(b"application/"));
        match subtype {
            Some(subtype) if subtype.starts_with(b"grpc") => Some(Rpc::Grpc),
            _ => headers.contains_key("connect-protocol-version").then_some(Rpc::Connect),
        }
    }

    /// Returns the request with the time that is left until the deadline of its reply, if there is
    /// one and the table sets no time itself.
    pub fn timed(self, request: &Request, deadline: Option<Instant>) -> Option<Request> {
        let left = deadline?.saturating_duration_since(Instant::now()).as_millis().clamp(1, MOST_TIME);
        let (name, value) = match self {
            Rpc::Grpc => (HeaderName::from_static("grpc-timeout"), format!("{left}m")),
            Rpc::Connect => (HeaderName::from_static("connect-timeout-ms"), left.to_string()),
        };
        let value = HeaderValue::from_str(&value).ok().filter(|_| !request.headers.contains_key(&name))?;
        let mut timed = request.clone();
        timed.headers.insert(name, value);
        Some(timed)
    }

    /// Checks the status of a reply. A compressed message of gRPC is replaced by its at most `most`
    /// plain bytes.
    ///
    /// # Errors
    /// The status is an error, or the reply does not hold exactly one message.
    pub fn check(self, raw: &mut Raw, most: u64) -> Result<(), QueryError> {
        let http = raw.status.as_u16();
        match self {
            Rpc::Grpc => {
                let status = raw.headers.get("grpc-status").and_then(|status| status.to_str().ok());
                let Some(status) = status else {
                    if http != 200 {
                        // A proxy or a server of something else answered.
                        return Err(failed(of_http(http), "no grpc-status", http));
                    }
                    return Err(failed("INTERNAL", "the reply ended without grpc-status", http));
                };
                if status != "0" {
                    let code = status.parse().ok().and_then(|code: usize| CODES.get(code)).unwrap_or(&"UNKNOWN");
                    let message = raw.headers.get("grpc-message").map_or(&b""[..], HeaderValue::as_bytes);
                    return Err(failed(code, &percent_decode(message).decode_utf8_lossy(), http));
                }
                let coding = raw.headers.get("grpc-encoding").and_then(|coding| coding.to_str().ok());
                if let Some(plain) = message(&raw.body, coding, most).map_err(|what| failed("INTERNAL", &what, http))? {
                    raw.body = plain;
                }
                Ok(())
            }
            Rpc::Connect if raw.status.is_success() => Ok(()),
            Rpc::Connect => {
                let decoded = Decoder::by_media_type().decode(&raw.body, Some(data_type()), &Wanted::everything());
                let Ok(decoded) = decoded else { return Err(failed(of_http(http), "no error of Connect", http)) };
                let text = |name: &str| decoded.value.view().get(name).and_then(|value| value.as_str());
                let code = text("code").map(str::to_ascii_uppercase).unwrap_or_default();
                // Connect writes `canceled`.
                let code = if code == "CANCELED" { "CANCELLED" } else { &code };
                let known = CODES[1..].iter().find(|known| **known == code).copied().unwrap_or_else(|| of_http(http));
                Err(failed(known, text("message").unwrap_or_default(), http).body(decoded.value.clone()))
            }
        }
    }
}

/// Returns the body with its only message uncompressed; `None` if it is plain already.
fn message(body: &Bytes, coding: Option<&str>, most: u64) -> Result<Option<Bytes>, String> {
    let Some((head, message)) = body.split_first_chunk::<FRAME>() else {
        return Err(format!("a reply of {} bytes has no message", body.len()));
    };
    let [flag, length @ ..] = *head;
    let length = u32::from_be_bytes(length);
    if u64::from(length) != message.len() as u64 {
        return Err(format!("a message of {length} bytes in a reply that has {} bytes for it", message.len()));
    }
    match (flag, coding) {
        (0, _) => Ok(None),
        (1, Some("gzip")) => {
            let mut plain = vec![0; FRAME];
            let most = most.min(u32::MAX.into());
            MultiGzDecoder::new(message).take(most + 1).read_to_end(&mut plain).map_err(|error| format!("a message in gzip: {error}"))?;
            let length = plain.len() - FRAME;
            let length = u32::try_from(length).ok().filter(|length| u64::from(*length) <= most);
            let length = length.ok_or_else(|| format!("a message has more than {most} bytes without gzip"))?;
            plain[1..FRAME].copy_from_slice(&length.to_be_bytes());
            Ok(Some(plain.into()))
        }
        (1, coding) => {
            Err(format!("a message is compressed by {}, expected gzip", coding.unwrap_or("nothing that is named").escape_debug()))
        }
        (flag, _) => Err(format!("a message has the flag {flag}, expected 0 or 1")),
    }
}

/// Returns the code for a reply without one, by its HTTP status.
fn of_http(status: u16) -> &'static str {
    match status {
        400 => "INTERNAL",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "UNIMPLEMENTED",
        429 | 502..=504 => "UNAVAILABLE",
        _ => "UNKNOWN",
    }
}

/// Returns the name of the status that a failure of [`Rpc::check`] reports.
pub(super) fn status(failure: &QueryError) -> Option<&'static str> {
    let (_, code) = failure.parts().details.iter().find(|(name, _)| *name == STATUS)?;
    let code = code.view().as_str()?;
    CODES.into_iter().find(|known| *known == code)
}

fn failed(code: &str, message: &str, http: u16) -> QueryError {
    let colon = if message.is_empty() { "" } else { ": " };
    QueryError::new("rpc_status", format!("The service answered {code}{colon}{message}"))
        .upstream(http)
        .detail(STATUS, Datum::text(code))
        .detail("rpcMessage", Datum::text(message))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn frame(flag: u8, message: &[u8]) -> Bytes {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        [&[flag][..], &length, message].concat().into()
    }

    #[test]
    fn one_message_is_plain() {
        let gzip = |bytes: &[u8]| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(bytes).unwrap();
            writer.finish().unwrap()
        };
        assert_eq!(message(&frame(0, b"abc"), None, 9), Ok(None));
        assert_eq!(message(&frame(1, &gzip(b"abc")), Some("gzip"), 3), Ok(Some(frame(0, b"abc"))));
        for (body, coding, expected) in [
            (frame(1, &gzip(&[0; 9_000_000])), Some("gzip"), "more than 1000 bytes"),
            (frame(1, b"abc"), Some("gzip"), "in gzip"),
            (frame(1, b"abc"), Some("br"), "compressed by br"),
            (frame(1, b"abc"), None, "nothing that is named"),
            (frame(2, b"abc"), None, "the flag 2"),
            (frame(0, b"abc").slice(..7), None, "of 3 bytes in a reply that has 2"),
            ([frame(0, b"a"), frame(0, b"b")].concat().into(), None, "of 1 bytes in a reply that has 7"),
            (Bytes::from_static(b"\0\xff\xff\xff\xff"), None, "of 4294967295 bytes"),
            (Bytes::new(), None, "no message"),
        ] {
            let what = message(&body, coding, 1000).unwrap_err();
            assert!(what.contains(expected), "{what}");
        }
    }
}
