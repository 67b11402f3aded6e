//! A backend by rules, as the shared vectors have them.
// Each test target uses a part of it.
#![allow(dead_code)]

use std::convert::Infallible;
use std::fmt;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

/// Replies by rules, the first that matches.
pub struct Mock {
    rules: Vec<Value>,
    seen: Mutex<Vec<Seen>>,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    path: String,
    headers: http::HeaderMap,
    body: Bytes,
}

/// The connection is to be closed without a reply.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dropped by a rule")
    }
}

impl std::error::Error for Dropped {}

impl Mock {
    pub fn new(rules: &Value) -> Mock {
        Mock { rules: rules.as_array().cloned().unwrap_or_default(), seen: Mutex::default() }
    }

    /// One that listens, and its address.
    pub async fn start(rules: &Value) -> (Arc<Mock>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (mock, address) = (Arc::new(Mock::new(rules)), listener.local_addr().expect("an address"));
        tokio::spawn(mock.clone().serve(listener));
        (mock, address)
    }

    /// The requests that came.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Serves for as long as its runtime.
    pub async fn serve(self: Arc<Mock>, listener: TcpListener) -> Result<Infallible, std::io::Error> {
        loop {
            let (stream, _) = listener.accept().await?;
            let this = self.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| this.clone().reply(request));
                Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await.map_err(|error| error.to_string())
            });
        }
    }

    async fn reply(self: Arc<Mock>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Dropped> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(|_| Dropped)?.to_bytes();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let method = parts.method.to_string();
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned();
        let echo = || {
            let mut members: Map<String, Value> = Map::new();
            for (name, value) in query {
                match members.get_mut(&name) {
                    Some(Value::Array(values)) => values.push(json!(value)),
                    Some(one) => *one = json!([one.take(), value]),
                    None => drop(members.insert(name, json!(value))),
                }
            }
            json!({"method": method, "path": parts.uri.path(), "query": members, "body": String::from_utf8_lossy(&body)})
        };
        self.seen.lock().expect("no panic").push(Seen {
            method: method.clone(),
            path: path.clone(),
            headers: parts.headers.clone(),
            body: body.clone(),
        });
        let matches = |rule: &&Value| {
            rule["method"].as_str().unwrap_or("GET") == method && (rule["path"] == "*" || rule["path"].as_str() == Some(&path))
        };
        let missing = json!({"status": 404, "json": {"error": "no rule"}});
        let rule = self.rules.iter().find(matches).unwrap_or(&missing);
        if let Some(millis) = rule["delay_ms"].as_u64() {
            tokio::time::sleep(Duration::from_millis(millis)).await;
        }
        if rule["drop"] == true {
            return Err(Dropped);
        }
        let mut response = Response::builder().status(rule["status"].as_u64().unwrap_or(200) as u16);
        let mut content = if rule["echo"] == true {
            response = response.header("content-type", "application/json");
            echo().to_string().into_bytes()
        } else if let Some(value) = rule.get("json") {
            response = response.header("content-type", "application/json");
            value.to_string().into_bytes()
        } else if let Some(text) = rule["body_base64"].as_str() {
            STANDARD.decode(text).expect("base64 in a rule")
        } else {
            rule["body"].as_str().unwrap_or_default().as_bytes().to_vec()
        };
        for (name, value) in rule["headers"].as_object().into_iter().flatten() {
            response = response.header(name.as_str(), value.as_str().unwrap_or_default());
        }
        if let Some(coding) = rule["compress"].as_str() {
            response = response.header("content-encoding", coding);
            content = compressed(coding, &content);
        }
        Ok(response.body(Full::new(Bytes::from(content))).expect("headers of a rule"))
    }
}

fn compressed(coding: &str, content: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::default();
    if coding == "gzip" {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
        writer.write_all(content).and_then(|()| writer.finish()).expect("in memory")
    } else {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), level);
        writer.write_all(content).and_then(|()| writer.finish()).expect("in memory")
    }
}

impl Seen {
    /// Returns the request in the vectors' notation, with the headers of `names`.
    pub fn told(&self, names: &[&str], with_body: bool) -> Value {
        let mut told = json!({"method": self.method, "path": self.path});
        let headers: Map<String, Value> =
            names.iter().filter_map(|name| Some(((*name).to_owned(), json!(self.headers.get(*name)?.to_str().ok()?)))).collect();
        if !names.is_empty() && !headers.is_empty() {
            told["headers"] = Value::Object(headers);
        }
        if with_body && !self.body.is_empty() {
            told["body"] = json!(String::from_utf8_lossy(&self.body));
        }
        told
    }
}
