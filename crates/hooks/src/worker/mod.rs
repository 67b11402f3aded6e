//! The worker's side: a process that makes the calls of one table directory, one after the other,
//! for the gateway that has started it.
//!
//! | file | holds |
//! |---|---|
//! | `serve` | the life of the process |
//! | `link` | the stream to the gateway |
//! | `tasks` | all tasks by number |
//! | `fence` | limits of the process, and its end |

#[cfg(unix)]
mod fence;
#[cfg(unix)]
mod link;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod tasks;

#[cfg(unix)]
pub use fence::resident;
#[cfg(unix)]
pub use serve::{serve_if_asked, serve_if_asked_by};

pub use crate::process::WorkerProgram;

/// Returns nothing: this system does not say what memory a process has.
#[cfg(not(unix))]
pub fn resident() -> Option<u64> {
    None
}

/// Does nothing: there are no worker processes on this system.
#[cfg(not(unix))]
pub fn serve_if_asked() {}

/// Does nothing: there are no worker processes on this system.
#[cfg(not(unix))]
pub fn serve_if_asked_by(_: &[std::ffi::OsString]) {}
