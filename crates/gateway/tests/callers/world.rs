//! A gateway with two tables, some routes, and whatever rules for callers a test wants.

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use polywire_gateway::observe::Place;
use polywire_gateway::server::{Listening, LogPlaces, Start};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::folder::Folder;
use crate::mock::Mock;
use crate::serving::Serving;

pub struct World {
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

impl Answer {
    pub fn code(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// SHA-256 in hexadecimal digits.
pub fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl World {
    /// Over a configuration and further files.
    pub async fn new(config: Value, files: &[(&str, &str)]) -> World {
        let folder = Folder::new();
        let (_, address) = Mock::start(&json!([{"path": "*", "json": {"v": 1}}])).await;
        for name in ["items", "other"] {
            folder.write(&format!("tables/{name}.ql"), format!("create table {name} on select get from 'http://{address}/{name}'"));
        }
        for (name, text) in [
            ("routes/items.ql", "return select v from items via route '/items' using method get"),
            ("routes/other.ql", "return select v from other via route '/other' using method get"),
            ("routes/two.ql", "a = select v from items; b = select v from other; return '{b}' via route '/two' using method get"),
        ] {
            folder.write(name, text);
        }
        for (name, text) in files {
            folder.write(name, text);
        }
        configure(&folder, config);
        let log = |name: &str| Some(Place::File(folder.path().join(name)));
        let logs = LogPlaces { access: log("access.log"), audit: log("audit.log"), ..LogPlaces::default() };
        let start = Start { logs, ..Start::default() };
        let serving = Serving::start(&folder, start, Listening::default()).await.unwrap();
        let problems = &serving.gateway.directory().problems;
        assert!(problems.is_empty(), "{}", problems[0]);
        World { serving, folder, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    /// Changes the configuration while the gateway serves.
    pub fn reconfigure(&self, config: Value) {
        configure(&self.folder, config);
        self.serving.gateway.reload().unwrap();
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(format!("http://{}{path}", self.serving.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, body) = self.client.request(request.body(Full::default()).unwrap()).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&body).into_owned();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body: serde_json::from_slice(&body).unwrap_or(Value::String(text)) }
    }

    pub async fn script(&self, script: &str, headers: &[(&str, &str)]) -> Answer {
        self.get(&format!("/q?s={}", utf8_percent_encode(script, NON_ALPHANUMERIC)), headers).await
    }

    /// Returns the lines of a log once there are `count`.
    pub async fn log(&self, name: &str, count: usize) -> Vec<Value> {
        loop {
            let text = std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
            let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            if lines.len() >= count {
                return lines;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}

fn configure(folder: &Folder, mut config: Value) {
    config["allowPrivate"] = json!(["127.0.0.1:*"]);
    folder.write("config.json", config.to_string());
}
