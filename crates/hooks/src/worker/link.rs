//! The stream to the gateway.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use polywire_doc::{Datum, Wanted};

use crate::engine::Console;
use crate::log::{LogRecord, Severity};
use crate::process::message::{ASK, LOG, Looks, WHOLE};
use crate::wire::{Asker, Frames, Get, Incoming, Put, Received, Wire};

/// The stream to the gateway.
pub(super) struct Link {
    frames: Mutex<Frames>,
    /// Values of the running call.
    pub received: Received,
    looks: Mutex<Looks>,
}

impl Link {
    pub fn new(frames: Frames) -> Link {
        Link { frames: Mutex::new(frames), received: Received::default(), looks: Mutex::default() }
    }

    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next message; `None` if the gateway is gone.
    pub fn receive(&self) -> io::Result<Option<Incoming>> {
        self.frames().receive()
    }

    /// Sends a message.
    pub fn send(&self, put: Put<'_>) -> io::Result<()> {
        let frame = put.finish().0.ok_or(io::ErrorKind::InvalidInput)?;
        self.frames().send(&frame)
    }

    /// Begins a call.
    pub fn begin(&self) {
        self.received.clear();
        drop(self.looks());
    }

    /// Takes what scripts looked at in the running call.
    pub fn looks(&self) -> Looks {
        std::mem::take(&mut *self.looks.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Asker for AskingLink {
    fn whole(&self) -> Result<Datum, String> {
        let link = &self.0;
        let gone = |error: io::Error| format!("the gateway cannot be asked: {error}");
        link.send(Put::answering(ASK, &link.received)).map_err(gone)?;
        let answer = match link.receive().map_err(gone)? {
            Some(Incoming { kind: WHOLE, content }) => Bytes::from(content),
            _ => return Err("the gateway is gone".to_string()),
        };
        let asker = Arc::new(AskingLink(link.clone())) as Arc<dyn Asker>;
        let mut get = Get::of_gateway(&answer, &link.received, &asker);
        let read =
            get.byte().and_then(|is_there| if is_there == 0 { String::get(&mut get).map(Err) } else { Datum::get(&mut get).map(Ok) });
        read.map_err(|malformed| malformed.to_string())?
    }

    fn looked_at(&self, looked: &Wanted) {
        self.0.looks.lock().unwrap_or_else(PoisonError::into_inner).looked = Some(looked.clone());
    }

    fn returned_in_part(&self, path: &[&str]) {
        let path = path.iter().map(ToString::to_string).collect();
        self.0.looks.lock().unwrap_or_else(PoisonError::into_inner).returned = Some(path);
    }
}

/// The link, as a task asks it.
pub(super) struct AskingLink(pub Arc<Link>);

/// The receiver of the messages of one call: the gateway.
pub(super) struct LinkConsole {
    link: Arc<Link>,
    logged: Cell<usize>,
}

impl LinkConsole {
    pub fn of_call(link: &Arc<Link>) -> Rc<dyn Console> {
        Rc::new(LinkConsole { link: link.clone(), logged: Cell::new(0) })
    }
}

impl Console for LinkConsole {
    fn message(&self, severity: &str, mut message: String) {
        if self.logged.get() >= LogRecord::MOST {
            return;
        }
        self.logged.set(self.logged.get() + 1);
        LogRecord::cut(&mut message);
        let mut put = Put::answering(LOG, &self.link.received);
        put.bytes(Severity::named(severity).name().as_bytes());
        put.bytes(message.as_bytes());
        // If the gateway is gone, the process ends soon.
        let _ = self.link.send(put);
    }
}
