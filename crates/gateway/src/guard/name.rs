//! Host and port of a request or of a page's origin.

use std::net::IpAddr;

use http::uri::Authority;

/// A host and its port, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'t> {
    /// Host: a name without its last dot, or an address without brackets.
    pub host: &'t str,
    /// Port, if there is one.
    pub port: Option<u16>,
}

impl<'t> Name<'t> {
    /// Reads `host` or `host:port`, as in the header `Host` (RFC 9110 7.2). User information is no
    /// part of it.
    pub fn new(text: &'t str) -> Option<Name<'t>> {
        text.parse::<Authority>().ok().filter(|_| !text.contains('@'))?;
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            None | Some("") => None,
            Some(port) => Some(port.parse().ok()?),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = host.strip_suffix('.').unwrap_or(host);
        (!host.is_empty()).then_some(Name { host, port })
    }

    /// Reads an origin, as in the header `Origin` (RFC 6454 7): returns the scheme and the rest.
    pub fn of_origin(origin: &'t str) -> Option<(&'t str, Name<'t>)> {
        let (scheme, rest) = origin.split_once("://")?;
        Some((scheme, Name::new(rest)?))
    }

    /// Returns the address, if the host is one.
    pub fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// Returns true if both mean the same place, where `default` is the port of a name without one.
    pub fn is(&self, other: &Name<'_>, default: Option<u16>) -> bool {
        self.host.eq_ignore_ascii_case(other.host) && self.port.or(default) == other.port.or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports() {
        for (text, expected) in [
            ("a.example", Some(("a.example", None))),
            ("A.example.:80", Some(("A.example", Some(80)))),
            ("a.example:", Some(("a.example", None))),
            ("[::1]:3000", Some(("::1", Some(3000)))),
            ("[::1]", Some(("::1", None))),
            ("127.0.0.1:3000", Some(("127.0.0.1", Some(3000)))),
            ("a.example:99999", None),
            ("user@a.example", None),
            ("a.example/x", None),
            ("", None),
            (":80", None),
            (".", None),
        ] {
            assert_eq!(Name::new(text).map(|name| (name.host, name.port)), expected, "{text}");
        }
        assert_eq!(Name::new("[::1]:3").unwrap().address(), Some("::1".parse().unwrap()));
    }

    #[test]
    fn origins() {
        let (scheme, page) = Name::of_origin("https://A.example").unwrap();
        assert_eq!(scheme, "https");
        assert!(page.is(&Name::new("a.example:443").unwrap(), Some(443)));
        assert!(!page.is(&Name::new("a.example:80").unwrap(), Some(443)));
        assert_eq!(Name::of_origin("null"), None);
        assert_eq!(Name::of_origin("https://a.example/x"), None);
    }
}
