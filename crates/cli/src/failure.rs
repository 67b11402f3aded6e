//! The end of a run that failed: its message on stderr, and its exit code.

use polywire_core::{Error, ErrorKind, Fault};
use polywire_report::ErrorLine;

use crate::args::errors::Form;
use crate::{diagnostics, stderr};

/// Reason why a run failed.
pub enum Failure {
    /// The answer is no: exit code 1. It was printed.
    No,
    /// Paths named nothing, and `--strict-paths` was given: exit code 2. It was printed.
    Paths,
    /// A schema was rejected: exit code 3. The reason was printed.
    Reported,
    /// A filter's text was rejected: exit code 2. The reason was printed.
    Filter,
    /// A filter ended the run with this exit code.
    Halted(i32),
    /// An error, and the file it is about, if any.
    Error(Error, Option<String>),
    /// The reader of the output closed it, as `| head` does: exit code 0.
    Unread,
}

impl Failure {
    /// Prints an error to stderr.
    pub fn print(&self) {
        if let Failure::Error(error, file) = self {
            print(error, file.as_deref(), Some(self.code()));
        }
    }

    /// Returns the exit code: 1 if the answer is no, 2 for usage, 3 for bad data, 4 for I/O.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Unread => 0,
            Failure::No => 1,
            Failure::Paths | Failure::Filter => 2,
            Failure::Halted(code) => (*code & 0xff) as u8,
            Failure::Reported => 3,
            Failure::Error(error, _) => match error.fault() {
                Fault::Caller => 2,
                Fault::Data | Fault::Schema | Fault::Us => 3,
                Fault::Environment => 4,
            },
        }
    }
}

impl Failure {
    /// Reports whether an input is in no format that is known.
    pub fn is_unknown_format(&self) -> bool {
        matches!(self, Failure::Error(error, _) if error.kind() == ErrorKind::UnknownFormat)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::about(error, None)
    }
}

impl Failure {
    /// Returns the failure of an error about a file.
    pub fn about(error: Error, file: Option<&str>) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Error(advised(error), file.map(str::to_string)),
        }
    }
}

/// Adds the option of the command line that helps.
fn advised(error: Error) -> Error {
    match error.kind() {
        ErrorKind::DoubledKey => {
            error.hint("if the sender means it: --duplicate-keys first or last takes one of the values, keep takes all")
        }
        ErrorKind::Limit => match error.advice().split_once("raise it if") {
            Some((limit, rest)) => match limit.split('`').nth(1) {
                Some(name) => {
                    let hint = format!("{limit}raise it with --max-{name} if{rest}");
                    error.hint(hint)
                }
                None => error,
            },
            None => error,
        },
        _ => error,
    }
}

/// Prints an error about a file to stderr, with the exit code if it ends the run.
pub fn print(error: &Error, file: Option<&str>, exit: Option<u8>) {
    if stderr::is_json() {
        stderr::object(&ErrorLine::new(error, file, exit));
        return;
    }
    if let (Some(place), Some(file)) = (error.place(), file) {
        diagnostics::print_error(error, place, file);
        return;
    }
    let about = file.map_or_else(String::new, |file| format!("{file}: "));
    stderr::say(format_args!("{about}{error}"));
}

/// Prints the error of arguments that cannot be parsed as JSON. Returns the exit code.
pub fn usage(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    let mut paragraphs = text.trim().split("\n\n");
    let what = paragraphs.next().unwrap_or_default().trim_start_matches("error: ").to_string();
    let hint = paragraphs.filter_map(|text| text.trim().strip_prefix("tip: ")).collect::<Vec<&str>>().join("; ");
    let failure = Failure::from(Error::usage(what.split_whitespace().collect::<Vec<&str>>().join(" ")).hint(hint));
    stderr::set_form(Form::Json);
    failure.print();
    failure.code()
}

/// Returns the failure of a write to stdout.
pub fn unwritten(error: &std::io::Error) -> Failure {
    Error::io("writing the output", error).into()
}
