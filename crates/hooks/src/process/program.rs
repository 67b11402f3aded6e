//! The program that is started as a worker.

use std::ffi::OsString;
use std::path::PathBuf;

/// The program that is started as a worker. Its `main` has to call
/// [`serve_if_asked`](crate::worker::serve_if_asked) before anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    pub(crate) path: PathBuf,
    /// Arguments before [`WorkerProgram::ARGUMENT`].
    pub(crate) before: Vec<OsString>,
}

impl WorkerProgram {
    /// The first argument of a worker. No person gives it.
    pub const ARGUMENT: &'static str = "hooks-worker";

    /// Returns the program at `path`.
    pub fn at(path: impl Into<PathBuf>) -> WorkerProgram {
        WorkerProgram { path: path.into(), before: Vec::new() }
    }

    /// Sets the arguments that come before the first of a worker, for a program that is an
    /// interpreter of another one.
    #[must_use]
    pub fn before(self, arguments: impl IntoIterator<Item = OsString>) -> WorkerProgram {
        WorkerProgram { before: arguments.into_iter().collect(), ..self }
    }

    /// Returns the running program.
    ///
    /// # Errors
    /// The system does not say where it is.
    pub fn this() -> std::io::Result<WorkerProgram> {
        // This name stands for the running file even when another one has taken its place.
        let own = PathBuf::from("/proc/self/exe");
        let path = if cfg!(target_os = "linux") && own.exists() { own } else { std::env::current_exe()? };
        Ok(WorkerProgram::at(path))
    }
}
