//! The address of a caller: that of the connection, or the one that proxies name.

use std::net::{IpAddr, Ipv6Addr};

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// The addresses that a request came by, added to by each proxy.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The most addresses that are looked at.
const MOST: usize = 20;

/// Returns the address that a request is counted for: the last one that is not of a proxy in
/// `proxies`. An IPv6 network of 64 bits is one caller, since each has as many addresses as it
/// likes.
pub(super) fn subject(peer: IpAddr, headers: &HeaderMap, proxies: &[IpNet]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|network| network.contains(&address));
    let mut found = peer.to_canonical();
    let mut named =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(',')).collect::<Vec<_>>();
    for _ in 0..MOST {
        if !is_proxy(found) {
            break;
        }
        match named.pop().and_then(|text| text.trim().parse::<IpAddr>().ok()) {
            Some(address) => found = address.to_canonical(),
            None => break,
        }
    }
    match found {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn who_is_counted() {
        let proxies: Vec<IpNet> = ["127.0.0.0/8", "10.0.0.0/8"].map(|network| network.parse().unwrap()).to_vec();
        for (peer, named, expected) in [
            ("192.0.2.1", &[][..], "192.0.2.1"),
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["203.0.113.9, 198.51.100.7, 10.1.1.1"], "198.51.100.7"),
            ("127.0.0.1", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["nonsense"], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        ] {
            let mut headers = HeaderMap::new();
            for text in named {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(text));
            }
            assert_eq!(subject(peer.parse().unwrap(), &headers, &proxies).to_string(), expected, "{peer} {named:?}");
        }
    }
}
