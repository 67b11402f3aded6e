//! The access log: one line of JSON for each answered request, written by a thread of its own.
//! Answering never waits for it: a line that finds the queue full is dropped, and counted.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use http::{HeaderValue, Method, Uri};
use serde::Serialize;

use crate::secrets::Secrets;

/// The most lines that wait to be written.
const WAITING: usize = 8192;

/// The parameter that holds a caller's script: text in quotes there may be secret.
const SCRIPT: &str = "s";

/// The destination of lines.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file, which is appended to.
    File(PathBuf),
    /// An open output, such as the error output.
    Open(fn() -> Box<dyn Write + Send>),
}

/// An answered request.
#[derive(Debug)]
pub struct Line {
    /// The time of its arrival.
    pub time: SystemTime,
    /// The caller's address.
    pub address: Option<SocketAddr>,
    /// Its method, unless it could not be read.
    pub method: Option<Method>,
    /// Its path and query, unless they could not be read.
    pub uri: Option<Uri>,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of the answer's body, as sent.
    pub bytes: u64,
    /// From the head of the request to the end of the answer.
    pub elapsed: Duration,
    /// Its id, from the answer.
    pub id: Option<HeaderValue>,
    /// Path of the route, as its script writes it.
    pub route: Arc<str>,
    /// Name of the caller's key, or subject of its token.
    pub caller: Option<Arc<str>>,
    /// Requests to services on its behalf.
    pub requests: u64,
}

/// The members of a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    time: String,
    address: Option<SocketAddr>,
    method: Option<&'a str>,
    path: Option<String>,
    status: u16,
    bytes: u64,
    duration_ms: f64,
    id: Option<&'a str>,
    route: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    backend_requests: u64,
}

enum Message {
    Line(Box<Line>),
    Reopen,
}

/// An access log. Dropping it writes the waiting lines first.
pub struct AccessLog {
    sender: Option<SyncSender<Message>>,
    dropped: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl AccessLog {
    /// Opens a log at `place`, without the secrets that `secrets` names.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn new(place: Place, secrets: &Secrets) -> io::Result<AccessLog> {
        let mut out = open(&place)?;
        let secrets = secrets.clone().and_parameter(SCRIPT);
        let (sender, receiver) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = dropped.clone();
        let thread = std::thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || write(&place, &mut out, &receiver, &secrets, &counted))?;
        Ok(AccessLog { sender: Some(sender), dropped, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a line.
    pub fn write(&self, line: Line) {
        self.send(Message::Line(Box::new(line)));
    }

    /// Opens the file again, after it was moved away.
    pub fn reopen(&self) {
        self.send(Message::Reopen);
    }

    /// Returns the number of lines that were not written, for lack of room or of a disk.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn send(&self, message: Message) {
        let Some(sender) = &self.sender else { return };
        if let Err(TrySendError::Full(Message::Line(_)) | TrySendError::Disconnected(Message::Line(_))) = sender.try_send(message) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for AccessLog {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // The thread ends when the queue is empty.
            let _ = thread.join();
        }
    }
}

type Out = BufWriter<Box<dyn Write + Send>>;

fn open(place: &Place) -> io::Result<Out> {
    Ok(BufWriter::new(match place {
        Place::File(path) => Box::new(OpenOptions::new().create(true).append(true).open(path)?),
        Place::Open(open) => open(),
    }))
}

fn write(place: &Place, out: &mut Out, receiver: &Receiver<Message>, secrets: &Secrets, dropped: &AtomicU64) {
    let mut unflushed = 0;
    while let Ok(first) = receiver.recv() {
        for message in std::iter::once(first).chain(receiver.try_iter()) {
            match message {
                Message::Line(line) => match write_line(&line, secrets, out) {
                    Ok(()) => unflushed += 1,
                    Err(_) => drop(dropped.fetch_add(1, Ordering::Relaxed)),
                },
                Message::Reopen => {
                    flush(out, &mut unflushed, dropped);
                    // If it cannot be opened, lines still go to the old file.
                    if let Ok(opened) = open(place) {
                        *out = opened;
                    }
                }
            }
        }
        flush(out, &mut unflushed, dropped);
    }
}

fn flush(out: &mut Out, unflushed: &mut u64, dropped: &AtomicU64) {
    if out.flush().is_err() {
        dropped.fetch_add(*unflushed, Ordering::Relaxed);
    }
    *unflushed = 0;
}

fn write_line(line: &Line, secrets: &Secrets, out: &mut Out) -> io::Result<()> {
    let written = Written {
        time: format!("{:.6}", jiff::Timestamp::try_from(line.time).unwrap_or_default()),
        address: line.address,
        method: line.method.as_ref().map(Method::as_str),
        path: line.uri.as_ref().map(|uri| secrets.show(uri)),
        status: line.status,
        bytes: line.bytes,
        duration_ms: line.elapsed.as_micros() as f64 / 1000.0,
        id: line.id.as_ref().and_then(|id| id.to_str().ok()),
        route: &line.route,
        caller: line.caller.as_deref(),
        backend_requests: line.requests,
    };
    serde_json::to_writer(&mut *out, &written)?;
    out.write_all(b"\n")
}
