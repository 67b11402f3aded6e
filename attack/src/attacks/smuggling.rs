//! Requests whose end is read in two ways. One that is ambiguous is refused and the connection
//! closed, so that nothing behind it is a request.

use std::time::{Duration, Instant};

use crate::trial::{Trial, shown};
use crate::wire::hpack;
use crate::wire::http1::Wire;
use crate::wire::http2::{Connection, DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, frame};

/// The request that must not be answered.
const HIDDEN: &str = "GET /one?q=smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

/// Heads of a POST, each followed by `0`, an end of chunks, and the hidden request.
const HEADS: &[&str] = &[
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nContent-Length: 6\r\n",
    "Content-Length: 5, 6\r\n",
    "Content-Length: +5\r\n",
    "Content-Length: -5\r\n",
    "Content-Length: 0x5\r\n",
    "Content-Length: 5.0\r\n",
    "Content-Length: 5 5\r\n",
    "Content-Length: 1e1\r\n",
    "Content-Length: \u{665}\r\n",
    "Content-Length: 99999999999999999999999999\r\n",
    "Content-Length: 18446744073709551621\r\n",
    "Content-Length:\r\n",
    "Content-Length: \"5\"\r\n",
    "Content-Length : 5\r\n",
    "Content-Length\t: 5\r\n",
    " Content-Length: 5\r\n",
    "X: y\r\n Content-Length: 5\r\n",
    "Content_Length: 5\r\nTransfer-Encoding : chunked\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding: identity, chunked, chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
    "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "Transfer-Encoding: \"chunked\"\r\n",
    "Transfer-Encoding:\x0bchunked\r\n",
    "Transfer-Encoding:\r\n chunked\r\n",
    "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n",
    "Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
    "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n",
    "Transfer-Encoding\r\n: chunked\r\n",
    "Transfer-Encoding: chunked\0\r\n",
    "X: y\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "X: \0y\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nX y: z\r\n",
    "Content-Length: 5\r\n: z\r\n",
    "Content-Length: 5\r\nnothing\r\n",
];

/// Bodies in chunks that are not as they should be, each followed by the hidden request.
const CHUNKS: &[&str] = &[
    "5\nabcde\r\n0\r\n\r\n",
    "5\r\nabcde0\r\n\r\n",
    "5\r\nabcdef\r\n0\r\n\r\n",
    "0x5\r\nabcde\r\n0\r\n\r\n",
    "+5\r\nabcde\r\n0\r\n\r\n",
    "-5\r\nabcde\r\n0\r\n\r\n",
    "5 \n\nabcde\r\n0\r\n\r\n",
    "ffffffffffffffff5\r\nabcde\r\n0\r\n\r\n",
    "10000000000000005\r\nabcde\r\n0\r\n\r\n",
    "\r\nabcde\r\n0\r\n\r\n",
    "g\r\nabcde\r\n0\r\n\r\n",
    "5;\n\r\nabcde\r\n0\r\n\r\n",
    "5\r\r\nabcde\r\n0\r\n\r\n",
    "0\r\nContent-Length\0: 5\r\n\r\n",
    "0\r\nX : y\r\n\r\n",
    "5;a=\"\n\r\nabcde\r\n0\r\n\r\n",
    "5_0\r\nabcde\r\n0\r\n\r\n",
];

/// Sends bytes, and returns the statuses of all answers that come, and true if the connection was
/// closed behind them.
fn answers(trial: &Trial<'_>, bytes: &[u8]) -> (Vec<u16>, bool) {
    trial.tried(1);
    let Ok(mut wire) = Wire::open(trial.port) else { return (Vec::new(), true) };
    wire.send(bytes, Duration::from_secs(2));
    let until = Instant::now() + Duration::from_millis(700);
    let closed = loop {
        match wire.more(until) {
            Ok(1..) => {}
            Ok(0) => break true,
            Err(error) => break !error.contains("time"),
        }
    };
    let text = String::from_utf8_lossy(wire.ahead()).into_owned();
    let statuses = text.split("HTTP/1.1 ").skip(1).filter_map(|rest| rest.get(..3)?.parse().ok()).filter(|status| *status != 100);
    (statuses.collect(), closed)
}

fn one(trial: &Trial<'_>, bytes: &[u8]) {
    let (statuses, closed) = answers(trial, bytes);
    let hidden = trial.world.service.seen("smuggled").len();
    trial.world.service.forget();
    trial.expect(statuses.len() <= 1 && hidden == 0, || {
        format!("{statuses:?}, and the hidden request reached the service {hidden} times: {}", shown(bytes))
    });
    // Where the connection is closed, nothing behind it can be mistaken (RFC 9112 6.1).
    trial.expect(closed || statuses.first().is_none_or(|status| *status >= 400), || format!("{statuses:?}: {}", shown(bytes)));
}

/// Spellings of length and coding.
pub fn lengths(trial: &Trial<'_>) {
    trial.world.service.forget();
    let start = format!("POST /parsed HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: text/plain\r\n", trial.port);
    for head in HEADS {
        one(trial, format!("{start}{head}\r\n0\r\n\r\n{HIDDEN}").as_bytes());
    }
    for chunks in CHUNKS {
        one(trial, format!("{start}Transfer-Encoding: chunked\r\n\r\n{chunks}{HIDDEN}").as_bytes());
    }
    // Lines of requests that are none, and versions.
    let port = trial.port;
    for line in [
        format!("GET  /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"),
        format!("GET /good/1 HTTP/1.1 \r\nHost: 127.0.0.1:{port}\r\n\r\n"),
        format!("GET /good/1 HTTP/9.9\r\nHost: 127.0.0.1:{port}\r\n\r\n"),
        format!("GET /good/1\0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"),
        format!("G(T /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"),
        "GET /good/1\r\n\r\n".to_owned(),
        "GET /good/1 HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n"),
        format!("GET /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}, evil.example\r\n\r\n"),
    ] {
        let (statuses, _) = answers(trial, line.as_bytes());
        trial.expect(statuses.len() <= 1 && statuses.first().is_none_or(|status| *status >= 400), || format!("{statuses:?}: {line:?}"));
    }
    // A body that a GET has does not become a request.
    one_body(trial);
}

fn one_body(trial: &Trial<'_>) {
    let request = format!("GET /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{HIDDEN}", trial.port, HIDDEN.len());
    let (statuses, _) = answers(trial, request.as_bytes());
    trial.expect(statuses.len() == 1 && trial.world.service.seen("smuggled").is_empty(), || format!("a GET's body: {statuses:?}"));
    // A protocol that nobody speaks, and one that is left at once.
    for upgrade in ["h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA", "x", "websocket", "TLS/1.0"] {
        let request = format!(
            "GET /good/1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: {upgrade}\r\n\r\n",
            trial.port
        );
        let (statuses, _) = answers(trial, request.as_bytes());
        trial.expect(!statuses.contains(&101), || format!("Upgrade: {upgrade}: {statuses:?}"));
    }
}

/// Heads of HTTP/2 that would be two requests of HTTP/1.
pub fn downgrades(trial: &Trial<'_>) {
    let authority = format!("127.0.0.1:{}", trial.port);
    let post = |path| hpack::request("POST", path, &authority);
    let mut heads: Vec<Vec<(&str, &str)>> = Vec::new();
    for extra in [
        ("transfer-encoding", "chunked"),
        ("connection", "keep-alive"),
        ("Content-Length", "5"),
        ("content-length", "1"),
        ("content-length", "99"),
        ("x\r\nx", "y"),
        ("x", "y\r\n\r\nGET /one?q=smuggled HTTP/1.1"),
        ("x", "y\0"),
        ("x y", "z"),
        ("x:", "y"),
        ("", "y"),
        (":path", "/one?q=smuggled"),
        (":unknown", "x"),
        ("te", "gzip"),
        ("upgrade", "h2c"),
        ("proxy-connection", "close"),
        ("keep-alive", "1"),
        ("host", "evil.example"),
        ("x", " y"),
        ("X", "y"),
    ] {
        heads.push([post("/parsed"), vec![extra]].concat());
    }
    heads.push(vec![(":method", "POST"), (":scheme", "http"), (":authority", &authority)]);
    heads.push(vec![("x", "y"), (":method", "GET"), (":scheme", "http"), (":path", "/good/1"), (":authority", &authority)]);
    heads.push(post("/good/1 HTTP/1.1\r\nX: y"));
    heads.push(post("/one?q=a b"));
    heads.push(post(""));
    heads.push(post("good/1"));
    heads.push(hpack::request("GET /one?q=smuggled HTTP/1.1\r\n", "/good/1", &authority));
    heads.push(hpack::request("GET", "/good/1", "evil.example/@127.0.0.1"));
    heads.push(hpack::request("CONNECT", "/good/1", &authority));
    trial.world.service.forget();
    for head in heads {
        trial.tried(1);
        let Ok(mut connection) = Connection::open(trial.port, &[]) else { return trial.miss("no connection") };
        let bytes = [frame(HEADERS, END_HEADERS, 1, &hpack::block(&head)), frame(DATA, END_STREAM, 1, b"12345")].concat();
        connection.send(&bytes);
        let mut good = false;
        connection.read(Duration::from_millis(800), |frame| {
            good |= frame.kind == HEADERS && frame.payload.first() == Some(&0x88);
            frame.kind != HEADERS && frame.kind != RST_STREAM
        });
        trial.expect(!good, || format!("answered with 200: {head:?}"));
        trial.expect(trial.world.service.seen("smuggled").is_empty(), || format!("a request of its own: {head:?}"));
    }
}
