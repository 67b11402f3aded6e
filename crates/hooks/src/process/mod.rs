//! Worker processes, as the gateway sees them. A process can be killed whatever it does, so a call
//! in one ends within its limit, and takes only itself with it.
//!
//! | file | holds |
//! |---|---|
//! | `program` | the program that is started |
//! | `message` | kinds of messages, and the first one |
//! | `child` | one process |
//! | `keeper` | a place for a process, and calls in it |

#[cfg(unix)]
mod child;
#[cfg(unix)]
mod keeper;
pub(crate) mod message;
mod program;

#[cfg(unix)]
pub(crate) use keeper::{Caller, Closer, Keeper};
pub use program::WorkerProgram;
