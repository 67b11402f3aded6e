//! A server that says byte by byte what a test wants it to say, and remembers what it was asked.
// Each test target uses a part of it.
#![allow(dead_code)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Uri;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// One thing that a backend does with a connection.
pub enum Act {
    Send(Vec<u8>),
    Pause(Duration),
    /// Waits for a signal.
    Wait(Arc<Notify>),
    /// Sends these bytes over and over, as long as somebody reads them.
    Flood(Vec<u8>),
    Close,
    /// Says nothing more, and leaves the connection open.
    Hang,
}

pub use Act::{Close, Flood, Hang, Pause};

pub fn send(bytes: impl AsRef<[u8]>) -> Act {
    Act::Send(bytes.as_ref().to_vec())
}

/// A reply with a length.
pub fn reply(status: u16, headers: &[&str], body: impl AsRef<[u8]>) -> Act {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for header in headers {
        bytes.push_str(header);
        bytes.push_str("\r\n");
    }
    bytes.push_str("\r\n");
    send([bytes.as_bytes(), body].concat())
}

pub fn ok(body: impl AsRef<[u8]>) -> Vec<Act> {
    vec![reply(200, &[], body)]
}

/// A request as it came: the head, and the body by its length.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Which one it is, from 0.
    pub number: usize,
    pub head: String,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub struct Backend {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Backend {
    /// On 127.0.0.1. `script` says what is done after each request.
    pub async fn new(script: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Backend::at("127.0.0.1:0", script).await
    }

    pub async fn at(address: &str, script: impl Fn(&Asked) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let script = Arc::new(script);
        let task = tokio::spawn({
            let (asked, connections) = (asked.clone(), connections.clone());
            async move {
                loop {
                    let Ok((stream, _)) = listener.accept().await else { continue };
                    connections.fetch_add(1, Ordering::Relaxed);
                    tokio::spawn(serve(stream, script.clone(), asked.clone()));
                }
            }
        });
        Backend { port, asked, connections, task }
    }

    pub fn uri(&self, path: &str) -> Uri {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

async fn serve(mut stream: TcpStream, script: Arc<impl Fn(&Asked) -> Vec<Act>>, log: Arc<Mutex<Vec<Asked>>>) {
    let mut buffer = Vec::new();
    while let Some((head, body)) = request(&mut stream, &mut buffer).await {
        let acts = {
            let mut log = log.lock().unwrap();
            let asked = Asked { number: log.len(), head, body };
            log.push(asked.clone());
            drop(log);
            script(&asked)
        };
        for act in acts {
            match act {
                Act::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Pause(time) => tokio::time::sleep(time).await,
                Act::Wait(told) => told.notified().await,
                Flood(bytes) => while stream.write_all(&bytes).await.is_ok() {},
                Close => return,
                Hang => std::future::pending().await,
            }
        }
    }
}

async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length =
                head.to_ascii_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
            if buffer.len() >= end + 4 + length {
                let body = buffer[end + 4..end + 4 + length].to_vec();
                buffer.drain(..end + 4 + length);
                return Some((head, body));
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}
