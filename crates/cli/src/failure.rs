//! How a run that did not end well ends: what stderr says, and the exit code.

use std::process::ExitCode;

use polywire_core::{Error, ErrorKind, Fault};

/// Why a run did not end well.
pub enum Failure {
    /// The answer is 'no': exit code 1. What is to be said was said.
    No,
    /// A schema was refused: exit code 3. What is wrong with it was said.
    Told,
    /// An error, and the file it is about, if it is about one.
    Error(Error, Option<String>),
    /// Nobody reads the output any more, as with `| head`: no failure of ours.
    Unread,
}

impl Failure {
    /// Prints it to stderr.
    pub fn tell(&self) {
        if let Failure::Error(error, file) = self {
            let about = file.as_ref().map_or_else(String::new, |file| format!("{file}: "));
            eprintln!("polywire: {about}{error}");
        }
    }

    /// 1 the answer is 'no', 2 usage, 3 bad data, 4 I/O.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Unread => 0,
            Failure::No => 1,
            Failure::Told => 3,
            Failure::Error(error, _) => match error.fault() {
                Fault::Caller => 2,
                Fault::Data | Fault::Schema | Fault::Us => 3,
                Fault::Environment => 4,
            },
        })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::about(error, None)
    }
}

impl Failure {
    /// An error about a file.
    pub fn about(error: Error, file: Option<&str>) -> Failure {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Error(error, file.map(str::to_string)),
        }
    }
}

/// Turns a failed write to stdout into a failure.
pub fn unwritten(error: &std::io::Error) -> Failure {
    Error::io("writing the output", error).into()
}
