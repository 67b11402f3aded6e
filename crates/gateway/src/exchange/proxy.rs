//! Forward proxies: the key `proxy` of the configuration (spec 8.4 and 13).
//!
//! The policy still says which hosts may be called. But it is the proxy that resolves their names: what addresses they lead to is its to judge.

use std::collections::HashMap;

use http::Uri;
use serde::Deserialize;

/// Which proxy requests to a host go by. From `{"host": {"host": "proxy", "port": 3128}, "*": {}}`; an empty entry means directly.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(try_from = "HashMap<String, Entry>")]
pub struct Proxies {
    by_host: HashMap<String, Option<Uri>>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    host: Option<String>,
    port: Option<u16>,
}

/// Port of a proxy that has none: the one registered for it with IANA.
const PORT: u16 = 8080;

impl TryFrom<HashMap<String, Entry>> for Proxies {
    type Error = String;

    fn try_from(entries: HashMap<String, Entry>) -> Result<Self, String> {
        let mut by_host = HashMap::new();
        for (name, entry) in entries {
            let proxy = match entry.host {
                None => None,
                Some(host) => {
                    let text = format!("http://{host}:{}", entry.port.unwrap_or(PORT));
                    let uri: Uri = text.parse().map_err(|_| format!("proxy of '{name}': '{host}' is no host"))?;
                    let plain = uri.path() == "/" && uri.query().is_none() && !text.contains('@');
                    Some(uri).filter(|_| plain).ok_or_else(|| format!("proxy of '{name}': '{host}' is no host"))?.into()
                }
            };
            by_host.insert(name.to_ascii_lowercase(), proxy);
        }
        Ok(Proxies { by_host })
    }
}

impl Proxies {
    /// The proxy for a host (in lower case), as `http://host:port`; none = directly.
    pub fn of(&self, host: &str) -> Option<&Uri> {
        self.by_host.get(host).or_else(|| self.by_host.get("*"))?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_host_and_for_all_others() {
        let proxies: Proxies =
            serde_json::from_str(r#"{"direct.example": {}, "A.example": {"host": "p", "port": 1}, "*": {"host": "q"}}"#).unwrap();
        assert_eq!(proxies.of("direct.example"), None);
        assert_eq!(proxies.of("a.example").unwrap(), "http://p:1/");
        assert_eq!(proxies.of("other").unwrap(), "http://q:8080/");
        assert_eq!(Proxies::default().of("other"), None);
        assert!(serde_json::from_str::<Proxies>(r#"{"*": {"host": "a/b"}}"#).is_err());
    }
}
