//! Names that the gateway answers for. A page whose name an attacker points at the gateway (DNS
//! rebinding) sends its own name in `Host`, and is refused.

use std::net::{IpAddr, SocketAddr};

use serde::Deserialize;

use super::name::Name;

/// Names beside those of loopback and the address of the connection: `host`, `*.domain` or `*`,
/// with or without a port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Hosts(Vec<Pattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Any,
    /// A host, and names below it instead if the flag is set.
    Named {
        host: String,
        below: bool,
        port: Option<u16>,
    },
}

impl TryFrom<Vec<String>> for Hosts {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Hosts, String> {
        texts.iter().map(|text| pattern(text)).collect::<Result<_, _>>().map(Hosts)
    }
}

fn pattern(text: &str) -> Result<Pattern, String> {
    if text == "*" {
        return Ok(Pattern::Any);
    }
    let (below, rest) = text.strip_prefix("*.").map_or((false, text), |rest| (true, rest));
    match Name::new(rest).filter(|name| !name.host.contains('*')) {
        Some(Name { host, port }) => Ok(Pattern::Named { host: host.to_owned(), below, port }),
        None => Err(format!("hosts: expected a host, *.domain or *, with or without a port, saw {text}")),
    }
}

impl Hosts {
    /// Returns true if the gateway answers for `name`, on a connection to `local`.
    pub fn know(&self, name: &Name<'_>, local: Option<SocketAddr>) -> bool {
        if let Some(address) = name.address() {
            let address = address.to_canonical();
            // No page has the address of the gateway unless it is the gateway's.
            let listened = local.is_some_and(|local| local.ip().to_canonical() == address);
            if listened || address.is_loopback() || address.is_unspecified() {
                return true;
            }
        } else if is_local(name.host) {
            return true;
        }
        self.0.iter().any(|pattern| match pattern {
            Pattern::Any => true,
            Pattern::Named { host, below, port } => {
                let named = if *below { is_below(name.host, host) } else { name.host.eq_ignore_ascii_case(host) };
                named && (port.is_none() || *port == name.port)
            }
        })
    }
}

/// Returns true for the names of loopback, which no resolver leads elsewhere (RFC 6761 6.3).
fn is_local(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || is_below(host, "localhost")
}

fn is_below(host: &str, domain: &str) -> bool {
    let (host, domain) = (host.as_bytes(), domain.as_bytes());
    let Some(dot) = host.len().checked_sub(domain.len() + 1) else { return false };
    dot > 0 && host[dot] == b'.' && host[dot + 1..].eq_ignore_ascii_case(domain)
}

/// Returns true for an address that only programs of this machine reach.
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(texts: &[&str]) -> Hosts {
        Hosts::try_from(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn known_names() {
        let local = Some("192.0.2.7:3000".parse().unwrap());
        let (none, some) = (hosts(&[]), hosts(&["api.example", "*.shop.example:8080"]));
        for (name, without, with) in [
            ("localhost:3000", true, true),
            ("LOCALHOST", true, true),
            ("a.localhost", true, true),
            ("127.0.0.1:3000", true, true),
            ("127.9.9.9", true, true),
            ("[::1]", true, true),
            ("[::ffff:127.0.0.1]", true, true),
            ("192.0.2.7", true, true),
            ("192.0.2.8", false, false),
            ("API.example:99", false, true),
            ("a.shop.example:8080", false, true),
            ("a.shop.example", false, false),
            ("shop.example:8080", false, false),
            ("evil.example", false, false),
            ("localhost.evil.example", false, false),
            ("evillocalhost", false, false),
            (".localhost", false, false),
        ] {
            let Some(name) = Name::new(name) else { panic!("{name}") };
            assert_eq!((none.know(&name, local), some.know(&name, local)), (without, with), "{name:?}");
        }
        assert!(hosts(&["*"]).know(&Name::new("evil.example").unwrap(), None));
    }

    #[test]
    fn patterns_that_match_nothing_are_refused() {
        for text in ["", "http://a.example", "a.*.example", "*a.example", "a.example/x", "a:b"] {
            assert!(Hosts::try_from(vec![text.to_owned()]).unwrap_err().contains("hosts"), "{text}");
        }
    }
}
