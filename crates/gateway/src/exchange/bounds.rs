//! The bounds that the exchanges of one answer share: a deadline, and a limit on how many run at a
//! time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

/// The bounds of one answer. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub(crate) deadline: Option<Instant>,
    pub(crate) parallel: Arc<Semaphore>,
}

impl Bounds {
    /// Makes the bounds of an answer that is due `within` that time, with at most `parallel`
    /// exchanges at a time (at least one).
    pub fn new(within: Option<Duration>, parallel: usize) -> Self {
        let deadline = within.and_then(|within| Instant::now().checked_add(within));
        Bounds { deadline, parallel: Arc::new(Semaphore::new(parallel.clamp(1, Semaphore::MAX_PERMITS))) }
    }
}

/// No deadline, and `maxNestedRequests` (docs/spec/ql.md 13) exchanges at a time.
impl Default for Bounds {
    fn default() -> Self {
        Bounds::new(None, 50)
    }
}
