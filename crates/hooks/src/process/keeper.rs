//! A place for a worker process, and calls in it.

use std::cell::{OnceCell, RefCell};
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use polywire_doc::{Datum, Ref, Wanted};

use super::child::Child;
use super::message::{ANSWER, ASK, Begin, CALL, LOG, Looks, READY, WHOLE};
use super::program::WorkerProgram;
use crate::engine::{ErrorKind, ScriptError};
use crate::log::LogRecord;
use crate::settings::Settings;
use crate::task::{Source, Task};
use crate::wire::{Get, Incoming, Malformed, Put, Sent, Wire, follow};

/// Longest time until the engine of a new process is there.
const START: Duration = Duration::from_secs(20);
/// Time after which a call counts as slow.
const PATIENCE: Duration = Duration::from_millis(25);
/// Time that a process has beyond that of a call: its engine ends most calls itself, with the place
/// in the script.
const BEYOND: Duration = Duration::from_millis(100);
/// Bytes of a message beyond the value in it.
const BESIDES: usize = 1 << 20;
/// Smallest cost of a value, when an engine measures what it returns.
const VALUE: usize = 32;
/// Most names of a path that a process may report, and the longest of them.
const NAMES: (usize, usize) = (256, 4096);
/// Most places that a process may report.
const PLACES: usize = 1000;

/// A way to end the process of a [`Keeper`] from another thread: its call fails, and no other
/// begins.
#[derive(Default)]
pub(crate) struct Closer(Mutex<Stream>);

#[derive(Default)]
enum Stream {
    #[default]
    Absent,
    Open(UnixStream),
    Closed,
}

impl Closer {
    /// Ends the process.
    pub fn close(&self) {
        let before = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), Stream::Closed);
        if let Stream::Open(stream) = before {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Takes the stream of a new process.
    fn set(&self, stream: UnixStream) -> io::Result<()> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*held, Stream::Closed) {
            return Err(io::Error::other("the hooks have been shut down"));
        }
        *held = Stream::Open(stream);
        Ok(())
    }
}

/// A place for a worker process. A process that has ended is replaced.
pub(crate) struct Keeper {
    program: WorkerProgram,
    begin: Begin,
    child: Option<Child>,
    closer: Arc<Closer>,
    /// The buffer of messages to the process.
    buffer: Vec<u8>,
}

/// The circumstances of a call.
pub(crate) struct Caller<'c> {
    /// Generation of the files.
    pub generation: u64,
    /// Receives messages: severity and text.
    pub log: &'c dyn Fn(&str, String),
    /// Called once if the call is slow.
    pub slow: &'c mut dyn FnMut(),
}

/// The end of a call without an answer.
enum Failed {
    /// The script failed, and its process is well.
    Script(ScriptError),
    /// The process was gone before it had the call.
    Gone,
    /// The time was over.
    Time,
    /// The process ended during the call.
    Ended,
    Malformed(String),
}

impl From<io::Error> for Failed {
    fn from(_: io::Error) -> Failed {
        Failed::Gone
    }
}

impl From<Malformed> for Failed {
    fn from(malformed: Malformed) -> Failed {
        Failed::Malformed(malformed.to_string())
    }
}

impl Keeper {
    pub fn new(settings: &Settings, program: &WorkerProgram, root: &Path, closer: Arc<Closer>) -> Keeper {
        let begin = Begin {
            gateway: std::process::id(),
            root: root.to_string_lossy().into_owned(),
            time: u64::try_from(settings.time.as_millis()).unwrap_or(u64::MAX),
            memory: settings.memory,
            stack: settings.stack,
        };
        Keeper { program: program.clone(), begin, child: None, closer, buffer: Vec::new() }
    }

    /// Starts a process, unless there is one. Its engine may not be there yet.
    pub fn prepare(&mut self) -> io::Result<()> {
        if self.child.is_none() {
            let most = self.begin.memory.saturating_mul(2).saturating_add(BESIDES);
            let child = Child::start(&self.program, &self.begin, most, PATIENCE)?;
            self.closer.set(child.frames.stream()?)?;
            self.child = Some(child);
        }
        Ok(())
    }

    /// Waits until the engine is there. That is no time of a call.
    fn ready(&mut self) -> Result<&mut Child, ScriptError> {
        // One that was prepared may have ended since, as one between two calls may.
        let prepared = self.child.is_some();
        let mut outcome = self.start();
        if prepared && outcome.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock) {
            outcome = self.start();
        }
        let started = outcome.and_then(|()| self.child.as_mut().ok_or_else(|| io::Error::other("it has gone")));
        started.map_err(|error| {
            ScriptError::new(ErrorKind::Busy, format!("no process for hooks can be started: {error}"))
                .with_hint("see whether memory and the number of processes suffice")
        })
    }

    /// Starts a process, unless there is one, and waits for its engine. Ends one that fails; an
    /// engine that takes too long is `WouldBlock`.
    fn start(&mut self) -> io::Result<()> {
        self.prepare()?;
        let Some(child) = self.child.as_mut().filter(|child| !child.is_ready) else { return Ok(()) };
        let came = child.frames.wait(Some(START)).and_then(|()| child.frames.receive());
        let outcome = match came {
            Ok(Some(Incoming { kind: READY, .. })) => child.frames.wait(Some(PATIENCE)),
            Ok(_) => Err(io::Error::other("it is no worker, or could not start")),
            Err(error) => Err(error),
        };
        child.is_ready = outcome.is_ok();
        outcome.map_err(|error| io::Error::new(error.kind(), format!("{error}{}", self.end())))
    }

    /// Ends the process. Returns how it ended.
    fn end(&mut self) -> String {
        self.child.take().map(|child| format!(" ({})", child.end())).unwrap_or_default()
    }

    /// Makes a call within the limits.
    pub fn call<T: Task>(&mut self, task: &T, mut caller: Caller<'_>) -> Result<T::Answer, ScriptError> {
        let mut outcome = self.attempt(task, &mut caller);
        if matches!(outcome, Err(Failed::Gone)) {
            // It ended between two calls, so it is not the fault of this one.
            self.end();
            outcome = self.attempt(task, &mut caller);
        }
        let failed = match outcome {
            Ok(answer) => return Ok(answer),
            Err(Failed::Script(error)) => return Err(error),
            Err(failed) => failed,
        };
        if let Some(child) = self.child.take_if(|_| matches!(failed, Failed::Time)) {
            child.abandon();
        }
        let status = self.end();
        Err(match failed {
            Failed::Time => ScriptError::new(ErrorKind::Time, "the call took longer than it may, and its engine was ended")
                .with_hint("look for searches in long texts and work on long lists, or raise the time limit of hooks"),
            Failed::Malformed(what) => {
                ScriptError::new(ErrorKind::Internal, format!("the engine gave a malformed answer: {what}")).with_hint("please report it")
            }
            _ => ScriptError::new(ErrorKind::Internal, format!("the process of the engine ended during the call{status}"))
                .with_hint("the memory of the machine may be at its end, or somebody has ended the process"),
        })
    }

    fn attempt<T: Task>(&mut self, task: &T, caller: &mut Caller<'_>) -> Result<T::Answer, Failed> {
        let (time, values) = (Duration::from_millis(self.begin.time).saturating_add(BEYOND), self.begin.memory / VALUE);
        let buffer = std::mem::take(&mut self.buffer);
        let child = self.ready().map_err(Failed::Script)?;
        let mut put = Put::sending(CALL, buffer);
        put.count(caller.generation);
        put.byte(T::NUMBER);
        task.put(&mut put);
        let (frame, sent) = put.finish();
        let Some(mut frame) = frame else {
            return Err(Failed::Script(ScriptError::new(ErrorKind::Memory, "the arguments of the call are larger than 4 GiB")));
        };
        let start = Instant::now();
        let whole = OnceCell::new();
        let mut running = Running { child, caller, start, deadline: start + time, slow: false, logged: 0, sent, task, values };
        let sent = running.send(&frame);
        // A call with large arguments keeps no copy of them.
        frame.clear();
        frame.shrink_to(BESIDES);
        let answer = sent.and_then(|()| running.answer(&whole));
        if running.slow {
            // The next call has its own patience.
            let _ = running.child.frames.wait(Some(PATIENCE));
        }
        self.buffer = frame;
        answer
    }
}

/// A call that a process makes.
struct Running<'r, 'c, T> {
    child: &'r mut Child,
    caller: &'r mut Caller<'c>,
    start: Instant,
    deadline: Instant,
    slow: bool,
    logged: usize,
    sent: Sent<'r>,
    task: &'r T,
    /// Most values of the answer.
    values: usize,
}

/// Returns the time that is left of a call under way. Notes that it is slow, once it is.
fn go_on(start: Instant, deadline: Instant, slow: &mut bool, caller: &mut Caller<'_>) -> Result<Duration, Failed> {
    let now = Instant::now();
    if !*slow && now.duration_since(start) >= PATIENCE {
        *slow = true;
        (caller.slow)();
    }
    let left = deadline.saturating_duration_since(now);
    if left.is_zero() { Err(Failed::Time) } else { Ok(if *slow { left } else { PATIENCE }) }
}

impl<'r, T: Task> Running<'r, '_, T> {
    /// Serves the process until it answers.
    fn answer(&mut self, whole: &'r OnceCell<Datum>) -> Result<T::Answer, Failed> {
        loop {
            let Incoming { kind, content } = self.receive()?;
            match kind {
                LOG => self.log(&content)?,
                ASK => self.send_whole(whole)?,
                ANSWER => return self.read(&content, whole),
                _ => return Err(Failed::Malformed(format!("a message of the kind {kind}"))),
            }
        }
    }

    /// Sends the call, or the value that the process has asked for.
    fn send(&mut self, frame: &[u8]) -> Result<(), Failed> {
        let Running { child, caller, start, deadline, slow, .. } = self;
        child.frames.send_while(frame, || go_on(*start, *deadline, slow, caller).map(drop))
    }

    fn receive(&mut self) -> Result<Incoming, Failed> {
        loop {
            match self.child.frames.receive() {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => return Err(Failed::Ended),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = go_on(self.start, self.deadline, &mut self.slow, self.caller)?;
                    self.child.frames.wait(Some(left)).map_err(|_| Failed::Ended)?;
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(Failed::Malformed(error.to_string())),
                Err(_) => return Err(Failed::Ended),
            }
        }
    }

    fn log(&mut self, content: &[u8]) -> Result<(), Failed> {
        self.logged += 1;
        if self.logged > LogRecord::MOST {
            return Err(Failed::Malformed("too many messages".to_string()));
        }
        let mut get = Get::of_worker(content, 0, &|_| None);
        let (severity, message) = (get.text()?, String::get(&mut get)?);
        get.end()?;
        (self.caller.log)(severity, message);
        Ok(())
    }

    /// Sends the value that the message holds in part, or not at all.
    fn send_whole(&mut self, whole: &'r OnceCell<Datum>) -> Result<(), Failed> {
        let Some(source) = self.task.source().filter(|_| whole.get().is_none()) else {
            return Err(Failed::Malformed("a question that was not expected".to_string()));
        };
        let start = Instant::now();
        let fetched = source.whole();
        let mut put = Put::going_on(WHOLE, std::mem::take(&mut self.sent));
        match fetched {
            Ok(value) => {
                put.byte(1);
                whole.get_or_init(|| value).put(&mut put);
            }
            Err(message) => {
                put.byte(0);
                put.bytes(message.as_bytes());
                let _ = whole.set(Datum::Null);
            }
        }
        let (frame, sent) = put.finish();
        self.sent = sent;
        let frame = frame.ok_or_else(|| Failed::Malformed("a question for a body of more than 4 GiB".to_string()))?;
        // The time for it is not the script's.
        self.deadline += start.elapsed();
        self.send(&frame).map_err(|failed| if matches!(failed, Failed::Gone) { Failed::Ended } else { failed })
    }

    /// Reads the answer.
    fn read(&mut self, content: &[u8], whole: &'r OnceCell<Datum>) -> Result<T::Answer, Failed> {
        let source = self.task.source();
        let mut get = Get::of_worker(content, self.values, &|_| None);
        let Looks { looked, returned } = Looks::get(&mut get)?;
        let looked = looked.unwrap_or_else(Wanted::nothing);
        if looked.places() > PLACES {
            return Err(Failed::Malformed("too many places".to_string()));
        }
        let path: Vec<&str> = returned.iter().flatten().map(String::as_str).collect();
        if path.len() > NAMES.0 || path.iter().any(|name| name.len() > NAMES.1) {
            return Err(Failed::Malformed("a path that is too long".to_string()));
        }
        let suffices = returned.is_some() && source.is_some_and(|source| source.suffices(&path));
        if let Some(source) = source {
            source.looked_at(looked, returned.as_ref().filter(|_| !suffices).map(|_| path.as_slice()));
        }
        let refused = RefCell::new(None);
        let (sent, at) = (&self.sent, get.at());
        let find = |number: u32| match sent.way(number) {
            Some(steps) if !suffices => {
                let fetched = match whole.get() {
                    Some(whole) => Ok(whole),
                    None => {
                        source.map_or(Err("there is no more of it".to_string()), Source::whole).map(|value| whole.get_or_init(|| value))
                    }
                };
                match fetched {
                    Ok(whole) => follow(whole, &steps),
                    Err(message) => {
                        refused.replace(Some(message));
                        None
                    }
                }
            }
            _ => sent.get(number).map(Ref::to_datum),
        };
        let mut get = Get::of_worker(content, self.values, &find).from(at);
        let answer = match get.byte()? {
            0 => ScriptError::get(&mut get).map(|error| Err(Failed::Script(error))),
            _ => T::Answer::get(&mut get).map(Ok),
        };
        if let Some(message) = refused.take() {
            // As if the script had looked at it.
            return Err(Failed::Script(ScriptError::new(ErrorKind::Thrown, format!("Error: {message}"))));
        }
        let answer = answer?;
        get.end()?;
        answer
    }
}
