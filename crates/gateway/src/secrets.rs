//! Secrets, which must not be shown in logs, errors and recorded exchanges.

use std::sync::{Arc, PoisonError, RwLock};

use foldhash::{HashSet, HashSetExt};
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};
use http::{HeaderMap, HeaderName, Uri};
use polywire_ql::template::uri::encode_component;

/// Stands for a hidden value.
pub const HIDDEN: &str = "***";

/// Parts of names of headers and parameters whose values are secrets, in lower case and without
/// signs between words: `X-Api-Key`, `access_token`, `clientSecret`.
const SECRET_PARTS: [&str; 12] = [
    "apikey",
    "accesskey",
    "authorization",
    "credential",
    "passphrase",
    "password",
    "passwd",
    "privatekey",
    "secret",
    "sessionid",
    "signature",
    "token",
];

/// Names that are secrets as a whole only.
const SECRET_NAMES: [&str; 7] = ["auth", "jwt", "pass", "pwd", "sid", "sig", "xauth"];

/// Returns true for the name of a header or parameter that usually has a secret.
fn sounds_secret(name: &str) -> bool {
    // Long enough for any of them; the rest of a longer name adds nothing but work.
    let word: String = name.chars().filter(char::is_ascii_alphanumeric).take(64).map(|c| c.to_ascii_lowercase()).collect();
    SECRET_NAMES.contains(&word.as_str()) || SECRET_PARTS.iter().any(|part| word.contains(part))
}

/// Schemes of credentials (RFC 9110 11.1), which are no secrets themselves.
const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "negotiate", "token"];

/// Names of headers and of query parameters whose values are secrets. User information of URIs
/// always is, and so are values whose name sounds so, such as `api_key`.
#[derive(Debug, Clone)]
pub struct Secrets {
    headers: HashSet<HeaderName>,
    parameters: HashSet<String>,
    /// Secrets themselves. Clones share them.
    values: Arc<RwLock<Vec<String>>>,
}

/// The shortest value that is hidden wherever it occurs, in bytes. Shorter ones are parts of
/// ordinary words.
const SHORTEST_VALUE: usize = 6;

/// The headers that carry credentials by their standards: RFC 9110 11.6.2 and 11.7.2, RFC 6265.
impl Default for Secrets {
    fn default() -> Self {
        Secrets {
            headers: HashSet::from_iter([AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE]),
            parameters: HashSet::new(),
            values: Arc::default(),
        }
    }
}

impl Secrets {
    /// Makes the default secrets, and more. Invalid header names cannot occur, and are ignored.
    pub fn with<'a>(headers: impl IntoIterator<Item = &'a str>, parameters: impl IntoIterator<Item = &'a str>) -> Self {
        let mut secrets = Secrets::default();
        secrets.headers.extend(headers.into_iter().filter_map(|name| name.parse().ok()));
        secrets.parameters.extend(parameters.into_iter().map(str::to_owned));
        secrets
    }

    /// Adds a parameter.
    #[must_use]
    pub fn and_parameter(mut self, name: &str) -> Self {
        self.parameters.insert(name.to_owned());
        self
    }

    /// Adds secrets themselves, which are hidden wherever they occur.
    #[must_use]
    pub fn and_values(self, values: &[String]) -> Self {
        self.set_values(values);
        self
    }

    /// Replaces the secrets that are known by their value, here and in all clones.
    pub fn set_values(&self, values: &[String]) {
        let mut known = Vec::with_capacity(2 * values.len());
        for value in values.iter().filter(|value| value.len() >= SHORTEST_VALUE) {
            let encoded = encode_component(value);
            known.extend([value.clone(), encoded]);
        }
        // A value may contain another.
        known.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        known.dedup();
        *self.values.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Returns a text without the secrets that are known by their value.
    fn without_values(&self, mut text: String) -> String {
        for value in self.values.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if text.contains(value) {
                text = text.replace(value, HIDDEN);
            }
        }
        text
    }

    /// Returns true if the values of this header are secrets.
    pub fn hides(&self, name: &HeaderName) -> bool {
        self.headers.contains(name) || sounds_secret(name.as_str())
    }

    /// Returns the value of a header or parameter of a table as it may be shown. Tokens of a
    /// template are no secrets; text between them is.
    pub fn show_value(&self, name: &str, value: &str) -> String {
        let is_header = name.parse().is_ok_and(|name: HeaderName| self.hides(&name));
        if (is_header || self.is_secret_parameter(name)) && !is_tokens(value) {
            HIDDEN.to_owned()
        } else {
            self.without_values(value.to_owned())
        }
    }

    /// Returns a URI template of a table without user information, and with secret parameters
    /// hidden.
    pub fn show_template(&self, template: &str) -> String {
        match template.contains("//") {
            true => self.show_beginning(template),
            false => {
                let (head, query) = template.split_once('?').map_or((template, None), |(head, query)| (head, Some(query)));
                let mut text = head.to_owned();
                if let Some(query) = query {
                    text.push('?');
                    self.push_pairs(query, &mut text);
                }
                self.without_values(text)
            }
        }
    }

    /// Marks secret values, so that they are not printed, and are kept out of the tables by which
    /// HTTP/2 compresses headers (RFC 7541 7.1.3).
    pub fn mark(&self, headers: &mut HeaderMap) {
        for (name, value) in headers.iter_mut() {
            if self.hides(name) {
                value.set_sensitive(true);
            }
        }
    }

    /// Removes secret headers.
    pub fn remove(&self, headers: &mut HeaderMap) {
        let secret: Vec<HeaderName> = headers.keys().filter(|name| self.hides(name)).cloned().collect();
        for name in secret {
            headers.remove(name);
        }
    }

    /// Returns the URI without user information, and with secret parameters hidden.
    pub fn show(&self, uri: &Uri) -> String {
        let rest = uri.path_and_query().map_or(0, |rest| rest.as_str().len());
        let mut text = String::with_capacity("https://".len() + uri.authority().map_or(0, |authority| authority.as_str().len()) + rest);
        if let Some(scheme) = uri.scheme_str() {
            text.push_str(scheme);
            text.push_str("://");
        }
        if let Some(authority) = uri.authority() {
            text.push_str(host_and_port(authority.as_str()));
        }
        text.push_str(uri.path());
        if let Some(query) = uri.query() {
            text.push('?');
            self.push_pairs(query, &mut text);
        }
        self.without_values(text)
    }

    /// Returns the beginning of a URI, or of a form, without secrets. An authority that is cut off
    /// may be user information, and is hidden.
    pub fn show_beginning(&self, beginning: &str) -> String {
        let (head, query) = beginning.split_once('?').map_or((beginning, None), |(head, query)| (head, Some(query)));
        let mut text = String::new();
        // A form has no path.
        if !head.is_empty() && !head.contains('/') {
            self.push_pairs(beginning, &mut text);
            return self.without_values(text);
        }
        match head.split_once("//").filter(|(scheme, _)| scheme.is_empty() || scheme.ends_with(':') && !scheme.contains('/')) {
            Some((scheme, rest)) => {
                text.push_str(scheme);
                text.push_str("//");
                match rest.split_once('/') {
                    Some((authority, path)) => {
                        text.push_str(host_and_port(authority));
                        text.push('/');
                        text.push_str(path);
                    }
                    None if query.is_some() => text.push_str(host_and_port(rest)),
                    None if rest.is_empty() => {}
                    None => text.push_str(HIDDEN),
                }
            }
            None => text.push_str(head),
        }
        if let Some(query) = query {
            text.push('?');
            self.push_pairs(query, &mut text);
        }
        self.without_values(text)
    }

    fn push_pairs(&self, query: &str, text: &mut String) {
        for (position, pair) in query.split('&').enumerate() {
            if position > 0 {
                text.push('&');
            }
            match pair.split_once('=') {
                Some((name, value)) if !value.is_empty() && !is_tokens(value) && self.is_secret_parameter(name) => {
                    text.push_str(name);
                    text.push('=');
                    text.push_str(HIDDEN);
                }
                _ => text.push_str(pair),
            }
        }
    }

    fn is_secret_parameter(&self, name: &str) -> bool {
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        sounds_secret(&name) || self.parameters.contains(name.as_ref())
    }
}

/// Returns true for tokens of a template, `{name}`, alone or behind a scheme of credentials: the
/// place of a secret, and not the secret.
fn is_tokens(value: &str) -> bool {
    let mut rest = value.trim();
    if let Some((scheme, behind)) = rest.split_once(' ')
        && SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
    {
        rest = behind.trim_start();
    }
    let (mut depth, mut tokens) = (0_usize, 0);
    for c in rest.chars() {
        match c {
            '{' => {
                depth += 1;
                tokens += 1;
            }
            '}' if depth > 0 => depth -= 1,
            ':' | ',' | ' ' if depth == 0 => {}
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    depth == 0 && tokens > 0
}

/// Compares secrets in a time that does not depend on where they differ.
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Returns an authority without its user information.
pub(crate) fn host_and_port(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_without_secrets() {
        let secrets = Secrets::with(["x-key", "no header name"], ["api key"]);
        for (uri, shown) in [
            ("http://user:pass@host:81/p?a=1", "http://host:81/p?a=1"),
            ("https://host/?api%20key=s3cret&b", "https://host/?api%20key=***&b"),
            ("http://[::1]:8/x?q=a@b", "http://[::1]:8/x?q=a@b"),
        ] {
            assert_eq!(secrets.show(&uri.parse().unwrap()), shown);
        }
        assert!(secrets.hides(&HeaderName::from_static("x-key")) && secrets.hides(&COOKIE));
        assert!(!secrets.hides(&http::header::ACCEPT));
    }

    #[test]
    fn names_that_sound_secret() {
        let secrets = Secrets::default();
        for name in ["x-api-key", "X-Auth-Token", "access_token", "clientSecret", "PASSWORD", "api%5Fkey", "pwd", "X-Amz-Signature"] {
            assert!(sounds_secret(name) || secrets.is_secret_parameter(name), "{name}");
        }
        for name in ["accept", "content-type", "q", "author", "signal", "passport", "x-request-id", "key"] {
            assert!(!secrets.is_secret_parameter(name), "{name}");
        }
        let uri = "http://u:p@h/x?api_key=s3cret&token=&q=1&Password=s3cret".parse().unwrap();
        assert_eq!(secrets.show(&uri), "http://h/x?api_key=***&token=&q=1&Password=***");
    }

    #[test]
    fn tables_without_secrets() {
        let secrets = Secrets::with(["x-key"], ["k"]);
        for (template, shown) in [
            ("http://user:s3cret@h/{id}?api_key=s3cret&q={q}", "http://h/{id}?api_key=***&q={q}"),
            ("http://h/?token={config.token}&k={k}", "http://h/?token={config.token}&k={k}"),
            ("http://h/?token=a{b}", "http://h/?token=***"),
            ("{config.base}/x?k=s3cret", "{config.base}/x?k=***"),
        ] {
            assert_eq!(secrets.show_template(template), shown);
        }
        for (name, value, shown) in [
            ("Authorization", "Bearer s3cret", "***"),
            ("Authorization", "Bearer {config.token}", "Bearer {config.token}"),
            ("Authorization", "Basic {user}:{password}", "Basic {user}:{password}"),
            ("Authorization", "Basic {user}:s3cret", "***"),
            ("Cookie", "a=b", "***"),
            ("X-Api-Key", "s3cret", "***"),
            ("x-key", "s3cret", "***"),
            ("Accept", "text/xml", "text/xml"),
            ("api_key", "s3cret", "***"),
        ] {
            assert_eq!(secrets.show_value(name, value), shown, "{name}: {value}");
        }
    }

    #[test]
    fn beginnings_without_secrets() {
        let secrets = Secrets::with([], ["key"]);
        for (beginning, shown) in [
            ("http://user:pass@host:81/p?key=s3cret&q=", "http://host:81/p?key=***&q="),
            ("http://user:pass@host?key=", "http://host?key="),
            ("http://user:pa", "http://***"),
            ("http://", "http://"),
            ("/p//q@r?key=a?b", "/p//q@r?key=***"),
            ("?q=1&key=s3cret", "?q=1&key=***"),
            ("key=s3cret?&q=", "key=***&q="),
            ("", ""),
        ] {
            assert_eq!(secrets.show_beginning(beginning), shown);
        }
    }

    #[test]
    fn marked_values_are_not_printed() {
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, "Bearer s3cret".parse().unwrap())]);
        Secrets::default().mark(&mut headers);
        assert!(!format!("{headers:?}").contains("s3cret"));
    }
}
