//! A gateway over files of a test, a backend that keeps what it was sent, and a caller.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use polywire_gateway::server::{Listening, Start};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::folder::Folder;
use crate::serving::Serving;

/// A reply, as its bytes came.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}

/// The media type and body that the backend was sent.
pub type Sent = (String, Bytes);

pub struct Server {
    serving: Serving,
    client: Client<HttpConnector, Full<Bytes>>,
    sent: Arc<Mutex<Vec<Sent>>>,
    pub problems: Vec<String>,
    _folder: Folder,
}

impl Server {
    /// A gateway over `files`: paths and texts, in which `$BASE` is a backend that answers
    /// `{"length": …}` for each body.
    pub async fn new(files: &[(&str, &str)]) -> Server {
        Server::with(json!({}), files).await
    }

    /// The same with a configuration.
    pub async fn with(mut config: Value, files: &[(&str, &str)]) -> Server {
        let folder = Folder::new();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let base = backend(sent.clone()).await;
        config["allowPrivate"] = json!(["127.0.0.1:*"]);
        let config = config.to_string();
        for (path, text) in files.iter().chain([&("config.json", config.as_str())]) {
            folder.write(path, text.replace("$BASE", &base));
        }
        let serving = Serving::start(&folder, Start::default(), Listening::default()).await.unwrap();
        let problems = serving.gateway.directory().problems.iter().map(ToString::to_string).collect();
        Server { serving, client: Client::builder(TokioExecutor::new()).build_http(), sent, problems, _folder: folder }
    }

    pub async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Reply {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.serving.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let reply = self.client.request(request.body(Full::new(body.into())).unwrap()).await.unwrap();
        let (parts, body) = reply.into_parts();
        Reply { status: parts.status, headers: parts.headers, body: body.collect().await.unwrap().to_bytes() }
    }

    pub fn address(&self) -> SocketAddr {
        self.serving.address
    }

    pub async fn get(&self, path: &str, accept: &str) -> Reply {
        self.ask("GET", path, &[("accept", accept)], "").await
    }

    /// Returns the bodies that the backend was sent so far.
    pub fn sent(&self) -> Vec<Sent> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }
}

async fn backend(sent: Arc<Mutex<Vec<Sent>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let sent = sent.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let sent = sent.clone();
                async move {
                    let media = request.headers().get("content-type").map_or("", |value| value.to_str().unwrap()).to_owned();
                    let body = request.into_body().collect().await?.to_bytes();
                    let length = body.len();
                    sent.lock().unwrap().push((media, body));
                    let reply = Response::builder().header("content-type", "application/json");
                    Ok::<_, hyper::Error>(reply.body(Full::new(Bytes::from(json!({"length": length}).to_string()))).unwrap())
                }
            });
            tokio::spawn(async move {
                let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    base
}
