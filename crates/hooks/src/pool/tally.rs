//! Counts of calls.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::HookError;

/// Counts of calls so far: of hooks, functions, templates, and loads of modules.
#[derive(Debug, Default)]
pub struct Tally {
    calls: AtomicU64,
    failures: AtomicU64,
}

impl Tally {
    /// Returns the number of calls, including those in flight.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Returns the number of calls that failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub(super) fn called(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ended<T>(&self, result: &Result<T, HookError>) {
        if result.is_err() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }
}
