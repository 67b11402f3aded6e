//! Misbehaving services, seen by callers of the gateway.

use std::io::Read;
use std::time::Duration;

use crate::backend::{Act, Backend, Close, Flood, Hang, Pause, reply, send};
use crate::folder::Folder;
use crate::server::{Answer, Server};

/// 50 MB of zeros, as brotli makes them at its best.
const BROTLI: &str = "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f0110870500baf77ffcffff837f02200e\
                      0b0074effff20f5e0fff04401c1600e8a0eb01";

fn json(body: impl AsRef<[u8]>) -> Vec<Act> {
    vec![reply(200, &["content-type: application/json"], body)]
}

fn typed(media: &str, body: &str) -> Vec<Act> {
    vec![reply(200, &[&format!("content-type: {media}")], body)]
}

fn coded(coding: &str, body: &[u8]) -> Vec<Act> {
    vec![reply(200, &["content-type: application/json", &format!("content-encoding: {coding}")], body)]
}

fn zeros() -> impl Read {
    std::io::repeat(0).take(50_000_000)
}

fn gzip_bomb() -> Vec<u8> {
    let mut bomb = Vec::new();
    flate2::read::GzEncoder::new(zeros(), flate2::Compression::default()).read_to_end(&mut bomb).expect("in memory");
    bomb
}

fn brotli_bomb() -> Vec<u8> {
    (0..BROTLI.len() / 2).map(|at| u8::from_str_radix(&BROTLI[2 * at..2 * at + 2], 16).expect("hexadecimal")).collect()
}

fn zstd_bomb() -> Vec<u8> {
    zstd::encode_all(zeros(), 0).expect("in memory")
}

/// Returns the answer to a `select` from a service whose reply `acts` makes. Another table of the
/// same service works before, meanwhile and after.
async fn fault(config: &str, clause: &str, acts: impl Fn() -> Vec<Act> + Send + Sync + 'static) -> Answer {
    let backend = Backend::new(move |asked| if asked.path() == "/well" { json(r#"{"v": 1}"#) } else { acts() }).await;
    let folder = Folder::new();
    for name in ["fault", "well"] {
        folder
            .write(&format!("tables/{name}.ql"), format!("create table {name} on select get from '{}'", backend.uri(&format!("/{name}"))));
    }
    folder.write("config.json", format!(r#"{{"allowPrivate": ["127.0.0.1:*"]{config}}}"#));
    let server = Server::start(folder).await;
    let well = async || assert_eq!(server.ask("select v from well").await.body, serde_json::json!([1]));
    well().await;
    let script = format!("select * from fault {clause}");
    let (answer, ()) = tokio::join!(server.ask(&script), well());
    well().await;
    // Those who asked with a fallback have an answer.
    let degraded = server.ask(&format!("{script} || {{\"instead\": 2}}")).await;
    assert_eq!((degraded.status, &degraded.body["instead"]), (200, &serde_json::json!(2)), "{degraded:?}");
    let (table, uri) = (answer.body["table"].as_str(), answer.body["uri"].as_str());
    assert!(table == Some("fault") && uri.is_some_and(|uri| uri.ends_with("/fault")), "{answer:?}");
    answer
}

#[tokio::test]
async fn slow_and_silent() {
    let answer = fault("", "timeout 100", || vec![Hang]).await;
    assert_eq!((answer.failure(), &answer.body["timeout"]), ((502, "ETIMEDOUT"), &100.into()));
    let head = || vec![send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n"), Hang];
    assert_eq!(fault("", "timeout 100", head).await.failure(), (502, "ETIMEDOUT"));
}

#[tokio::test]
async fn closing_early() {
    assert_eq!(fault("", "", || vec![Close]).await.failure(), (502, "ECONNRESET"));
    let cut = || vec![send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{\"v\""), Close];
    assert_eq!(fault("", "", cut).await.failure(), (502, "ECONNRESET"));
}

#[tokio::test]
async fn lying_about_the_length() {
    let longer = || vec![send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"v\": 1}"), Hang];
    assert_eq!(fault("", "timeout 100", longer).await.failure(), (502, "ETIMEDOUT"));
    let shorter = || vec![send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n{\"v\": 1}")];
    assert_eq!(fault("", "", shorter).await.failure(), (400, "bad_reply"));
    let twice = || vec![send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 8\r\n\r\n{\"v\": 1}")];
    assert_eq!(fault("", "", twice).await.failure(), (502, "EPROTO"));
}

#[tokio::test]
async fn bombs() {
    for (coding, bomb) in [("gzip", gzip_bomb()), ("br", brotli_bomb()), ("zstd", zstd_bomb())] {
        assert!(bomb.len() < 100_000);
        let answer = fault("", "", move || coded(coding, &bomb)).await;
        assert_eq!(answer.failure(), (502, "EMSGSIZE"), "{coding}");
    }
    assert_eq!(fault("", "", || coded("gzip", b"no such thing")).await.failure(), (502, "ECODING"));
}

#[tokio::test]
async fn without_end() {
    let chunk = [b"3e8\r\n", &[b' '; 1000][..], b"\r\n"].concat();
    let chunks = move || {
        vec![send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"), Flood(chunk.repeat(10))]
    };
    assert_eq!(fault(r#", "maxResponseLength": 100000"#, "", chunks).await.failure(), (502, "EMSGSIZE"));
    // Never idle, and never done: the deadline of the answer is what ends it.
    let drip = || {
        let mut acts = vec![send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")];
        acts.extend((0..1000).flat_map(|_| [send(" "), Pause(Duration::from_millis(20))]));
        acts
    };
    let backend = Backend::new(move |_| drip()).await;
    let folder = Folder::new();
    folder.write("tables/drip.ql", format!("create table drip on select get from '{}'", backend.uri("/")));
    folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"], "deadline": 1000}"#);
    let server = Server::start(folder).await;
    assert_eq!(server.ask("select * from drip").await.failure(), (504, "ETIMEDOUT"));
    server.is_well().await;
}

#[tokio::test]
async fn what_cannot_be_read() {
    for (media, body) in [
        ("text/xml", "<a><b></a>"),
        ("application/xml; charset=utf-8", "no mark-up at all"),
        ("application/json", "<a/>"),
        ("application/json", "{\"v\": 1"),
        ("text/csv", "a,\"b\nc"),
    ] {
        let answer = fault("", "", move || typed(media, body)).await;
        assert_eq!((answer.failure(), answer.body["body"].as_str()), ((400, "bad_reply"), Some(body)), "{media}");
        assert_eq!(answer.body["upstreamStatus"], 200);
    }
    let answer = fault("", "", || typed("application/x-unheard-of", "{}")).await;
    assert_eq!((answer.failure(), &answer.body["subType"]), ((400, "unknown_media_type"), &"x-unheard-of".into()));
}

#[tokio::test]
async fn nested_without_reason() {
    const DEPTH: usize = 200_000;
    for (media, open, close) in [("application/json", "[", "]"), ("application/json", "{\"a\":", "}"), ("text/xml", "<a>", "</a>")] {
        let body = [open.repeat(DEPTH), if media == "text/xml" { String::new() } else { "1".to_owned() }, close.repeat(DEPTH)].concat();
        assert_eq!(fault("", "", move || typed(media, &body)).await.failure(), (400, "bad_reply"), "{open}");
    }
}

#[tokio::test]
async fn a_redirect_inwards() {
    let inside = Backend::new(|_| json(r#""secret""#)).await;
    let location = format!("Location: {}", inside.uri("/"));
    let outside = Backend::at("127.0.0.2:0", move |_| vec![reply(302, &[&location], "")]).await;
    let folder = Folder::new();
    folder.write("tables/t.ql", format!("create table t on select get from 'http://127.0.0.2:{}/'", outside.port));
    folder.write("config.json", r#"{"allow": ["*:*"], "allowNetworks": ["127.0.0.2/32"]}"#);
    let server = Server::start(folder).await;
    assert_eq!(server.ask("select * from t").await.failure(), (502, "EACCES"));
    assert_eq!((outside.asked().len(), inside.connections()), (1, 0));
    server.is_well().await;
}

#[tokio::test]
async fn one_of_several_fails() {
    let backend = Backend::new(|asked| if asked.path() == "/?id=2" { vec![Close] } else { json(r#"[{"v": 1}]"#) }).await;
    let folder = Folder::new();
    folder.write("tables/t.ql", format!("create table t on select get from '{}?id={{id}}'", backend.uri("/")));
    let server = Server::start(folder).await;
    let answer = server.ask("select v from t where id in (1, 2, 3)").await;
    assert_eq!((answer.status, answer.body), (200, serde_json::json!([1, 1])));
    assert_eq!(answer.headers["polywire-partial"], "1");
}
