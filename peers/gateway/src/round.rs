//! One round of load on a subject.

use serde::Serialize;

use crate::wrk::Seen;

/// One round of load.
#[derive(Debug, Clone, Serialize)]
pub struct Round {
    pub seen: Seen,
    /// Microseconds of processor time that the gateway took for a request, in user and kernel mode.
    pub cpu_micros: f64,
    /// Most memory that it had resident, in KB.
    pub peak: u64,
}

impl Round {
    /// Returns the answers a second.
    pub fn throughput(&self) -> f64 {
        self.seen.requests as f64 / self.seen.seconds
    }
}
