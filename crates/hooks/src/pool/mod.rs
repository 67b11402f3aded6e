//! The threads that make calls, each on an engine of its own or in a worker process. Callers never
//! run scripts themselves, so they never wait for one unless they want to.
//!
//! | file | holds |
//! |---|---|
//! | `hooks` | the handle of all, and the way of a call to a thread |
//! | `call`, `callee` | a call in flight; the function that it is for |
//! | `shared` | state that callers and threads share |
//! | `worker` | a thread that runs jobs |
//! | `runner` | the place of a thread's calls: an engine on it, or a process |
//! | `slow` | calls in processes that take long |
//! | `visit` | several calls in one visit to a thread |
//! | `watchdog` | gives up calls on threads that no clock stops |
//! | `tally` | counts of calls |

mod call;
mod callee;
mod hooks;
mod runner;
mod shared;
mod slow;
mod tally;
mod visit;
mod watchdog;
mod worker;

pub use call::{Call, CallFuture};
pub use hooks::Hooks;
pub use tally::Tally;
