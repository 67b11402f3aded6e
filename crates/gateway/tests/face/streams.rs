//! Answers that are sent while they are made.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use polywire_gateway::server::{Listening, Start};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::folder::Folder;
use crate::serving::Serving;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway with a table that is answered at once, one that is answered when the gate opens, and
/// one that fails then.
struct World {
    serving: Serving,
    gate: Arc<Semaphore>,
    _folder: Folder,
}

impl World {
    async fn new(config: Value) -> World {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let gate = Arc::new(Semaphore::new(0));
        let opened = gate.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let opened = opened.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let opened = opened.clone();
                    async move {
                        let path = request.uri().path().to_owned();
                        if path != "/fast" {
                            opened.acquire().await.unwrap().forget();
                        }
                        let status = if path == "/broken" { 500 } else { 200 };
                        let body = json!([{"id": 1, "of": path}, {"id": 2, "of": path}]).to_string();
                        let reply = Response::builder().status(status).header("content-type", "application/json");
                        Ok::<_, hyper::Error>(reply.body(Full::new(Bytes::from(body))).unwrap())
                    }
                });
                tokio::spawn(async move {
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        let folder = Folder::new();
        for name in ["fast", "slow", "broken"] {
            folder.write(&format!("tables/{name}.ql"), format!("create table {name} on select get from '{base}/{name}'"));
        }
        folder.write(
            "routes/both.ql",
            "a = select id from fast; b = select id from slow; return {\"first\": \"{a}\", \"second\": \"{b}\", \"third\": 3} via route '/both' using method get",
        );
        folder.write("routes/rows.ql", "return select * from fast via route '/rows' using method get");
        let mut config = config;
        config["allowPrivate"] = json!(["127.0.0.1:*"]);
        folder.write("config.json", config.to_string());
        let serving = Serving::start(&folder, Start::default(), Listening::default()).await.unwrap();
        assert!(serving.gateway.directory().problems.is_empty(), "{}", serving.gateway.directory().problems[0]);
        World { serving, gate, _folder: folder }
    }

    async fn ask(&self, path: &str, accept: &str) -> Response<Incoming> {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let request =
            Request::get(format!("http://{}{path}", self.serving.address)).header("accept", accept).header("accept-encoding", "gzip");
        let asking = client.request(request.body(Full::<Bytes>::default()).unwrap());
        tokio::time::timeout(PATIENCE, asking).await.expect("an answer in time").unwrap()
    }
}

/// The text until a part ends.
async fn until(response: &mut Response<Incoming>, end: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(end) {
        let frame = tokio::time::timeout(PATIENCE, response.body_mut().frame()).await.expect("a part in time");
        let Some(frame) = frame else { panic!("the answer ended with {text}") };
        text += std::str::from_utf8(frame.unwrap().data_ref().expect("data")).unwrap();
    }
    text
}

async fn rest(response: Response<Incoming>) -> String {
    let body = tokio::time::timeout(PATIENCE, response.into_body().collect()).await.expect("the end in time").unwrap();
    String::from_utf8(body.to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn parts_of_an_object_come_when_they_are_ready() {
    let world = World::new(json!({})).await;
    let mut lines = world.ask("/both", "application/jsonl").await;
    assert_eq!((lines.status(), &lines.headers()["content-type"]), (StatusCode::OK, &"application/jsonl".parse().unwrap()));
    assert!(!lines.headers().contains_key("content-encoding") && lines.headers()["x-accel-buffering"] == "no");
    // The other service has not answered.
    assert_eq!(until(&mut lines, "\n").await, "{\"first\":[1,2]}\n");
    world.gate.add_permits(1);
    assert_eq!(rest(lines).await, "{\"second\":[1,2]}\n{\"third\":3}\n");

    let mut events = world.ask("/both", "text/event-stream").await;
    assert_eq!(events.headers()["content-type"], "text/event-stream");
    assert_eq!(until(&mut events, "\n\n").await, "event: part\ndata: {\"first\":[1,2]}\n\n");
    world.gate.add_permits(1);
    let rest = rest(events).await;
    assert_eq!(rest, "event: part\ndata: {\"second\":[1,2]}\n\nevent: part\ndata: {\"third\":3}\n\nevent: end\ndata: {\"partial\":0}\n\n");
}

#[tokio::test]
async fn rows_are_lines() {
    let world = World::new(json!({})).await;
    let rows = "{\"id\":1,\"of\":\"/fast\"}\n{\"id\":2,\"of\":\"/fast\"}\n";
    for accept in ["application/jsonl", "application/x-ndjson", "application/jsonl, application/json;q=0.5"] {
        let answer = world.ask("/rows", accept).await;
        assert_eq!(answer.status(), StatusCode::OK, "{accept}");
        assert!(answer.headers().contains_key("request-id"));
        assert_eq!(rest(answer).await, rows, "{accept}");
    }
    assert_eq!(rest(world.ask("/q?s=return%20select%20*%20from%20fast", "application/jsonl").await).await, rows);
    assert_eq!(rest(world.ask("/q?s=return%20%22x%22", "application/jsonl").await).await, "\"x\"\n");
    let event = |id: u8| format!("event: row\ndata: {{\"id\":{id},\"of\":\"/fast\"}}\n\n");
    let expected = format!("{}{}event: end\ndata: {{\"partial\":0}}\n\n", event(1), event(2));
    assert_eq!(rest(world.ask("/rows", "text/event-stream").await).await, expected);
    // A caller that takes anything gets JSON.
    let answer = world.ask("/rows", "*/*").await;
    assert_eq!(answer.headers()["content-type"], "application/json");
}

#[tokio::test]
async fn errors_are_an_answer_or_the_last_part() {
    let world = World::new(json!({"maxMemory": 100_000})).await;
    world.gate.add_permits(10);
    let failed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    // Nothing was sent: the status says it.
    for accept in ["application/jsonl", "text/event-stream"] {
        let answer = world.ask("/q?s=return%20select%20*%20from%20broken", accept).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{accept}");
        assert_eq!(failed(&rest(answer).await)["code"], "upstream_status");
        let answer = world.ask("/q?s=no%20script", accept).await;
        assert_eq!((answer.status(), failed(&rest(answer).await)["code"].as_str()), (StatusCode::BAD_REQUEST, Some("syntax")));
    }
    let world = World::new(json!({})).await;
    let script = "/q?s=a%20%3D%20select%20id%20from%20fast%3B%20b%20%3D%20select%20id%20from%20broken%3B%20return%20%7B%22a%22%3A%22%7Ba%7D%22%2C%22b%22%3A%22%7Bb%7D%22%7D";
    let mut lines = world.ask(script, "application/jsonl").await;
    assert_eq!((lines.status(), until(&mut lines, "\n").await.as_str()), (StatusCode::OK, "{\"a\":[1,2]}\n"));
    world.gate.add_permits(1);
    assert_eq!(failed(&rest(lines).await)["error"]["code"], "upstream_status");
    let mut events = world.ask(script, "text/event-stream").await;
    until(&mut events, "\n\n").await;
    world.gate.add_permits(1);
    let last = rest(events).await;
    let data = last.strip_prefix("event: error\ndata: ").and_then(|rest| rest.strip_suffix("\n\n"));
    assert_eq!(failed(data.unwrap_or_else(|| panic!("{last}")))["code"], "upstream_status");
}
