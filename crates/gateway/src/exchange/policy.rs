//! The hosts that the gateway may call, and their addresses.
//!
//! A host is called if a table names it in its URI, or an allowlist does. The connected address
//! must be on the public internet, so that a name which leads inwards, at once or on a second
//! look-up, gains nothing (CWE-918).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use http::Uri;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A host that may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    host: Host,
    port: Ports,
    /// True if it may have an address outside the public internet.
    pub private: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Any,
    /// Lower case; addresses as `IpAddr` prints them.
    Exactly(String),
    /// `.example.com`: every host below it.
    Below(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Ports {
    Any,
    /// 80 and 443.
    Web,
    One(u16),
}

/// The reason why a target may not be called.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither a table nor the allowlist names it.
    Host {
        /// With its port.
        host: String,
    },
    /// The host is allowed, but not at this address.
    Address {
        /// The host.
        host: String,
        /// The address that was found or connected.
        address: IpAddr,
    },
    /// Another scheme than `http` and `https`, or no host.
    Scheme,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Host { host } => {
                write!(f, "The gateway may not call {host}: no table names it in its URI; `allow` in config.json may, as {host}")
            }
            Refusal::Address { host, address } => {
                write!(
                    f,
                    "The gateway may not call {host} at {address}, which is not on the public internet; `allowPrivate` in config.json may name it, as {host}:*"
                )
            }
            Refusal::Scheme => f.write_str("The gateway calls http and https URIs with a host only"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The addresses that a permitted host may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Addresses of the public internet, and those that the policy names.
    Public,
    /// All addresses.
    Any,
}

/// The hosts that may be called; by default none.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    grants: Vec<Grant>,
    networks: Vec<IpNet>,
}

impl Policy {
    /// Makes a policy of grants; `networks` are open to every permitted host, beside the public
    /// internet.
    pub fn new(grants: Vec<Grant>, networks: Vec<IpNet>) -> Self {
        Policy { grants, networks }
    }

    /// Adds one grant.
    pub fn allow(&mut self, grant: Grant) {
        if !self.grants.contains(&grant) {
            self.grants.push(grant);
        }
    }

    /// Checks that a URI may be called, and returns the reach of its host.
    pub fn check(&self, uri: &Uri) -> Result<Reach, Refusal> {
        let (host, port) = target(uri).ok_or(Refusal::Scheme)?;
        let mut reach = None;
        for grant in self.grants.iter().filter(|grant| grant.covers(&host, port)) {
            reach = Some(if grant.private || reach == Some(Reach::Any) { Reach::Any } else { Reach::Public });
        }
        let reach = reach.ok_or_else(|| Refusal::Host { host: format!("{host}:{port}") })?;
        if let Ok(address) = host.parse::<IpAddr>() {
            self.check_address(reach, &host, address)?;
        }
        Ok(reach)
    }

    /// Checks that a host may have this address.
    pub fn check_address(&self, reach: Reach, host: &str, address: IpAddr) -> Result<(), Refusal> {
        if reach == Reach::Any || is_public(address) || self.networks.iter().any(|network| network.contains(&address.to_canonical())) {
            return Ok(());
        }
        Err(Refusal::Address { host: host.to_owned(), address })
    }
}

/// Returns the host in lower case, without brackets, and the port of a URI that can be called.
pub(crate) fn target(uri: &Uri) -> Option<(String, u16)> {
    let default = match uri.scheme_str()? {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let host = uri.host().filter(|host| !host.is_empty())?;
    Some((plain_host(host), uri.port_u16().unwrap_or(default)))
}

fn plain_host(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
    match host.parse() {
        Ok(IpAddr::V6(address)) => address.to_string(),
        // There is one spelling of an IPv4 address.
        _ => host,
    }
}

impl Grant {
    /// Returns the host and port that a table's URI template names; `None` where they come from
    /// parameters.
    pub fn of_template(template: &str) -> Option<Grant> {
        let (scheme, rest) = template.split_once("://")?;
        let default = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let authority = crate::secrets::host_and_port(rest.split(['/', '?', '#']).next()?);
        if authority.is_empty() || authority.contains(['{', '}', '*']) {
            return None;
        }
        let mut grant: Grant = authority.parse().ok()?;
        if grant.port == Ports::Web {
            grant.port = Ports::One(default);
        }
        Some(grant)
    }

    /// Extends the grant to private addresses.
    #[must_use]
    pub fn private(mut self) -> Grant {
        self.private = true;
        self
    }

    fn covers(&self, host: &str, port: u16) -> bool {
        let host = match &self.host {
            Host::Any => true,
            Host::Exactly(name) => name == host,
            Host::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
        };
        host && match self.port {
            Ports::Any => true,
            Ports::Web => matches!(port, 80 | 443),
            Ports::One(one) => one == port,
        }
    }
}

/// `host`, `*.domain` or `*`, then `:port` or `:*`; without a port, 80 and 443.
impl FromStr for Grant {
    type Err = String;

    fn from_str(text: &str) -> Result<Grant, String> {
        let wrong = || {
            format!(
                "'{text}' is not a host: expected a name, an address in brackets if it has colons, '*.domain' or '*', and ':port' or ':*'"
            )
        };
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            None => Ports::Web,
            Some("*") => Ports::Any,
            Some(port) => Ports::One(port.parse().map_err(|_| wrong())?),
        };
        let host = match host.strip_prefix("*.") {
            _ if host == "*" => Host::Any,
            Some(domain) if !domain.is_empty() && !domain.contains('*') => Host::Below(format!(".{}", plain_host(domain))),
            None if !host.is_empty() && !host.contains('*') => Host::Exactly(plain_host(host)),
            _ => return Err(wrong()),
        };
        Ok(Grant { host, port, private: false })
    }
}

/// IPv4 blocks outside the public internet: the IANA IPv4 Special-Purpose Address Registry, and
/// multicast.
const NOT_PUBLIC_4: [Ipv4Net; 16] = [
    Ipv4Net::new_assert(Ipv4Addr::new(0, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(10, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(100, 64, 0, 0), 10),
    Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(169, 254, 0, 0), 16),
    Ipv4Net::new_assert(Ipv4Addr::new(172, 16, 0, 0), 12),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 0, 0, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 0, 2, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 31, 196, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 88, 99, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(192, 168, 0, 0), 16),
    Ipv4Net::new_assert(Ipv4Addr::new(198, 18, 0, 0), 15),
    Ipv4Net::new_assert(Ipv4Addr::new(198, 51, 100, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(203, 0, 113, 0), 24),
    Ipv4Net::new_assert(Ipv4Addr::new(224, 0, 0, 0), 4),
    Ipv4Net::new_assert(Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The IPv6 block that IANA assigns for global unicast; the rest is not routed.
const GLOBAL_6: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Parts of it outside the public internet: protocol assignments (Teredo among them), and
/// documentation.
const NOT_PUBLIC_6: [Ipv6Net; 3] = [
    Ipv6Net::new_assert(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    Ipv6Net::new_assert(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    Ipv6Net::new_assert(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Addresses that translators turn into the IPv4 address in their last 32 bits (RFC 6052 2.1).
const NAT64: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Addresses that relays turn into the IPv4 address in their bits 16 to 47 (RFC 3056 2).
const SIX_TO_FOUR: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);

/// Returns true for an address of the public internet. An IPv6 address that leads to an IPv4
/// address is judged by that.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => {
            let segments = v6.segments();
            let v4_of = |high: u16, low: u16| {
                let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                Ipv4Addr::new(a, b, c, d)
            };
            if let Some(v4) = v6.to_ipv4_mapped() {
                is_public_v4(v4)
            } else if NAT64.contains(&v6) {
                is_public_v4(v4_of(segments[6], segments[7]))
            } else if SIX_TO_FOUR.contains(&v6) {
                is_public_v4(v4_of(segments[1], segments[2]))
            } else {
                GLOBAL_6.contains(&v6) && !NOT_PUBLIC_6.iter().any(|block| block.contains(&v6))
            }
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_4.iter().any(|block| block.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_public_internet() {
        for public in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for not in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.168.1.1",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::a00:1",
            "2002:7f00:1::",
            "2001:0:7f00:1::",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "5f00::1",
        ] {
            assert!(!is_public(not.parse().unwrap()), "{not}");
        }
    }

    fn policy(grants: &[&str]) -> Policy {
        Policy::new(grants.iter().map(|grant| grant.parse().unwrap()).collect(), Vec::new())
    }

    #[test]
    fn hosts_and_ports() {
        let policy = policy(&["api.example.com", "*.shop.example:8080", "[2606:4700::1]:81", "any.example:*", "127.0.0.1"]);
        for allowed in [
            "http://api.example.com/x",
            "https://API.example.com./x",
            "http://eu.shop.example:8080",
            "http://a.b.shop.example:8080",
            "http://[2606:4700:0::1]:81/",
            "http://any.example:9999/",
        ] {
            assert_eq!(policy.check(&allowed.parse().unwrap()), Ok(Reach::Public), "{allowed}");
        }
        for refused in [
            "http://api.example.com:8080/",
            "http://example.com/",
            "http://shop.example:8080/",
            "http://xshop.example:8080/",
            "http://api.example.com@evil.example/",
            "http://api.example.com.evil.example/",
            "ftp://api.example.com/",
            "/x",
        ] {
            assert!(policy.check(&refused.parse().unwrap()).is_err(), "{refused}");
        }
        // Named, but outside the public internet.
        assert!(matches!(policy.check(&"http://127.0.0.1/".parse().unwrap()), Err(Refusal::Address { .. })));
    }

    #[test]
    fn private_addresses_by_host_or_by_network() {
        let mut policy = policy(&["10.0.0.7", "*"]);
        let uri = "http://10.0.0.7/".parse().unwrap();
        assert!(policy.check(&uri).is_err());
        policy.allow("10.0.0.7".parse::<Grant>().unwrap().private());
        assert_eq!(policy.check(&uri), Ok(Reach::Any));
        assert!(policy.check(&"http://10.0.0.8/".parse().unwrap()).is_err());
        let policy = Policy::new(vec!["*".parse().unwrap()], vec!["10.0.0.0/8".parse().unwrap()]);
        assert_eq!(policy.check(&uri), Ok(Reach::Public));
        assert!(policy.check_address(Reach::Public, "h", "::ffff:10.9.9.9".parse().unwrap()).is_ok());
        assert!(policy.check_address(Reach::Public, "h", "11.0.0.1".parse().unwrap()).is_ok());
        assert!(policy.check_address(Reach::Public, "h", "172.16.0.1".parse().unwrap()).is_err());
    }

    #[test]
    fn what_a_table_names() {
        for (template, allowed) in [
            ("http://api.example.com/{^id}?k={key}", Some("http://api.example.com/")),
            ("https://user:pw@api.example.com:444/{id}", Some("https://api.example.com:444/")),
            ("http://api.example.com?x={y}", Some("http://api.example.com/")),
            ("http://{host}/x", None),
            ("http://api.{domain}/x", None),
            ("{config.base}/x", None),
        ] {
            let grant = Grant::of_template(template);
            assert_eq!(grant.is_some(), allowed.is_some(), "{template}");
            if let (Some(grant), Some(uri)) = (grant, allowed) {
                assert!(Policy::new(vec![grant.clone()], Vec::new()).check(&uri.parse().unwrap()).is_ok(), "{template}");
                assert!(Policy::new(vec![grant], Vec::new()).check(&"http://api.example.com:445/".parse().unwrap()).is_err());
            }
        }
        // Only the port that it names.
        let grant = Grant::of_template("http://api.example.com/").unwrap();
        assert!(Policy::new(vec![grant], Vec::new()).check(&"https://api.example.com/".parse().unwrap()).is_err());
    }

    #[test]
    fn what_is_no_grant() {
        for text in ["", ":80", "a*b", "*.", "host:port", "*.a.*"] {
            assert!(text.parse::<Grant>().is_err(), "{text}");
        }
    }
}
