//! Limits of one execution.

use std::sync::atomic::{AtomicU64, Ordering};

/// Limits of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most members of a literal list in a condition, and most rows of a join's first side:
    /// `maxNestedRequests`. Further ones are left out, with a warning.
    pub nested_requests: usize,
    /// Most requests of one call of a table. A call that needs more is refused.
    pub fan_out: usize,
    /// Most rows of one result.
    pub rows: usize,
    /// Most units of work: values looked at, rows compared.
    pub work: u64,
    /// Most calls of tables in one execution.
    pub calls: usize,
}

impl Limits {
    /// The usual limits.
    pub const DEFAULT: Limits = Limits { nested_requests: 50, fan_out: 1000, rows: 1_000_000, work: 50_000_000, calls: 10_000 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// The error of work that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

/// Units of work that are left.
#[derive(Debug)]
pub struct Work(AtomicU64);

impl Work {
    /// Makes a supply of work.
    pub fn new(steps: u64) -> Work {
        Work(AtomicU64::new(steps))
    }

    /// Takes units of work.
    ///
    /// # Errors
    /// Fewer are left.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Exhausted> {
        let left = self.0.load(Ordering::Relaxed);
        match left.checked_sub(steps) {
            // Two calls at the same time may count as one: the limit is approximate.
            Some(left) => {
                self.0.store(left, Ordering::Relaxed);
                Ok(())
            }
            None => Err(Exhausted),
        }
    }
}
