//! Ids by which a request is followed through gateways and services (spec 8.2).

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use bytes::Bytes;
use http::HeaderValue;
use uuid::{Builder, Uuid, fmt::Hyphenated};

/// What the ids say of who passed them on; old log readers look for it.
const PRODUCT: &str = "ql.io";

/// Bytes of a caller's id that are kept, and of all ids in a reply.
const LONGEST: usize = 4096;

/// What the gateway at `own` adds to an id.
pub fn mark(own: Ipv4Addr) -> String {
    format!("!{PRODUCT}!{own}[")
}

/// The id that goes to services: the caller's, or a fresh one, then the gateway's mark. The bracket is closed when it comes back.
pub fn outgoing(caller: Option<&str>, mark: &str) -> HeaderValue {
    let mut id = Vec::with_capacity(64);
    caller.into_iter().for_each(|caller| push_plain(caller.as_bytes(), &mut id));
    if id.is_empty() {
        id.extend_from_slice(fresh().encode_lower(&mut Uuid::encode_buffer()).as_bytes());
    }
    id.extend_from_slice(mark.as_bytes());
    HeaderValue::from_maybe_shared(Bytes::from(id)).expect("printable ASCII is a header value")
}

/// A random UUID (RFC 9562, 5.4). Ids are for following requests, not for keeping secrets, so that no system call is made for each.
fn fresh() -> Hyphenated {
    Builder::from_random_bytes(fastrand::u128(..).to_le_bytes()).into_uuid().hyphenated()
}

/// The id that goes back to the caller: what each service returned, or what it had been sent, each with the bracket closed.
pub fn incoming<'a>(sent: &'a HeaderValue, returned: impl IntoIterator<Item = Option<&'a HeaderValue>>) -> HeaderValue {
    let mut ids = Vec::with_capacity(sent.len() + 1);
    for id in returned {
        let before = ids.len();
        push_plain(id.unwrap_or(sent).as_bytes(), &mut ids);
        if ids.len() >= LONGEST {
            ids.truncate(before);
            break;
        }
        ids.push(b']');
    }
    if ids.is_empty() {
        return incoming(sent, [None]);
    }
    HeaderValue::from_maybe_shared(Bytes::from(ids)).expect("printable ASCII is a header value")
}

/// Appends what of an id may stand in a header: printable ASCII, and not too much of it (D22).
fn push_plain(id: &[u8], to: &mut Vec<u8>) {
    if id.len() <= LONGEST / 2 && id.iter().all(u8::is_ascii_graphic) {
        return to.extend_from_slice(id);
    }
    to.extend(id.iter().filter(|byte| byte.is_ascii_graphic()).take(LONGEST / 2));
}

/// The IPv4 address by which this machine is known to others, as far as it can tell. Nothing is sent to find it.
pub fn own_address() -> Ipv4Addr {
    let route = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // Connecting UDP asks the routing table only; the address is one of documentation (RFC 5737).
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        Ok(socket.local_addr()?.ip())
    };
    match route() {
        Ok(IpAddr::V4(address)) => address,
        _ => Ipv4Addr::LOCALHOST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Ipv4Addr = Ipv4Addr::new(10, 1, 2, 3);

    #[test]
    fn to_services() {
        assert_eq!(outgoing(Some("abc"), &mark(OWN)), "abc!ql.io!10.1.2.3[");
        assert_eq!(outgoing(Some("a\r\nb: c\u{e9}"), &mark(OWN)), "ab:c!ql.io!10.1.2.3[");
        let (one, two) = (outgoing(None, &mark(OWN)), outgoing(Some(" "), &mark(OWN)));
        assert!(one != two && one.len() == 36 + "!ql.io!10.1.2.3[".len());
        assert!(outgoing(Some(&"x".repeat(1_000_000)), &mark(OWN)).len() < LONGEST);
    }

    #[test]
    fn back_to_callers() {
        let sent = HeaderValue::from_static("abc!ql.io!10.1.2.3[");
        let other = HeaderValue::from_static("abc!ql.io!10.1.2.3[s!");
        assert_eq!(incoming(&sent, [Some(&other), None]), "abc!ql.io!10.1.2.3[s!]abc!ql.io!10.1.2.3[]");
        assert_eq!(incoming(&sent, []), "abc!ql.io!10.1.2.3[]");
        assert!(incoming(&sent, vec![None; 100_000]).len() <= LONGEST);
    }

    #[test]
    fn an_address_of_this_machine() {
        assert!(!own_address().is_unspecified());
    }
}
