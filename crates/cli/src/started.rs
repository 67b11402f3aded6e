//! How this process was started: its arguments, and what starts another one of the same program.
//!
//! A Python interpreter that runs the command has arguments of its own before the command's, and is
//! itself what the system calls this program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

static THIS: OnceLock<Started> = OnceLock::new();

/// How this process was started.
#[derive(Debug, Clone, Default)]
pub struct Started {
    arguments: Vec<OsString>,
    // Only hooks are run by another process.
    #[cfg_attr(not(feature = "gateway"), allow(dead_code))]
    again: Option<(PathBuf, Vec<OsString>)>,
}

impl Started {
    /// Makes the start of a command with these arguments, of which the first is the command's name.
    pub fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Started {
        Started { arguments: arguments.into_iter().map(Into::into).collect(), again: None }
    }

    /// Sets the program that runs the command in another process, and its arguments before the
    /// command's own. Without it, that is the program of this process.
    #[must_use]
    pub fn again(self, program: impl Into<PathBuf>, before: impl IntoIterator<Item = OsString>) -> Started {
        Started { again: Some((program.into(), before.into_iter().collect())), ..self }
    }

    /// Makes this the start of the process.
    pub(crate) fn become_this(self) -> &'static Started {
        THIS.get_or_init(|| self)
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }
}

/// Returns the arguments of the command, the first of which is its name.
pub fn arguments() -> &'static [OsString] {
    THIS.get().map_or(&[], Started::arguments)
}

/// Returns the program that runs hooks: this one.
#[cfg(feature = "gateway")]
pub fn hook_worker() -> Option<polywire_gateway::hook_worker::WorkerProgram> {
    use polywire_gateway::hook_worker::WorkerProgram;
    match THIS.get().and_then(|this| this.again.as_ref()) {
        Some((program, before)) => Some(WorkerProgram::at(program).before(before.iter().cloned())),
        // Where the system does not say which program this is, hooks run on threads.
        None => WorkerProgram::this().ok(),
    }
}
