//! A gateway that listens, and callers who ask it.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use polywire_gateway::server::{Listening, Start};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::folder::Folder;
use crate::serving::Serving;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Server {
    pub port: u16,
    pub serving: Serving,
    pub folder: Folder,
    client: Client<HttpConnector, Full<Bytes>>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Server {
    /// Over what `folder` holds; backends are at 127.0.0.1.
    pub async fn start(folder: Folder) -> Server {
        Server::start_with(folder, Start::default(), Listening::default()).await
    }

    pub async fn start_with(folder: Folder, start: Start, listening: Listening) -> Server {
        if !folder.path().join("config.json").exists() {
            folder.write("config.json", r#"{"allowPrivate": ["127.0.0.1:*"]}"#);
        }
        let serving = Serving::start(&folder, start, listening).await.expect("a gateway");
        let directory = serving.gateway.directory();
        assert!(directory.problems.is_empty(), "{:?}", directory.problems);
        Server {
            port: serving.address.port(),
            serving,
            folder,
            client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build_http(),
        }
    }

    /// The answer to a script.
    pub async fn ask(&self, script: &str) -> Answer {
        self.get(&format!("/q?s={}", percent_encoding::utf8_percent_encode(script, percent_encoding::NON_ALPHANUMERIC))).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        let request = Request::get(format!("http://127.0.0.1:{}{path}", self.port)).body(Full::default()).expect("a request");
        let reply = tokio::time::timeout(PATIENCE, self.client.request(request)).await.expect("in time").expect("an answer");
        let (parts, body) = reply.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8_lossy(&body).into_owned();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body: serde_json::from_slice(&body).unwrap_or(Value::String(text)) }
    }

    /// Returns true if the server is up: it answers a request that needs no service.
    pub async fn is_well(&self) {
        let answer = self.ask("return {\"well\": true}").await;
        assert_eq!((answer.status, &answer.body["well"]), (200, &Value::Bool(true)));
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.expect("a connection")
    }
}

impl Answer {
    /// Status and code of a failure, which must say all that the documentation promises.
    pub fn failure(&self) -> (u16, &str) {
        let text = |name: &str| self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {self:?}"));
        assert_eq!(self.body["status"], self.status, "{self:?}");
        assert_eq!(self.headers["content-type"], "application/json");
        assert!(!text("message").is_empty());
        (self.status, text("code"))
    }
}

/// All that comes until the other side closes; what is under way when it does may be lost.
pub async fn all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = async {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            bytes.extend_from_slice(&buffer[..length]);
        }
    };
    tokio::time::timeout(PATIENCE, read).await.expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sends a byte now and then, as long as somebody takes it; gives what came back.
pub async fn drip(stream: &mut TcpStream, bytes: impl Iterator<Item = u8>) -> String {
    let (mut reading, mut writing) = stream.split();
    let mut answer = Vec::new();
    let read = async {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = reading.read(&mut buffer).await {
            answer.extend_from_slice(&buffer[..length]);
        }
    };
    let write = async {
        for byte in bytes {
            if writing.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        std::future::pending::<()>().await;
    };
    let both = async {
        tokio::select! {
            () = read => {}
            () = write => {}
        }
    };
    tokio::time::timeout(PATIENCE, both).await.expect("the server closes");
    String::from_utf8_lossy(&answer).into_owned()
}
