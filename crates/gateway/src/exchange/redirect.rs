//! Redirects (docs/spec/ql.md 8.6, ql-D13).

use http::header::{AUTHORIZATION, COOKIE, LOCATION, PROXY_AUTHORIZATION};
use http::{HeaderMap, Method, StatusCode, Uri};
use url::Url;

use crate::secrets::Secrets;

/// The most redirects of one request.
pub const MOST: u32 = 10;

/// Returns true if a reply to this method can redirect the client.
pub fn may_follow(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Returns the target of a redirect; `None` = it is the reply. The error says why it cannot be
/// followed.
pub fn next(method: &Method, uri: &Uri, status: StatusCode, headers: &HeaderMap) -> Result<Option<Uri>, String> {
    if !may_follow(method) {
        return Ok(None);
    }
    match status.as_u16() {
        301 | 302 | 303 | 307 | 308 => {}
        305 => return Err("status 305 asks for a proxy, which services do not get to choose (RFC 9110 15.4.6)".to_owned()),
        _ => return Ok(None),
    }
    let location = headers.get(LOCATION).ok_or_else(|| format!("status {} without a Location", status.as_u16()))?;
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| "the Location is not UTF-8".to_owned())?;
    let base = Url::parse(&uri.to_string()).map_err(|error| format!("the request's own URI is not a base: {error}"))?;
    let mut target = base.join(location).map_err(|error| format!("the Location is not a URI: {error}"))?;
    target.set_fragment(None);
    if !matches!(target.scheme(), "http" | "https") {
        return Err(format!("the Location has the scheme '{}'; http and https are followed", target.scheme()));
    }
    target.as_str().parse().map(Some).map_err(|error| format!("the Location is not a URI: {error}"))
}

/// Removes the headers that only the first origin (scheme, host and port) was meant to see.
pub fn strip(headers: &mut HeaderMap, from: &Uri, to: &Uri, secrets: &Secrets) {
    if super::policy::target(from) != super::policy::target(to) || from.scheme() != to.scheme() {
        for name in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
            headers.remove(name);
        }
        secrets.remove(headers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(status: u16, location: Option<&str>) -> Result<Option<String>, String> {
        let mut headers = HeaderMap::new();
        if let Some(location) = location {
            headers.insert(LOCATION, http::HeaderValue::from_bytes(location.as_bytes()).unwrap());
        }
        let uri = "http://h:81/a/b?c=d".parse().unwrap();
        Ok(next(&Method::GET, &uri, StatusCode::from_u16(status).unwrap(), &headers)?.map(|uri| uri.to_string()))
    }

    #[test]
    fn resolved_as_rfc_3986_says() {
        for (location, target) in [
            ("/x?y=z", "http://h:81/x?y=z"),
            ("x", "http://h:81/a/x"),
            ("../x#f", "http://h:81/x"),
            ("?q=1", "http://h:81/a/b?q=1"),
            ("//other/x", "http://other/x"),
            ("https://other/x?y=z", "https://other/x?y=z"),
            ("http://other/caf\u{e9} x", "http://other/caf%C3%A9%20x"),
            ("http://\u{e9}x.example/", "http://xn--x-9fa.example/"),
        ] {
            assert_eq!(after(302, Some(location)).unwrap().as_deref(), Some(target), "{location}");
        }
    }

    #[test]
    fn what_is_followed() {
        for status in [301, 302, 303, 307, 308] {
            assert!(after(status, Some("/x")).unwrap().is_some());
            assert!(after(status, None).is_err());
        }
        for status in [200, 300, 304, 306, 404] {
            assert_eq!(after(status, Some("/x")), Ok(None));
        }
        assert!(after(305, Some("/x")).is_err());
        for location in ["ftp://h/", "javascript:1", "http://", "file:///etc/passwd"] {
            assert!(after(302, Some(location)).is_err(), "{location}");
        }
        let found = StatusCode::FOUND;
        assert_eq!(next(&Method::POST, &"http://h/".parse().unwrap(), found, &HeaderMap::new()), Ok(None));
    }

    #[test]
    fn credentials_stay_with_their_origin() {
        let secrets = Secrets::with(["x-key"], []);
        let from = "http://h/a".parse().unwrap();
        for (to, kept) in [("http://h:80/b", 6), ("http://h:81/b", 1), ("https://h/b", 1), ("http://other/b", 1)] {
            let mut headers = HeaderMap::new();
            for name in ["authorization", "cookie", "x-key", "x-api-key", "x-auth-token", "accept"] {
                headers.insert(name, "v".parse().unwrap());
            }
            strip(&mut headers, &from, &to.parse().unwrap(), &secrets);
            assert_eq!(headers.len(), kept, "{to}");
        }
    }
}
