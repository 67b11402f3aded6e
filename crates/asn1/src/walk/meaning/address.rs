//! Addresses of the Internet Protocol.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Writes an address of 4 or 16 octets, or one with its mask (RFC 5280 4.2.1.10).
pub(super) fn ip(octets: &[u8], out: &mut String) -> Option<()> {
    match octets.len() {
        4 | 16 => one(octets, out),
        8 | 32 => {
            let (address, mask) = octets.split_at(octets.len() / 2);
            one(address, out)?;
            out.push('/');
            // A mask of ones in front is the number of them.
            let ones: u32 = mask.iter().map(|octet| octet.count_ones()).sum();
            let leading = mask.iter().take_while(|octet| **octet == 0xff).count() as u32 * 8
                + mask.iter().find(|octet| **octet != 0xff).map_or(0, |octet| octet.leading_ones());
            if ones != leading {
                return one(mask, out);
            }
            // Writing to a string cannot fail.
            let _ = write!(out, "{ones}");
            Some(())
        }
        _ => None,
    }
}

fn one(octets: &[u8], out: &mut String) -> Option<()> {
    // Writing to a string cannot fail.
    let _ = match octets.len() {
        4 => write!(out, "{}", Ipv4Addr::from(<[u8; 4]>::try_from(octets).ok()?)),
        16 => write!(out, "{}", Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?)),
        _ => return None,
    };
    Some(())
}

/// Writes an address behind its kind and length: 0 and 4, or 1 and 16 (3GPP TS 23.003 5.1).
pub(super) fn gsn(octets: &[u8], out: &mut String) -> Option<()> {
    let (first, rest) = octets.split_first()?;
    let known = matches!((first >> 6, first & 0x3f, rest.len()), (0, 4, 4) | (1, 16, 16));
    if known { one(rest, out) } else { None }
}

/// Writes one address, or one of IPv4 and one of IPv6.
pub(super) fn transport_layer(octets: &[u8], out: &mut String) -> Option<()> {
    if octets.len() != 20 {
        return one(octets, out);
    }
    let (four, six) = octets.split_at(4);
    one(four, out)?;
    out.push_str(", ");
    one(six, out)
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn addresses_with_and_without_masks() {
        assert_eq!(shown(ip, &[192, 0, 2, 1]).as_deref(), Some("192.0.2.1"));
        assert_eq!(shown(ip, &[10, 0, 0, 0, 255, 128, 0, 0]).as_deref(), Some("10.0.0.0/9"));
        assert_eq!(shown(ip, &[10, 0, 0, 0, 255, 0, 255, 0]).as_deref(), Some("10.0.0.0/255.0.255.0"));
        assert_eq!(shown(ip, &[0; 16]).as_deref(), Some("::"));
        assert_eq!(shown(ip, &[1, 2, 3]), None);
        assert_eq!(shown(gsn, &[4, 127, 0, 0, 1]).as_deref(), Some("127.0.0.1"));
        assert_eq!(shown(gsn, &[5, 127, 0, 0, 1]), None);
        assert_eq!(shown(transport_layer, &[&[10, 0, 0, 1][..], &[0; 16]].concat()).as_deref(), Some("10.0.0.1, ::"));
    }
}
