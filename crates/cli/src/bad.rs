//! Bad messages that a run steps over: they are reported, kept, and counted.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polywire_core::format::Format;
use polywire_core::tools::Bad;
use polywire_core::{Error, Result};
use polywire_formats::registry;

use crate::args::bad::BadArgs;
use crate::failure::{self, Failure};
use crate::stderr;

/// Bad messages whose errors people see one by one.
const SHOWN: u64 = 10;

/// The bad messages of a run.
pub struct BadMessages {
    most: u64,
    kept: Arc<Mutex<Kept>>,
}

struct Kept {
    count: u64,
    /// Name of the input.
    input: String,
    file: Option<(PathBuf, BufWriter<File>)>,
    /// True if the last byte in the file ends no line, but belongs to one.
    open_line: bool,
}

impl BadMessages {
    /// Returns the state before the first message, if the run steps over bad messages.
    ///
    /// # Errors
    /// The file for bad messages cannot be written.
    pub fn new(args: &BadArgs) -> Result<Option<BadMessages>, Failure> {
        let Some(most) = args.skip_bad else { return Ok(None) };
        let file = match &args.bad_to {
            None => None,
            Some(path) => {
                let name = path.display().to_string();
                let file = File::create(path).map_err(|error| Failure::about(Error::io("creating", &error), Some(&name)))?;
                Some((path.clone(), BufWriter::new(file)))
            }
        };
        let kept = Kept { count: 0, input: String::new(), file, open_line: false };
        Ok(Some(BadMessages { most, kept: Arc::new(Mutex::new(kept)) }))
    }

    /// Returns the receiver of the bad messages.
    pub fn receiver(&self) -> Bad {
        let kept = Arc::clone(&self.kept);
        let left = self.most - lock(&kept).count;
        Bad::new(left, move |error, bytes| lock(&kept).take(error, bytes))
    }

    /// Sets the input that comes next, which is in the format `from`. Its messages may be entries
    /// of documents, if `each`.
    ///
    /// # Errors
    /// Nothing gives the place of the message behind a bad one.
    pub fn begin(&self, input: &str, from: &Format, each: bool) -> Result<(), Failure> {
        if each || !from.framing.goes_on() {
            let formats = registry::FORMATS.iter().filter(|format| format.framing.goes_on());
            let names: Vec<&str> = formats.map(|format| format.name).collect();
            let what = if each { "entries of a document".to_string() } else { format!("messages in {}", from.name) };
            let error = Error::usage(format!("--skip-bad for {what}"))
                .expected("a format where a bad message does not hide the next one")
                .hint(format!("these are {}", names.join(", ")));
            return Err(Failure::about(error, Some(input)));
        }
        lock(&self.kept).input = input.to_string();
        Ok(())
    }

    /// Prints the number of bad messages. Returns true if there is none.
    ///
    /// # Errors
    /// The file for bad messages cannot be written.
    pub fn finish(&self) -> Result<bool, Failure> {
        let mut kept = lock(&self.kept);
        let count = kept.count;
        let mut at = String::new();
        if let Some((path, file)) = &mut kept.file {
            let name = path.display().to_string();
            file.flush().map_err(|error| Failure::about(Error::io("writing", &error), Some(&name)))?;
            at = format!("; their bytes are in {name}");
        }
        if count > 0 {
            let messages = if count == 1 { "one bad message".to_string() } else { format!("{count} bad messages") };
            let shown = if count > SHOWN && !stderr::is_json() { format!(" (the first {SHOWN} are shown)") } else { String::new() };
            stderr::say(format_args!("{messages} left out{shown}{at}"));
        }
        Ok(count == 0)
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    /// Reports and keeps a bad message.
    fn take(&mut self, error: &Error, bytes: &[u8]) -> Result<()> {
        self.count += 1;
        if self.count <= SHOWN || stderr::is_json() {
            failure::print(error, Some(&self.input), None);
        }
        if let Some((_, file)) = &mut self.file {
            // The last line of an input may lack its end.
            let separator: &[u8] = if self.open_line { b"\n" } else { b"" };
            let written = file.write_all(separator).and_then(|()| file.write_all(bytes));
            written.map_err(|error| Error::io("writing bad messages", &error))?;
            self.open_line = error.place().is_some() && !bytes.ends_with(b"\n");
        }
        Ok(())
    }
}
