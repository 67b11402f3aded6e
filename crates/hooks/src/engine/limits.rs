//! Limits of a call, and the clock that keeps one of them.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Limits of an engine and its calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Longest time of one call.
    pub time: Duration,
    /// Most memory of the engine, and largest value that a call returns, in bytes.
    pub memory: usize,
    /// Largest stack, in bytes.
    pub stack: usize,
}

/// The clock of the running call, shared with the interrupt handler of the runtime.
#[derive(Debug)]
pub(super) struct Clock {
    origin: Instant,
    deadline: Cell<Option<Instant>>,
    over: Cell<bool>,
}

impl Clock {
    pub fn new() -> Clock {
        Clock { origin: Instant::now(), deadline: Cell::new(None), over: Cell::new(false) }
    }

    /// Begins a call.
    pub fn start(&self, time: Duration) {
        self.deadline.set(Some(Instant::now() + time));
        self.over.set(false);
    }

    /// Moves the deadline by time that was not the call's own.
    pub fn extend(&self, time: Duration) {
        self.deadline.set(self.deadline.get().map(|deadline| deadline + time));
    }

    /// Ends the call.
    pub fn stop(&self) {
        self.deadline.set(None);
    }

    /// Returns whether the time is over. Once it is, the call has failed, whatever the script does
    /// about it.
    pub fn check(&self) -> bool {
        if !self.over.get() && self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline) {
            self.over.set(true);
        }
        self.over.get()
    }

    /// Returns whether the last call ran out of time.
    pub fn was_over(&self) -> bool {
        self.over.get()
    }

    /// Returns the milliseconds of a monotonic clock.
    pub fn now(&self) -> f64 {
        self.origin.elapsed().as_secs_f64() * 1000.0
    }

    /// Waits, at most until the deadline. Returns false if the deadline came first.
    pub fn sleep(&self, milliseconds: f64) -> bool {
        let wish = Duration::from_secs_f64(milliseconds.clamp(0.0, 3_600_000.0) / 1000.0);
        let left = self.deadline.get().map_or(wish, |deadline| deadline.saturating_duration_since(Instant::now()));
        std::thread::sleep(wish.min(left));
        !self.check()
    }
}
