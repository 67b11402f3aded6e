//! How much one execution may do.

use std::sync::atomic::{AtomicU64, Ordering};

/// What one script may do at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Members of a literal list in a condition, and rows of a join's first side: `maxNestedRequests`. What is beyond is left out, with a warning.
    pub nested_requests: usize,
    /// Requests that one call of a table may make. More are refused.
    pub fan_out: usize,
    /// Rows of one result.
    pub rows: usize,
    /// Steps: values looked at, rows compared.
    pub work: u64,
    /// Calls of tables in one execution.
    pub calls: usize,
}

impl Limits {
    /// What is right for nearly everything.
    pub const DEFAULT: Limits = Limits { nested_requests: 50, fan_out: 1000, rows: 1_000_000, work: 50_000_000, calls: 10_000 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// There is no work left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

/// Steps that are left.
#[derive(Debug)]
pub struct Work(AtomicU64);

impl Work {
    /// So many steps.
    pub fn new(steps: u64) -> Work {
        Work(AtomicU64::new(steps))
    }

    /// Takes steps.
    ///
    /// # Errors
    /// There are fewer.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Exhausted> {
        let left = self.0.load(Ordering::Relaxed);
        match left.checked_sub(steps) {
            // Two that take at the same time may count one of them once: the limit is no exact figure.
            Some(left) => {
                self.0.store(left, Ordering::Relaxed);
                Ok(())
            }
            None => Err(Exhausted),
        }
    }
}
