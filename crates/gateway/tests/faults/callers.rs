//! Misbehaving callers. Others are answered meanwhile and afterwards.

use std::time::Duration;

use polywire_gateway::server::{Listening, Start};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;

use crate::backend::{Backend, reply};
use crate::folder::Folder;
use crate::server::{Server, all, drip};

const HEAD: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n";

async fn impatient() -> Server {
    let folder = Folder::new();
    folder.write("config.json", r#"{"requestTimeout": 200, "maxRequestLength": 1000}"#);
    let listening = Listening { head: Duration::from_millis(200), idle: Duration::from_millis(200), ..Listening::default() };
    Server::start_with(folder, Start::default(), listening).await
}

/// Status and code of an answer that a connection ended with.
fn failure(answer: &str) -> (u16, String) {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn heads_that_drip_are_cut_off() {
    let server = impatient().await;
    // A first head, one after an answer, nothing at all, and the beginning of HTTP/2.
    let mut first = server.connect().await;
    let mut later = server.connect().await;
    later.write_all(format!("{HEAD}\r\n").as_bytes()).await.expect("written");
    let mut silent = server.connect().await;
    let mut http2 = server.connect().await;
    let long = || HEAD.bytes().chain(std::iter::repeat_n(*b"a: b\r\n", 10_000).flatten());
    let ((first, later, silent, http2), ()) = tokio::join!(
        async {
            tokio::join!(
                drip(&mut first, long()),
                drip(&mut later, long()),
                all(&mut silent),
                drip(&mut http2, b"PRI * HTTP/2.0".iter().copied())
            )
        },
        server.is_well()
    );
    assert!(!first.contains(" 200 ") && silent.is_empty() && http2.is_empty());
    assert!(later.starts_with("HTTP/1.1 200 ") && later.matches("HTTP/1.1 200 ").count() == 1, "{later}");
    server.is_well().await;
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let server = impatient().await;
    let mut stream = server.connect().await;
    stream.write_all(format!("{HEAD}\r\n").as_bytes()).await.expect("written");
    assert!(all(&mut stream).await.ends_with("ok\n"));
    // HTTP/2: settings, then GET http://x/healthz with the static table of RFC 7541.
    let mut stream = server.connect().await;
    let settings = b"\0\0\0\x04\0\0\0\0\0";
    let request = b"\0\0\x0f\x01\x05\0\0\0\x01\x82\x86\x04\x08/healthz\x01\x01x";
    stream.write_all(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), settings, request].concat()).await.expect("written");
    assert!(all(&mut stream).await.contains("ok\n"));
}

#[tokio::test]
async fn bodies_that_drip() {
    let server = impatient().await;
    let mut stream = server.connect().await;
    let head = "POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("written");
    let (answer, ()) = tokio::join!(drip(&mut stream, std::iter::repeat(b' ')), server.is_well());
    assert_eq!(failure(&answer), (408, "request_slow".to_owned()), "{answer}");
    server.is_well().await;
}

#[tokio::test]
async fn bodies_that_are_too_long() {
    let server = impatient().await;
    let head = "POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let chunk = format!("3e8\r\n{}\r\n", " ".repeat(1000));
    for body in [
        format!("content-length: 1001\r\n\r\n{}", " ".repeat(1001)),
        format!("content-length: 100000000\r\n\r\n{}", " ".repeat(100_000)),
        format!("transfer-encoding: chunked\r\n\r\n{}", chunk.repeat(3)),
    ] {
        let mut stream = server.connect().await;
        let sent = async {
            // The server may close before it has all.
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            all(&mut stream).await
        };
        let (answer, ()) = tokio::join!(sent, server.is_well());
        assert_eq!(failure(&answer), (413, "request_too_long".to_owned()), "{answer}");
    }
}

#[tokio::test]
async fn a_body_that_ends_early() {
    let server = impatient().await;
    let mut stream = server.connect().await;
    let head = "POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.expect("written");
    stream.shutdown().await.expect("half closed");
    let answer = all(&mut stream).await;
    assert!(answer.is_empty() || failure(&answer) == (400, "request_cut".to_owned()), "{answer}");
    server.is_well().await;
}

#[tokio::test]
async fn heads_that_are_none_or_too_long() {
    let server = impatient().await;
    for (request, status) in [
        (format!("{HEAD}{}\r\n", "a: b\r\n".repeat(200)), 431),
        (format!("{HEAD}a: {}\r\n\r\n", "x".repeat(100_000)), 431),
        (format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(70_000)), 431),
        ("no request\r\n\r\n".to_owned(), 400),
        ("POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd".to_owned(), 400),
        ("POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-length: -3\r\n\r\n".to_owned(), 400),
        ("POST /q HTTP/1.1\r\nhost: localhost\r\ncontent-length: 18446744073709551615\r\n\r\n".to_owned(), 431),
    ] {
        let mut stream = server.connect().await;
        let _ = stream.write_all(request.as_bytes()).await;
        let answer = all(&mut stream).await;
        assert_eq!(failure(&answer).0, status, "{:.60}: {answer}", request);
        server.is_well().await;
    }
}

#[tokio::test]
async fn other_protocols_get_no_answer() {
    let server = impatient().await;
    for line in ["INVALID CONNECTION PREFACE\r\n\r\n", "SSH-2.0 client 1\r\n"] {
        let mut stream = server.connect().await;
        stream.write_all(line.as_bytes()).await.expect("written");
        assert_eq!(all(&mut stream).await, "", "{line}");
    }
    server.is_well().await;
}

#[tokio::test]
async fn codings_of_the_transfer_other_than_chunked() {
    let server = impatient().await;
    for codings in ["identity, chunked", "chunked, chunked", "gzip, chunked"] {
        let mut stream = server.connect().await;
        let head = format!("POST /q HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: {codings}\r\n\r\n0\r\n\r\n{HEAD}\r\n");
        stream.write_all(head.as_bytes()).await.expect("written");
        let answer = all(&mut stream).await;
        assert_eq!(failure(&answer), (400, "bad_framing".to_owned()), "{codings}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    server.is_well().await;
}

#[tokio::test]
async fn an_answer_does_not_wait_for_the_next_request() {
    let server = impatient().await;
    let mut stream = server.connect().await;
    stream.write_all(format!("{HEAD}\r\n{HEAD}").as_bytes()).await.expect("written");
    assert!(all(&mut stream).await.contains("ok\n"));
}

#[tokio::test]
async fn an_answer_that_nobody_takes() {
    // Longer than what the systems of both sides keep for those who are slow.
    const LENGTH: usize = 9_000_000;
    let long = format!("{{\"v\": \"{}\"}}", "x".repeat(LENGTH));
    let backend = Backend::new(move |_| vec![reply(200, &["content-type: application/json"], &long)]).await;
    let folder = Folder::new();
    folder.write("tables/t.ql", format!("create table t on select get from '{}'", backend.uri("/")));
    folder.write("routes/r.ql", "return select v from t via route '/r' using method get");
    let listening = Listening { idle: Duration::from_millis(200), ..Listening::default() };
    let server = Server::start_with(folder, Start::default(), Listening { head: Duration::from_millis(200), ..listening }).await;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let mut stream = socket.connect(([127, 0, 0, 1], server.port).into()).await.expect("a connection");
    stream.write_all(b"GET /r HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("written");
    while backend.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    let taken = all(&mut stream).await;
    assert!(taken.starts_with("HTTP/1.1 200 ") && taken.len() < LENGTH, "{} bytes", taken.len());
    // A caller that reads gets it all.
    assert_eq!(server.get("/r").await.body[0].as_str().map(str::len), Some(LENGTH));
}
