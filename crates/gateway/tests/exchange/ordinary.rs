//! Well-behaved services.

use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderValue, Method};
use polywire_gateway::exchange::message::Request;
use std::io::Read;

use crate::backend::{Backend, Close, Pause, ok, reply, send};
use crate::caller::{caller, post};

#[tokio::test]
async fn a_request_goes_out_as_it_is() {
    let backend = Backend::new(|_| ok("fine")).await;
    let caller = caller();
    let mut request = post(backend.uri("/p?q=a%20b"), "caf\u{e9}");
    request.headers.insert("x-app", HeaderValue::from_static("1"));
    request.headers.insert(CONTENT_LENGTH, HeaderValue::from_static("4"));
    let response = caller.send(&request).await.unwrap();
    assert_eq!((response.status.as_u16(), &response.body[..], response.received), (200, &b"fine"[..], 4));
    let asked = &backend.asked()[0];
    assert!(asked.head.starts_with("POST /p?q=a%20b HTTP/1.1\r\n"));
    assert_eq!((asked.header("x-app"), asked.header("content-length")), (Some("1"), Some("5")));
    assert_eq!(asked.header("host").unwrap(), format!("127.0.0.1:{}", backend.port));
    assert_eq!(asked.body, "caf\u{e9}".as_bytes());
    assert_eq!((caller.counts().sent, caller.counts().received, caller.counts().replies), (5, 4, 1));
}

#[tokio::test]
async fn user_information_is_a_header_and_shown_nowhere() {
    let backend = Backend::new(|asked| if asked.number == 0 { ok("") } else { vec![Close] }).await;
    let uri: http::Uri = format!("http://us%40er:pass@127.0.0.1:{}/", backend.port).parse().unwrap();
    let response = caller().get(uri.clone()).await.unwrap();
    assert!(!response.uri.to_string().contains("pass"));
    assert_eq!(backend.asked()[0].header("authorization"), Some("Basic dXNAZXI6cGFzcw=="));
    assert!(!backend.asked()[0].head.contains("pass"));
    let error = caller().get(uri.clone()).await.unwrap_err();
    for text in [error.to_string(), format!("{error:?}"), format!("{:?}", Request::get(uri))] {
        assert!(!text.contains("pass") && !text.contains("us%40er"), "{text}");
    }
}

#[tokio::test]
async fn connections_are_kept() {
    let backend = Backend::new(|_| ok("x".repeat(1000))).await;
    let caller = caller();
    for _ in 0..20 {
        assert_eq!(caller.get(backend.uri("/")).await.unwrap().body.len(), 1000);
    }
    assert_eq!((backend.connections(), caller.counts().open()), (1, 1));
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_made_again() {
    let backend = Backend::new(|_| vec![reply(200, &[], "x"), Close]).await;
    let caller = caller();
    for _ in 0..5 {
        assert_eq!(caller.get(backend.uri("/")).await.unwrap().body, "x");
    }
    assert_eq!(backend.connections(), 5);
}

#[tokio::test]
async fn bodies_in_pieces() {
    let long = |number: usize| b"0123456789".repeat(number);
    let backend = Backend::new(move |asked| match asked.path() {
        "/chunked" => vec![
            send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            Pause(std::time::Duration::from_millis(5)),
            send("6;ext=1\r\n world\r\n0\r\ntrailer: x\r\n\r\n"),
        ],
        "/until-close" => vec![send("HTTP/1.0 200 OK\r\n\r\nuntil the end"), Close],
        "/long" => ok(long(300_000)),
        _ => ok(""),
    })
    .await;
    let caller = caller();
    for (path, body) in
        [("/chunked", b"hello world".to_vec()), ("/until-close", b"until the end".to_vec()), ("/long", long(300_000)), ("/", Vec::new())]
    {
        assert!(caller.get(backend.uri(path)).await.unwrap().body == body, "{path}");
    }
}

#[tokio::test]
async fn replies_without_a_body() {
    let backend = Backend::new(|asked| match asked.path() {
        "/head" => vec![send("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\ncontent-encoding: gzip\r\n\r\n")],
        "/304" => vec![send("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n")],
        _ => vec![send("HTTP/1.1 204 No Content\r\n\r\n")],
    })
    .await;
    let caller = caller();
    assert_eq!(caller.send(&Request::new(Method::HEAD, backend.uri("/head"))).await.unwrap().body, "");
    assert_eq!(caller.get(backend.uri("/304")).await.unwrap().status, 304);
    assert_eq!(caller.get(backend.uri("/204")).await.unwrap().status, 204);
}

#[tokio::test]
async fn compression_is_taken_off() {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(&b"packed ".repeat(1000)[..], flate2::Compression::default()).read_to_end(&mut packed).unwrap();
    let length = packed.len() as u64;
    let backend = Backend::new(move |_| vec![reply(200, &["Content-Encoding: GZip"], &packed)]).await;
    let mut request = Request::get(backend.uri("/"));
    request.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(polywire_gateway::exchange::coding::ACCEPTED));
    let caller = caller();
    let response = caller.send(&request).await.unwrap();
    assert_eq!((response.body.len(), response.received), (7000, length));
    assert!(!response.headers.contains_key(CONTENT_ENCODING) && !response.headers.contains_key(CONTENT_LENGTH));
    assert_eq!(caller.counts().decoded, 7000);
}

#[tokio::test]
async fn statuses_are_replies() {
    let backend = Backend::new(|asked| vec![reply(asked.path()[1..].parse().unwrap(), &[], "why")]).await;
    let caller = caller();
    for status in [201, 300, 400, 404, 500, 503, 599] {
        let response = caller.get(backend.uri(&format!("/{status}"))).await.unwrap();
        assert_eq!((response.status.as_u16(), &response.body[..]), (status, &b"why"[..]));
    }
    // None of them is tried again.
    assert_eq!(backend.asked().len(), 7);
}
