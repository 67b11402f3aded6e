//! Forward proxies: the key `proxy` of the configuration (docs/spec/ql.md 8.4 and 13).
//!
//! The policy still decides which hosts may be called. But the proxy resolves their names, and
//! judges their addresses.

use std::collections::HashMap;

use http::{HeaderValue, Uri};
use serde::Deserialize;

use super::basic::basic;

/// The proxies of hosts, from `{"host": {"host": "proxy", "port": 3128}, "*": {}}`; an empty entry
/// means a direct connection. A proxy that asks for credentials has `user` and `password` too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(try_from = "HashMap<String, Entry>")]
pub struct Proxies {
    by_host: HashMap<String, Option<Proxy>>,
}

/// A proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// `http://host:port`.
    pub uri: Uri,
    /// Its credentials, as `Proxy-Authorization`. They are never printed.
    pub credentials: Option<HeaderValue>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Entry {
    host: Option<String>,
    port: Option<Port>,
    user: Option<String>,
    #[serde(default)]
    password: String,
}

/// A port as a number, or as text, as configurations of ql.io have it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Port {
    Number(u16),
    Text(String),
}

impl Port {
    fn number(self) -> Result<u16, String> {
        match self {
            Port::Number(number) => Ok(number),
            Port::Text(text) => text.trim().parse().map_err(|_| format!("the port '{text}' is not a number from 0 to 65535")),
        }
    }
}

/// Default port of a proxy: the one registered with IANA.
const PORT: u16 = 8080;

impl TryFrom<HashMap<String, Entry>> for Proxies {
    type Error = String;

    fn try_from(entries: HashMap<String, Entry>) -> Result<Self, String> {
        let mut by_host = HashMap::new();
        for (name, entry) in entries {
            let proxy = entry.proxy().map_err(|what| format!("proxy of '{name}': {what}"))?;
            by_host.insert(name.to_ascii_lowercase(), proxy);
        }
        Ok(Proxies { by_host })
    }
}

impl Entry {
    /// None = directly. Errors hold no password.
    fn proxy(self) -> Result<Option<Proxy>, String> {
        let Some(host) = self.host else { return Ok(None) };
        if host.contains('@') {
            return Err("name and password go into `user` and `password`".to_owned());
        }
        let port = self.port.map_or(Ok(PORT), Port::number)?;
        let uri: Option<Uri> = format!("http://{host}:{port}").parse().ok();
        let uri = uri.filter(|uri| uri.path() == "/" && uri.query().is_none()).ok_or_else(|| format!("'{host}' is not a host"))?;
        let credentials = match self.user {
            None => None,
            // RFC 7617 2: the colon ends the name.
            Some(user) if user.contains(':') => return Err("a user's name has no colon".to_owned()),
            Some(user) => Some(basic(user.as_bytes(), self.password.as_bytes()).ok_or("name and password are too long")?),
        };
        Ok(Some(Proxy { uri, credentials }))
    }
}

impl Proxies {
    /// Returns true if all requests go directly.
    pub fn is_empty(&self) -> bool {
        self.by_host.is_empty()
    }

    /// Returns the proxy for a host (in lower case); none = directly.
    pub fn of(&self, host: &str) -> Option<&Proxy> {
        self.by_host.get(host).or_else(|| self.by_host.get("*"))?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_host_and_for_all_others() {
        let proxies: Proxies = serde_json::from_str(
            r#"{"direct.example": {}, "A.example": {"host": "p", "port": 1}, "B.example": {"host": "p", "port": "3003"},
                "*": {"host": "q"}}"#,
        )
        .unwrap();
        assert_eq!(proxies.of("direct.example"), None);
        assert_eq!(proxies.of("a.example").unwrap().uri, "http://p:1/");
        assert_eq!(proxies.of("b.example").unwrap().uri, "http://p:3003/");
        assert_eq!(proxies.of("other").unwrap().uri, "http://q:8080/");
        assert_eq!(Proxies::default().of("other"), None);
        for wrong in [
            r#"{"host": "a/b"}"#,
            r#"{"host": "h", "port": "ssh"}"#,
            r#"{"host": "h", "port": "70000"}"#,
            r#"{"host": "u:s3cret@h"}"#,
            r#"{"host": "h", "user": "a:b", "password": "s3cret"}"#,
        ] {
            let error = serde_json::from_str::<Proxies>(&format!(r#"{{"*": {wrong}}}"#)).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn credentials_are_not_printed() {
        let proxies: Proxies = serde_json::from_str(r#"{"*": {"host": "p", "user": "Aladdin", "password": "open sesame"}}"#).unwrap();
        // The example of RFC 7617 2.
        assert_eq!(proxies.of("x").unwrap().credentials.as_ref().unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let printed = format!("{proxies:?}");
        assert!(!printed.contains("QWxh") && !printed.contains("sesame"), "{printed}");
    }
}
