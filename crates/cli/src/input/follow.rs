//! A file that grows, read as its bytes come.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Time between two looks for more.
const PAUSE: Duration = Duration::from_millis(50);

/// Reason why a followed file has no more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A signal asked the program to end.
    Asked,
    /// The file became shorter than what was read of it.
    Truncated,
    /// Another file has its name.
    Replaced,
}

/// The wish of the outside that the program ends: `SIGINT` or `SIGTERM`. The second one ends it at
/// once.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for signals from here on.
    ///
    /// # Errors
    /// The system refuses.
    pub fn listen() -> io::Result<Stop> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down.
            flag::register_conditional_default(signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Stop(asked))
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Reads a file, and waits for more at its end until it is truncated or replaced, or a signal asks
/// the program to end.
pub struct Follow {
    file: File,
    path: PathBuf,
    /// Bytes that were read.
    read: u64,
    stop: Stop,
    ended: Rc<Cell<Option<Ended>>>,
}

impl Follow {
    /// Opens a file. `ended` gets the reason at the end.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path, stop: &Stop, ended: &Rc<Cell<Option<Ended>>>) -> io::Result<Follow> {
        Ok(Follow { file: File::open(path)?, path: path.to_path_buf(), read: 0, stop: stop.clone(), ended: Rc::clone(ended) })
    }

    /// Reads what is there.
    fn more(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.read += read as u64;
        Ok(read)
    }

    fn end(&self, ended: Ended) -> io::Result<usize> {
        self.ended.set(Some(ended));
        Ok(0)
    }
}

impl Read for Follow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop.is_asked() {
                return self.end(Ended::Asked);
            }
            let read = self.more(buf)?;
            if read > 0 || buf.is_empty() {
                return Ok(read);
            }
            let there = self.file.metadata()?;
            if there.len() < self.read {
                return self.end(Ended::Truncated);
            }
            // While the name has no file, another one is on its way.
            if self.path.metadata().is_ok_and(|named| !same_file(&named, &there)) {
                // Bytes that came before the file lost its name belong to it.
                let last = self.more(buf)?;
                return if last > 0 { Ok(last) } else { self.end(Ended::Replaced) };
            }
            std::thread::sleep(PAUSE);
        }
    }
}

#[cfg(unix)]
fn same_file(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Compares the times at which the files were made, since a file has no number here.
#[cfg(not(unix))]
fn same_file(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}
