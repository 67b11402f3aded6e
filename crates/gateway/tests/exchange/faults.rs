//! Misbehaving services. Each gives a clear error, and the next exchange works.

use std::io::Read;
use std::time::Duration;

use polywire_gateway::exchange::client::Parts;
use polywire_gateway::exchange::error::ErrorKind;
use polywire_gateway::exchange::options::Options;

use crate::backend::{Act, Backend, Close, Flood, Hang, Pause, ok, reply, send};
use crate::caller::{Caller, caller, caller_with, loopback, once};

/// Why the first reply, made by `acts`, is none; the second one is well.
async fn fault(caller: &Caller, acts: fn() -> Vec<Act>) -> ErrorKind {
    let backend = Backend::new(move |asked| if asked.number == 0 { acts() } else { ok("well") }).await;
    let kind = caller.failure(&once(backend.uri("/"))).await;
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "well");
    kind
}

#[tokio::test]
async fn closing_early() {
    let caller = caller();
    assert_eq!(fault(&caller, || vec![Close]).await, ErrorKind::Closed { received: None, expected: None });
    assert_eq!(fault(&caller, || vec![send("HTTP/1.1 200 O"), Close]).await, ErrorKind::Closed { received: None, expected: None });
    let cut = || vec![send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"), Close];
    assert_eq!(fault(&caller, cut).await, ErrorKind::Closed { received: Some(3), expected: Some(10) });
    let cut = || vec![send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc"), Close];
    assert!(matches!(fault(&caller, cut).await, ErrorKind::Closed { received: Some(0..=3), expected: None }));
}

#[tokio::test]
async fn lying_about_the_length() {
    let caller = caller();
    // Longer than what comes: waits until it was idle for too long.
    let backend = Backend::new(|_| vec![send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"), Hang]).await;
    let mut request = once(backend.uri("/"));
    request.idle = Duration::from_millis(50);
    assert_eq!(caller.failure(&request).await, ErrorKind::Timeout { idle: request.idle });
    // Shorter: what comes after it is nobody's reply.
    let surplus = |asked: &crate::backend::Asked| {
        if asked.number == 0 {
            vec![send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil")]
        } else {
            ok("well")
        }
    };
    let backend = Backend::new(surplus).await;
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "abc");
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "well");
    assert_eq!(backend.connections(), 2);
    for length in ["-1", "abc", "3\r\ncontent-length: 4", "99999999999999999999999999"] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\nabc");
        let backend = Backend::new(move |_| vec![send(&head)]).await;
        assert!(matches!(caller.failure(&once(backend.uri("/"))).await, ErrorKind::Protocol { .. }), "{length}");
    }
}

#[tokio::test]
async fn longer_than_allowed() {
    let caller = caller_with(Options { max_response_length: 1000, ..loopback() }, Parts::default());
    let too_long = ErrorKind::TooLong { limit: 1000, decoded: false };
    assert_eq!(fault(&caller, || ok("x".repeat(1001))).await, too_long);
    assert_eq!(fault(&caller, || vec![send("HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551613\r\n\r\n"), Hang]).await, too_long);
    assert_eq!(
        fault(&caller, || vec![
            send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
            Flood(b"64\r\n".iter().chain(&[b'x'; 100]).chain(b"\r\n").copied().collect())
        ])
        .await,
        too_long
    );
    assert_eq!(fault(&caller, || vec![send("HTTP/1.0 200 OK\r\n\r\n"), Flood(vec![b'x'; 5000])]).await, too_long);
    let backend = Backend::new(|_| ok("x".repeat(1000))).await;
    assert_eq!(caller.get(backend.uri("/")).await.unwrap().body.len(), 1000);
}

#[tokio::test]
async fn bombs_and_broken_compression() {
    let caller = caller_with(Options { max_response_length: 100_000, max_decoded_length: Some(1_000_000), ..loopback() }, Parts::default());
    let bomb = || {
        let mut bomb = Vec::new();
        flate2::read::GzEncoder::new(std::io::repeat(0).take(50_000_000), flate2::Compression::default()).read_to_end(&mut bomb).unwrap();
        vec![reply(200, &["content-encoding: gzip"], bomb)]
    };
    assert_eq!(fault(&caller, bomb).await, ErrorKind::TooLong { limit: 1_000_000, decoded: true });
    for coding in ["gzip", "deflate", "br", "zstd", "compress"] {
        let backend = Backend::new(move |_| vec![reply(200, &[&format!("content-encoding: {coding}")], "no such thing")]).await;
        // Not a fault of the network: not tried again.
        let ErrorKind::Coding { coding: named, .. } =
            caller.failure(&polywire_gateway::exchange::message::Request::get(backend.uri("/"))).await
        else {
            panic!("{coding}")
        };
        assert_eq!((named.as_str(), backend.asked().len()), (coding, 1));
    }
}

#[tokio::test]
async fn no_http() {
    let caller = caller();
    for garbage in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\0\0\0\u{1}\r\n\r\n",
        "HTTP/3.7 200 OK\r\n\r\n",
        "HTTP/1.1 20x OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\na\0b: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a length\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
    ] {
        let backend = Backend::new(move |_| vec![send(garbage), Hang]).await;
        let kind = caller.failure(&once(backend.uri("/"))).await;
        assert!(matches!(kind, ErrorKind::Protocol { .. }), "{garbage:?}: {kind:?}");
    }
}

#[tokio::test]
async fn heads_without_end() {
    let caller = caller();
    let many = || vec![send("HTTP/1.1 200 OK\r\n"), Flood(b"a: b\r\n".repeat(100))];
    assert!(matches!(fault(&caller, many).await, ErrorKind::Protocol { .. }));
    let one = || vec![send("HTTP/1.1 200 OK\r\na: "), Flood(vec![b'x'; 10_000])];
    assert!(matches!(fault(&caller, one).await, ErrorKind::Protocol { .. }));
    let trailers = || vec![send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"), Flood(b"a: b\r\n".repeat(100))];
    assert!(matches!(fault(&caller, trailers).await, ErrorKind::Protocol { .. } | ErrorKind::Closed { .. }));
    let extensions = || vec![send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;"), Flood(vec![b'x'; 10_000])];
    assert!(matches!(fault(&caller, extensions).await, ErrorKind::Protocol { .. } | ErrorKind::Closed { .. }));
}

#[tokio::test]
async fn provisional_replies_without_end() {
    let backend = Backend::new(|_| vec![Flood(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(100))]).await;
    let mut request = once(backend.uri("/"));
    request.overall = Some(Duration::from_millis(200));
    assert_eq!(caller().failure(&request).await, ErrorKind::Deadline);
}

#[tokio::test]
async fn slow_to_reply() {
    let caller = caller();
    for acts in [
        || vec![Hang],
        || vec![send("HTTP/1.1 200 OK\r\n"), Hang],
        || vec![send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"), Pause(Duration::from_secs(5)), send("cde")],
    ] {
        let backend = Backend::new(move |_| acts()).await;
        let mut request = once(backend.uri("/"));
        request.idle = Duration::from_millis(50);
        assert_eq!(caller.failure(&request).await, ErrorKind::Timeout { idle: request.idle });
    }
}

#[tokio::test]
async fn nobody_there() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let request = once(format!("http://127.0.0.1:{port}/").parse().unwrap());
    assert!(matches!(caller().failure(&request).await, ErrorKind::Connect { code: "ECONNREFUSED", .. }));
    let caller = caller_with(Options { allow: vec!["nowhere.invalid".to_owned()], ..loopback() }, Parts::default());
    assert!(matches!(caller.failure(&once("http://nowhere.invalid/".parse().unwrap())).await, ErrorKind::Resolve { .. }));
}
