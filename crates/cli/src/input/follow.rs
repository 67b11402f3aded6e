//! A file that grows, read as its bytes come.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use polywire_core::Error;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::{Input, Place};
use crate::failure::Failure;
use crate::stderr;

/// Time between two looks for more.
const PAUSE: Duration = Duration::from_millis(50);

/// Reason why a followed file has no more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
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
struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for signals from here on.
    ///
    /// # Errors
    /// The system refuses.
    fn listen() -> io::Result<Stop> {
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

/// A file that is followed, from its start each time that it is truncated or replaced.
pub struct Following {
    path: PathBuf,
    name: String,
    stop: Stop,
    ended: Rc<Cell<Option<Ended>>>,
}

impl Following {
    /// Listens for signals from here on, which end the run.
    ///
    /// # Errors
    /// The inputs are not one file.
    pub fn new(places: &[Place]) -> Result<Following, Failure> {
        let [place] = places else {
            return Err(Error::usage(format!("{} inputs with --follow", places.len())).expected("one file").into());
        };
        let name = place.path.display().to_string();
        let about = |error: Error| Failure::about(error, Some(&name));
        if !place.path.is_file() && place.path.exists() || place.path == Path::new("-") {
            return Err(about(
                Error::usage("--follow for something else than a file").hint("a pipe is read as its bytes come anyway, with --unbuffered"),
            ));
        }
        let stop = Stop::listen().map_err(|error| about(Error::io("listening for signals", &error)))?;
        Ok(Following { path: place.path.clone(), name, stop, ended: Rc::default() })
    }

    /// Returns the file's messages from its start, which go on as it grows.
    ///
    /// # Errors
    /// Its messages cannot be read before it ends, or it cannot be opened.
    pub fn stream(&self, input: &Input, walker: &Walker) -> Result<Stream<Box<dyn Read>>, Failure> {
        can_follow(input, walker)?;
        let file = Follow::open(&self.path, &self.stop, &self.ended);
        let file = file.map_err(|error| Failure::about(Error::io("opening", &error), Some(&self.name)))?;
        Ok(Stream::new(Box::new(file) as Box<dyn Read>).only_ended())
    }

    /// Remarks on the end of a stream, of which no more may be wanted. Returns true if the file has
    /// to be read once more, from its start.
    pub fn goes_on(&self, stream: &Stream<Box<dyn Read>>, is_over: bool) -> bool {
        let name = &self.name;
        let rest = stream.rest().trim_ascii().len();
        if rest > 0 && !is_over {
            let at = stream.offset();
            stderr::say(format_args!("{name}: a message that is not whole is left out: {rest} bytes from byte {at} on"));
        }
        match self.ended.take() {
            Some(Ended::Truncated) => stderr::say(format_args!("{name}: truncated, read again from its start")),
            Some(Ended::Replaced) => stderr::say(format_args!("{name}: replaced by another file, which is read from its start")),
            Some(Ended::Asked) | None => return false,
        }
        true
    }
}

/// Fails for an input whose messages cannot be read before it ends.
fn can_follow(input: &Input, walker: &Walker) -> Result<(), Failure> {
    let format = walker.format();
    let error = if input.is_decoded() {
        Error::usage("--follow for a compressed file")
    } else if input.charset.is_some() {
        Error::usage("--follow for text in another character set than UTF-8")
    } else if !format.marks_end || walker.reads_whole() {
        Error::usage(format!("--follow for {}", format.name))
            .hint("nothing in its bytes marks the end of a message before the next one comes")
    } else {
        return Ok(());
    };
    Err(Failure::about(error.expected("a format whose messages say where they end, such as jsonl"), Some(&input.name)))
}

/// Reads a file, and waits for more at its end until it is truncated or replaced, or a signal asks
/// the program to end.
struct Follow {
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
    fn open(path: &Path, stop: &Stop, ended: &Rc<Cell<Option<Ended>>>) -> io::Result<Follow> {
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
