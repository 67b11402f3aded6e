//! The names of an exchange's files: equal for equal requests, readable, and safe on any file
//! system.

use std::fmt::Write;

use http::HeaderMap;
use http::header::CONTENT_TYPE;
use sha2::{Digest, Sha256};

use crate::exchange::message::Request;
use crate::secrets::Secrets;

/// The letters of the path in a name.
const READABLE: usize = 60;

/// Returns the file with the heads of an exchange, below the directory of all exchanges.
pub fn name(request: &Request, secrets: &Secrets) -> String {
    let uri = secrets.show(&request.uri);
    let mut digest = Sha256::new();
    for piece in [request.method.as_str().as_bytes(), uri.as_bytes(), &request.body] {
        // With their lengths, so that the same bytes cut elsewhere give another digest.
        digest.update((piece.len() as u64).to_le_bytes());
        digest.update(piece);
    }
    let host = request.uri.authority().map_or("", |authority| crate::secrets::host_and_port(authority.as_str()));
    let mut name = format!("{}/{}-{}-", safe(host), request.method, safe(request.uri.path().trim_matches('/')));
    for byte in &digest.finalize()[..8] {
        let _ = write!(name, "{byte:02x}");
    }
    name.push_str(".http");
    name
}

/// Returns the file extension of a body: the subtype of its media type, or the suffix of that.
pub fn extension(headers: &HeaderMap) -> String {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default();
    let subtype = essence.rsplit(['/', '+']).next().unwrap_or_default().trim();
    let ending: String = subtype.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    if ending.is_empty() { "body".to_owned() } else { ending.to_ascii_lowercase() }
}

fn safe(text: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    text.chars().take(READABLE).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(uri: &str) -> String {
        name(&Request::get(uri.parse().unwrap()), &Secrets::with([], ["key"]))
    }

    #[test]
    fn the_same_for_the_same_request() {
        let one = named("http://user:pw@api.example:81/items/../7?q=1&key=a");
        assert!(one.starts_with("api_example_81/GET-items____7-") && one.ends_with(".http"), "{one}");
        assert_eq!(one, named("http://api.example:81/items/../7?q=1&key=b"));
        assert_ne!(one, named("http://api.example:81/items/../7?q=2&key=a"));
        let mut request = Request::get("http://api.example:81/items/../7?q=1&key=a".parse().unwrap());
        request.body = "x".into();
        assert_ne!(one, name(&request, &Secrets::with([], ["key"])));
        let long = format!("http://h/{}", "x/".repeat(1000));
        assert!(named(&long).len() < 120);
    }

    #[test]
    fn endings() {
        for (media_type, ending) in [
            ("text/csv; header=present", "csv"),
            ("application/soap+XML", "xml"),
            ("application/x../../y", "y"),
            ("", "body"),
            ("text/\u{e9}", "body"),
        ] {
            let value = http::HeaderValue::from_bytes(media_type.as_bytes()).unwrap();
            assert_eq!(extension(&HeaderMap::from_iter([(CONTENT_TYPE, value)])), ending);
        }
    }
}
