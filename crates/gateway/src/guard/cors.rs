//! Origins whose pages may read answers (Fetch Standard 3.3). None, unless the configuration lists
//! some.

use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Deserialize;

use super::name::Name;

/// The setting `cors`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(try_from = "Written")]
pub struct Cors {
    any: bool,
    origins: Vec<String>,
    credentials: bool,
    headers: Option<HeaderValue>,
    expose: Option<HeaderValue>,
    max_age: u64,
}

/// The setting as it is written.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Written {
    /// Origins, or `*` for all.
    origins: Vec<String>,
    /// True if pages may send cookies and credentials of the browser.
    credentials: bool,
    /// Headers that pages may set.
    headers: Vec<String>,
    /// Headers of answers that pages may read.
    expose_headers: Vec<String>,
    /// Seconds for which browsers may keep the answer of a preflight.
    max_age: u64,
}

impl Default for Written {
    fn default() -> Written {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Written {
            origins: Vec::new(),
            credentials: false,
            headers: names(&["accept", "authorization", "content-type", "x-api-key"]),
            expose_headers: names(&["polywire-losses", "polywire-partial", "ratelimit", "retry-after"]),
            max_age: 600,
        }
    }
}

impl TryFrom<Written> for Cors {
    type Error = String;

    fn try_from(written: Written) -> Result<Cors, String> {
        let any = written.origins.iter().any(|origin| origin == "*");
        if any && written.credentials {
            return Err("cors: `credentials` cannot go with the origin *: list the origins that are trusted".to_owned());
        }
        let origins: Vec<String> = written.origins.into_iter().filter(|origin| origin != "*").collect();
        if let Some(wrong) = origins.iter().find(|origin| Name::of_origin(origin).is_none_or(|(scheme, _)| scheme.is_empty())) {
            return Err(format!("cors: expected an origin such as https://app.example, or *, saw {wrong}"));
        }
        let list = |names: Vec<String>| -> Result<Option<HeaderValue>, String> {
            if let Some(wrong) = names.iter().find(|name| name.parse::<HeaderName>().is_err()) {
                return Err(format!("cors: not a header name: {wrong}"));
            }
            Ok(HeaderValue::try_from(names.join(", ")).ok().filter(|list| !list.is_empty()))
        };
        let (headers, expose) = (list(written.headers)?, list(written.expose_headers)?);
        Ok(Cors { any, origins, credentials: written.credentials, headers, expose, max_age: written.max_age })
    }
}

impl Cors {
    /// Returns true if the configuration lists this origin by its name.
    pub fn lists(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        self.origins.iter().any(|listed| listed.eq_ignore_ascii_case(origin))
    }

    /// Returns true if answers depend on the origin.
    fn varies(&self) -> bool {
        !self.origins.is_empty()
    }

    fn allowed(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        if self.lists(origin) {
            return Some(origin.clone());
        }
        self.any.then(|| HeaderValue::from_static("*"))
    }

    /// Permits the page that asked to read an answer, if its origin may.
    pub fn permit(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        if self.varies() {
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        let Some(allowed) = origin.and_then(|origin| self.allowed(origin)) else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if self.credentials {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        if let Some(names) = &self.expose {
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, names.clone());
        }
    }

    /// Returns the headers that answer a preflight (Fetch Standard 4.9). Returns nothing for other
    /// requests, and where no origin is configured; an empty set for an origin that may not ask.
    pub fn preflight(&self, method: &Method, headers: &HeaderMap) -> Option<HeaderMap> {
        if method != Method::OPTIONS || !(self.any || self.varies()) {
            return None;
        }
        let (origin, asked) = (headers.get(ORIGIN)?, headers.get(ACCESS_CONTROL_REQUEST_METHOD)?);
        let mut answer = HeaderMap::new();
        if self.allowed(origin).is_some() {
            self.permit(Some(origin), &mut answer);
            answer.remove(ACCESS_CONTROL_EXPOSE_HEADERS);
            answer.insert(ACCESS_CONTROL_ALLOW_METHODS, asked.clone());
            answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from(self.max_age));
            if let Some(names) = &self.headers {
                answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
            }
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cors(text: &str) -> Result<Cors, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn settings_that_contradict_are_refused() {
        for (text, part) in [
            (r#"{"origins": ["*"], "credentials": true}"#, "credentials"),
            (r#"{"origins": ["app.example"]}"#, "app.example"),
            (r#"{"origins": ["https://app.example/"]}"#, "app.example/"),
            (r#"{"origins": ["null"]}"#, "null"),
            (r#"{"headers": ["a b"]}"#, "a b"),
            (r#"{"origin": "https://app.example"}"#, "origin"),
        ] {
            let error = cors(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn answers_name_the_origin_and_never_all_with_credentials() {
        let page = HeaderValue::from_static("https://app.example");
        let permitted = |text: &str, origin: &HeaderValue| {
            let mut headers = HeaderMap::new();
            cors(text).unwrap().permit(Some(origin), &mut headers);
            headers
        };
        let listed = r#"{"origins": ["https://app.example"], "credentials": true}"#;
        let headers = permitted(listed, &page);
        assert_eq!(
            (&headers[ACCESS_CONTROL_ALLOW_ORIGIN], &headers[ACCESS_CONTROL_ALLOW_CREDENTIALS]),
            (&page, &HeaderValue::from_static("true"))
        );
        assert_eq!(headers[VARY], "origin");
        let headers = permitted(listed, &HeaderValue::from_static("https://evil.example"));
        assert_eq!((headers.len(), &headers[VARY]), (1, &HeaderValue::from_static("origin")));
        let headers = permitted(r#"{"origins": ["*"]}"#, &page);
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert!(permitted("{}", &page).is_empty());
    }

    #[test]
    fn preflights() {
        let mut asked = HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static("https://app.example"))]);
        let cors = cors(r#"{"origins": ["https://app.example"], "headers": ["x-a"], "maxAge": 5}"#).unwrap();
        assert_eq!(cors.preflight(&Method::OPTIONS, &asked), None);
        asked.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("PUT"));
        assert_eq!(cors.preflight(&Method::GET, &asked), None);
        assert_eq!(Cors::default().preflight(&Method::OPTIONS, &asked), None);
        let answer = cors.preflight(&Method::OPTIONS, &asked).unwrap();
        assert_eq!(answer[ACCESS_CONTROL_ALLOW_METHODS], "PUT");
        assert_eq!(answer[ACCESS_CONTROL_ALLOW_HEADERS], "x-a");
        assert_eq!(answer[ACCESS_CONTROL_MAX_AGE], "5");
        asked.insert(ORIGIN, HeaderValue::from_static("https://evil.example"));
        assert!(cors.preflight(&Method::OPTIONS, &asked).unwrap().is_empty());
    }
}
