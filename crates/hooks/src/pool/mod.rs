//! The threads on which hooks run. Callers never run scripts themselves, so they never wait for one
//! unless they want to.
//!
//! | file | holds |
//! |---|---|
//! | `hooks` | the handle of all, and the way of a call to a thread |
//! | `call`, `callee` | a call in flight; the function that it is for |
//! | `shared` | state that callers and threads share |
//! | `worker` | a thread that runs jobs |
//! | `visit` | several calls in one visit to a thread |
//! | `watchdog` | gives up calls that no clock stops |
//! | `tally` | counts of calls |

mod call;
mod callee;
mod hooks;
mod shared;
mod tally;
mod visit;
mod watchdog;
mod worker;

pub use call::{Call, CallFuture};
pub use hooks::Hooks;
pub use tally::Tally;
