//! A gateway with a folder, and services that answer by a function.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use polywire_gateway::server::{Listening, Start};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::folder::Folder;
use crate::serving::Serving;

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// Parameters of the query, each with its values.
    pub query: BTreeMap<String, Vec<String>>,
    pub headers: HeaderMap,
}

impl Asked {
    /// The only value of a parameter, or nothing.
    pub fn one(&self, name: &str) -> &str {
        self.query.get(name).map_or("", |values| &values[0])
    }

    /// A parameter as a number; 0 without one.
    pub fn number(&self, name: &str) -> usize {
        self.one(name).parse().unwrap_or(0)
    }

    /// All values of a parameter, those between commas too.
    pub fn values(&self, name: &str) -> Vec<String> {
        self.query.get(name).into_iter().flatten().flat_map(|value| value.split(',').map(str::to_owned)).collect()
    }
}

/// A service on loopback.
pub struct Service {
    pub port: u16,
    seen: Arc<Mutex<Vec<Asked>>>,
}

impl Service {
    pub async fn start(answer: impl Fn(&Asked) -> Response + Clone + Send + Sync + 'static) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let kept = seen.clone();
        let router = Router::new().fallback(move |request: Request| async move {
            let mut query: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (name, value) in form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned() {
                query.entry(name).or_default().push(value);
            }
            let (parts, _) = request.into_parts();
            let asked = Asked { method: parts.method.to_string(), path: parts.uri.path().to_owned(), query, headers: parts.headers };
            kept.lock().unwrap().push(asked.clone());
            // Requests at the same time shall meet.
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            answer(&asked)
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Service { port, seen }
    }

    pub fn seen(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().clone()
    }

    pub fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

/// A reply in JSON.
pub fn reply(value: &Value) -> Response {
    typed("application/json", value.to_string())
}

pub fn typed(media: &str, text: impl Into<Body>) -> Response {
    Response::builder().header("content-type", media).body(text.into()).unwrap()
}

/// A gateway.
pub struct World {
    serving: Serving,
    pub folder: Folder,
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.value().as_array().unwrap_or_else(|| panic!("{}", self.text)).len()
    }

    /// The failures that the answer does without.
    pub fn partial(&self) -> &str {
        self.headers.get("polywire-partial").map_or("", |value| value.to_str().unwrap())
    }
}

impl World {
    /// With tables by name, which may call the ports of `services`.
    pub async fn new(services: &[&Service], config: Value, tables: &[(&str, String)]) -> World {
        let folder = Folder::new();
        let mut settings =
            json!({"allowPrivate": services.iter().map(|service| format!("127.0.0.1:{}", service.port)).collect::<Vec<_>>()});
        settings.as_object_mut().unwrap().extend(config.as_object().cloned().unwrap_or_default());
        folder.write("config.json", settings.to_string());
        for (name, text) in tables {
            folder.write(&format!("tables/{name}.ql"), format!("create table {name} on select {text}"));
        }
        let serving = Serving::start(&folder, Start::default(), Listening::default()).await.unwrap();
        let problems = &serving.gateway.directory().problems;
        assert!(problems.is_empty(), "{}", problems[0]);
        World { serving, folder }
    }

    pub async fn get(&self, path: &str, accept: &str) -> Answer {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let request = http::Request::get(format!("http://{}{path}", self.serving.address)).header("accept", accept);
        let (parts, body) = client.request(request.body(Full::new(Bytes::new())).unwrap()).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status.as_u16(), headers: parts.headers, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    /// Runs a script.
    pub async fn ask(&self, script: &str) -> Answer {
        self.get(&format!("/q?s={}", utf8_percent_encode(script, NON_ALPHANUMERIC)), "application/json").await
    }

    /// Explains a script as text.
    pub async fn explain(&self, script: &str) -> String {
        let script = format!("explain {script}");
        self.get(&format!("/q?s={}", utf8_percent_encode(&script, NON_ALPHANUMERIC)), "text/plain").await.text
    }

    /// The value of a counter.
    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics", "*/*").await.text;
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    }
}
