//! Logs of lines of JSON, written by a thread of their own. Answering never waits for it: a line
//! that finds the queue full is dropped, and counted.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::SystemTime;

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

/// An entry of a log.
pub trait Entry: Send + 'static {
    /// Name of the log's thread.
    const THREAD: &'static str;

    /// Returns the members of its line, without secrets.
    fn written(&self, secrets: &Secrets) -> impl Serialize;
}

/// Returns a time as it is written: RFC 3339 with microseconds.
pub(super) fn time(time: SystemTime) -> String {
    format!("{:.6}", jiff::Timestamp::try_from(time).unwrap_or_default())
}

enum Message<E> {
    Line(Box<E>),
    Reopen,
}

/// A log. Dropping it writes the waiting lines first.
pub struct Log<E> {
    sender: Option<SyncSender<Message<E>>>,
    dropped: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<E: Entry> Log<E> {
    /// Opens a log at `place`, without the secrets that `secrets` names.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn new(place: Place, secrets: &Secrets) -> io::Result<Log<E>> {
        let mut out = open(&place)?;
        let secrets = secrets.clone().and_parameter(SCRIPT);
        let (sender, receiver) = sync_channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = dropped.clone();
        let thread =
            std::thread::Builder::new().name(E::THREAD.to_owned()).spawn(move || write(&place, &mut out, &receiver, &secrets, &counted))?;
        Ok(Log { sender: Some(sender), dropped, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a line.
    pub fn write(&self, entry: E) {
        self.send(Message::Line(Box::new(entry)));
    }

    /// Opens the file again, after it was moved away.
    pub fn reopen(&self) {
        self.send(Message::Reopen);
    }

    /// Returns the number of lines that were not written, for lack of room or of a disk.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn send(&self, message: Message<E>) {
        let Some(sender) = &self.sender else { return };
        if let Err(TrySendError::Full(Message::Line(_)) | TrySendError::Disconnected(Message::Line(_))) = sender.try_send(message) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl<E> Drop for Log<E> {
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

fn write<E: Entry>(place: &Place, out: &mut Out, receiver: &Receiver<Message<E>>, secrets: &Secrets, dropped: &AtomicU64) {
    let mut unflushed = 0;
    while let Ok(first) = receiver.recv() {
        for message in std::iter::once(first).chain(receiver.try_iter()) {
            match message {
                Message::Line(line) => match write_line(&*line, secrets, out) {
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

fn write_line<E: Entry>(entry: &E, secrets: &Secrets, out: &mut Out) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &entry.written(secrets))?;
    out.write_all(b"\n")
}
