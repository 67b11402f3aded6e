//! What one call may take.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The clock of the running call, shared with the interrupt handler of the runtime.
#[derive(Debug)]
pub(crate) struct Clock {
    origin: Instant,
    deadline: Cell<Option<Instant>>,
    over: Cell<bool>,
}

impl Clock {
    pub fn new() -> Clock {
        Clock { origin: Instant::now(), deadline: Cell::new(None), over: Cell::new(false) }
    }

    /// A call begins.
    pub fn start(&self, time: Duration) {
        self.deadline.set(Some(Instant::now() + time));
        self.over.set(false);
    }

    /// Gives the call back what was not its own time.
    pub fn extend(&self, time: Duration) {
        self.deadline.set(self.deadline.get().map(|deadline| deadline + time));
    }

    /// The call has ended.
    pub fn stop(&self) {
        self.deadline.set(None);
    }

    /// Whether the time is over. Once it is, the call has failed, whatever the script makes of it.
    pub fn check(&self) -> bool {
        if !self.over.get() && self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline) {
            self.over.set(true);
        }
        self.over.get()
    }

    /// Whether the last call ran out of time.
    pub fn was_over(&self) -> bool {
        self.over.get()
    }

    /// Milliseconds of a clock that never goes back.
    pub fn now(&self) -> f64 {
        self.origin.elapsed().as_secs_f64() * 1000.0
    }

    /// Waits, at most until the deadline. False if that came first.
    pub fn sleep(&self, milliseconds: f64) -> bool {
        let wish = Duration::from_secs_f64(milliseconds.clamp(0.0, 3_600_000.0) / 1000.0);
        let left = self.deadline.get().map_or(wish, |deadline| deadline.saturating_duration_since(Instant::now()));
        std::thread::sleep(wish.min(left));
        !self.check()
    }
}
