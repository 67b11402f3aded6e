//! Requests of other sites' pages, by the headers that browsers set and no page can change: Fetch
//! Metadata, else `Origin`.

use http::header::ORIGIN;
use http::{HeaderMap, HeaderName};

use super::cors::Cors;
use super::name::Name;

/// The relation of a request to the page that makes it (W3C Fetch Metadata 2.1).
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks that a request comes from no page, from a page of the gateway itself, or from an origin
/// that the configuration lists. `host` is the name that the request is for.
///
/// # Errors
/// It comes from another page: the header that says so.
pub fn own(headers: &HeaderMap, host: Option<&Name<'_>>, cors: &Cors) -> Result<(), String> {
    let origin = headers.get(ORIGIN);
    if origin.is_some_and(|origin| cors.lists(origin)) {
        return Ok(());
    }
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter().peekable();
    let other = match sites.peek() {
        Some(_) => sites.find(|site| !matches!(site.as_bytes(), b"same-origin" | b"none")).map(|site| (SEC_FETCH_SITE, site)),
        None => {
            headers.get_all(ORIGIN).iter().find(|origin| !is_of(origin.to_str().unwrap_or_default(), host)).map(|origin| (ORIGIN, origin))
        }
    };
    match other {
        None => Ok(()),
        Some((name, value)) => Err(format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()).chars().take(200).collect::<String>())),
    }
}

/// Returns true if `origin` is that of pages at `host`.
fn is_of(origin: &str, host: Option<&Name<'_>>) -> bool {
    let (Some((scheme, page)), Some(host)) = (Name::of_origin(origin), host) else { return false };
    let default = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    page.is(host, Some(default))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn who_asks() {
        let host = Name::new("gw.example:3000").unwrap();
        let listed = serde_json::from_str(r#"{"origins": ["https://app.example"]}"#).unwrap();
        for (headers, is_own) in [
            (&[][..], true),
            (&[("origin", "http://gw.example:3000")], true),
            (&[("origin", "http://GW.example:3000")], true),
            (&[("origin", "http://gw.example")], false),
            (&[("origin", "http://evil.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "")], false),
            (&[("origin", "https://app.example")], true),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "")], false),
            (&[("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "https://app.example")], true),
            (&[("sec-fetch-site", "cross-site"), ("origin", "http://gw.example:3000")], false),
            // A proxy may have changed the name.
            (&[("sec-fetch-site", "same-origin"), ("origin", "https://public.example")], true),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, HeaderValue::from_static(value));
            }
            assert_eq!(own(&map, Some(&host), &listed).is_ok(), is_own, "{headers:?}");
        }
        let headers = HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static("http://gw.example"))]);
        assert!(own(&headers, None, &Cors::default()).unwrap_err().contains("http://gw.example"));
        assert!(own(&headers, Name::new("gw.example").as_ref(), &Cors::default()).is_ok());
    }
}
