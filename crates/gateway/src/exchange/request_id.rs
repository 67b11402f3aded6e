//! Ids by which a request is followed through gateways and services (docs/spec/ql.md 8.2).

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use bytes::Bytes;
use http::HeaderValue;
use uuid::{Builder, Uuid, fmt::Hyphenated};

/// The name in the gateway's mark; old log readers look for it.
const PRODUCT: &str = "ql.io";

/// The longest id of an answer, in bytes. A caller's may have half of it. Answers stay within the
/// heads that proxies take.
const LONGEST: usize = 1024;

/// The most times that a request may come through the same gateway. Tables may ask routes of their
/// own gateway; each round multiplies requests by those of a script.
pub const MOST_ROUNDS: usize = 4;

/// Returns the number of times that the gateway of `mark` has passed on the request of an id.
pub fn rounds(id: &str, mark: &str) -> usize {
    id.matches(mark).count()
}

/// Returns the mark that the gateway at `own` adds to an id.
pub fn mark(own: Ipv4Addr) -> String {
    format!("!{PRODUCT}!{own}[")
}

/// Returns the id for services: the caller's or a fresh one, then the gateway's mark. The bracket
/// is closed when it comes back.
pub fn outgoing(caller: Option<&str>, mark: &str) -> HeaderValue {
    let mut id = Vec::with_capacity(64);
    caller.into_iter().for_each(|caller| push_plain(caller.as_bytes(), &mut id));
    if id.is_empty() {
        id.extend_from_slice(fresh().encode_lower(&mut Uuid::encode_buffer()).as_bytes());
    }
    id.extend_from_slice(mark.as_bytes());
    HeaderValue::from_maybe_shared(Bytes::from(id)).expect("printable ASCII is a header value")
}

/// Returns a random UUID (RFC 9562 5.4). Ids serve to follow requests, not to keep secrets, so that
/// none costs a system call.
fn fresh() -> Hyphenated {
    Builder::from_random_bytes(fastrand::u128(..).to_le_bytes()).into_uuid().hyphenated()
}

/// Returns the id for the caller: each service's id, or the one sent to it, with the bracket
/// closed.
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

/// Appends the part of an id that a header can hold: printable ASCII of bounded length (ql-D22). A
/// long one keeps its beginning and its end, where the marks of gateways are.
fn push_plain(id: &[u8], to: &mut Vec<u8>) {
    const MOST: usize = LONGEST / 2;
    if id.len() <= MOST && id.iter().all(u8::is_ascii_graphic) {
        return to.extend_from_slice(id);
    }
    let plain: Vec<u8> = id.iter().copied().filter(u8::is_ascii_graphic).collect();
    match plain.len() {
        ..=MOST => to.extend_from_slice(&plain),
        length => {
            to.extend_from_slice(&plain[..MOST / 2]);
            to.extend_from_slice(&plain[length - MOST / 2..]);
        }
    }
}

/// Returns the IPv4 address by which others know this machine, as far as the routing table shows.
/// Nothing is sent to find it.
pub fn own_address() -> Ipv4Addr {
    let route = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // Connecting UDP only asks the routing table; the address is one of documentation (RFC
        // 5737).
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
    fn rounds_are_counted_whatever_a_caller_sends() {
        let mark = mark(OWN);
        for first in ["abc".to_owned(), "x".repeat(512), "x".repeat(5000), "\u{e9}".repeat(600), "!ql.io!".repeat(100)] {
            let mut id = first.clone();
            let mut count = 0;
            while rounds(&id, &mark) < MOST_ROUNDS {
                id = outgoing(Some(&id), &mark).to_str().unwrap().to_owned();
                count += 1;
            }
            assert_eq!(count, MOST_ROUNDS, "{first:.20}");
        }
        assert_eq!(rounds("abc!ql.io!10.1.2.4[!ql.io!10.1.2.30[", &mark), 0);
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
