//! The access log.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use http::Method;
use polywire_gateway::observe::{Line, Log, Place};
use polywire_gateway::secrets::Secrets;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::folder::Folder;
use crate::world::World;

fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answered_request_has_a_line_without_secrets() {
    let world = World::new(json!({})).await;
    let found = world.get("/find/lamp?key=s3cret&x=1", &[("request-id", "mine")]).await;
    assert_eq!(found.status, 200, "{}", found.text);
    world.ask("return select * from items where key = 's3cret'", &[]).await;
    world.get("/nothing", &[]).await;
    let folder = world.end().await;
    let told = lines(&folder.path().join("access.log"));
    assert_eq!(told.len(), 3);
    let first = &told[0];
    assert_eq!(
        (&first["method"], &first["path"], &first["status"], &first["route"], &first["backendRequests"]),
        (&json!("GET"), &json!("/find/lamp?key=***&x=1"), &json!(200), &json!("/find/{word}"), &json!(1))
    );
    assert_eq!(first["bytes"], found.text.len());
    assert!(first["address"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert!(first["id"].as_str().unwrap().starts_with("mine!"), "{first}");
    assert!(first["durationMs"].as_f64().unwrap() > 0.0);
    let time: jiff::Timestamp = first["time"].as_str().unwrap().parse().unwrap();
    assert!(SystemTime::from(time) <= SystemTime::now());
    assert_eq!((&told[1]["path"], &told[1]["route"]), (&json!("/q?s=***"), &json!("/q")));
    assert_eq!((&told[2]["status"], &told[2]["backendRequests"]), (&json!(404), &json!(0)));
}

/// Returns a line that comes soon, though nobody waits for its request.
async fn awaited(path: &std::path::Path, route: &str) -> Value {
    for _ in 0..1000 {
        if let Some(line) = path.exists().then(|| lines(path)).into_iter().flatten().find(|line| line["route"] == route) {
            return line;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no line of {route}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_request_is_told_too() {
    let world = World::new(json!({})).await;
    for (n, (head, status)) in
        [(format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "x".repeat(100_000)), 431), ("no request\r\n\r\n".to_owned(), 400)].iter().enumerate()
    {
        let mut stream = TcpStream::connect(&world.at).await.unwrap();
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.starts_with(format!("HTTP/1.1 {status} ").as_bytes()), "{}", String::from_utf8_lossy(&answer));
        let of = format!("polywire_requests_total{{method=\"other\",route=\"(unreadable)\",status=\"4xx\"}} {}\n", n + 1);
        while !world.gateway.metrics_text().contains(&of) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    // Well-formed requests and silent callers are not among them.
    world.get("/healthz", &[]).await;
    drop(TcpStream::connect(&world.at).await.unwrap());
    let folder = world.end().await;
    let told = lines(&folder.path().join("access.log"));
    assert_eq!(told.len(), 3, "{told:?}");
    for (line, status) in told.iter().zip([431, 400]) {
        assert_eq!((&line["status"], &line["method"], &line["path"]), (&json!(status), &Value::Null, &Value::Null));
        assert!(line["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_or_is_refused_is_told_with_the_route() {
    let world = World::new(json!({"maxRequestLength": 10})).await;
    let log = world.folder.path().join("access.log");
    let send = async |request: &str| {
        let mut stream = TcpStream::connect(&world.at).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    };
    let mut refused = send(&format!("GET /find/a HTTP/1.1\r\nhost: localhost\r\ncontent-length: 11\r\n\r\n{}", "x".repeat(11))).await;
    let mut status = [0; 12];
    refused.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
    drop(refused);
    assert_eq!(awaited(&log, "/find/{word}").await["status"], 413);
    let leaving = send("GET /slow/1 HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    while world.mock.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(leaving);
    let line = awaited(&log, "/slow/{n}").await;
    assert_eq!((&line["status"], &line["bytes"]), (&json!(499), &json!(0)));
    let numbers = world.get("/metrics", &[]).await;
    assert!(numbers.headers["server"].to_str().unwrap().starts_with("polywire/"));
    for route in ["/find/{word}", "/slow/{n}"] {
        let count = format!("polywire_requests_total{{method=\"GET\",route=\"{route}\",status=\"4xx\"}} 1");
        assert!(numbers.text.contains(&count), "{}", numbers.text);
    }
}

fn line(path: &'static str) -> Line {
    Line {
        time: SystemTime::UNIX_EPOCH,
        address: None,
        method: Some(Method::GET),
        uri: Some(path.parse().unwrap()),
        status: 200,
        bytes: 0,
        elapsed: Duration::ZERO,
        id: None,
        route: "/".into(),
        caller: None,
        requests: 0,
    }
}

#[test]
fn a_file_that_was_moved_away_is_opened_again() {
    let folder = Folder::new();
    let (path, moved) = (folder.path().join("log"), folder.path().join("log.1"));
    let log = Log::<Line>::new(Place::File(path.clone()), &Secrets::default()).unwrap();
    log.write(line("/one"));
    // Lines that the thread has not written yet go to the new file.
    std::fs::rename(&path, &moved).unwrap();
    log.write(line("/two"));
    log.reopen();
    log.write(line("/three"));
    assert_eq!(log.dropped(), 0);
    drop(log);
    let paths = |path| lines(path).iter().map(|line| line["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!((paths(&moved), paths(&path)), (vec!["/one".to_owned(), "/two".to_owned()], vec!["/three".to_owned()]));
}

static STUCK: AtomicBool = AtomicBool::new(true);

/// Takes nothing for as long as the test wants.
struct Stuck;

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while STUCK.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_that_is_stuck_drops_lines_and_holds_nobody_up() {
    let log = Log::<Line>::new(Place::Open(|| Box::new(Stuck)), &Secrets::default()).unwrap();
    for _ in 0..50_000 {
        log.write(line("/"));
    }
    let dropped = log.dropped();
    STUCK.store(false, Ordering::Release);
    assert!((1..50_000).contains(&dropped), "{dropped}");
}
