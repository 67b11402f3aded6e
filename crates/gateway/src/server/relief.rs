//! Free memory goes back to the system. Allocators keep it for later, so that one
//! crowd of large answers would make the gateway large for good.

use std::time::Duration;

use polywire_hooks::worker::resident;
use polywire_ql::memory::Pool;

/// The time between two looks.
const EVERY: Duration = Duration::from_millis(500);

/// Bytes of memory below which nothing needs to go back.
const SMALL: u64 = 64 << 20;

/// Bytes that came, or were given back, since the last time, from which on it is worth the work.
const MUCH: u64 = 16 << 20;

/// The most looks between two times, where the last ones gave back little.
const PATIENCE: u32 = 64;

/// Decides when memory goes back.
#[derive(Debug, Default)]
struct Pace {
    /// Bytes of the process after the last time.
    resident: u64,
    /// Bytes of the pools that had been given back by then.
    returned: u64,
    /// Looks since then, and those to wait for.
    looks: u32,
    wait: u32,
}

impl Pace {
    /// Returns true if it is time. `resident` and `returned` are as of now.
    fn is_time(&mut self, resident: u64, returned: u64) -> bool {
        self.looks += 1;
        let changed = resident >= self.resident + MUCH || returned >= self.returned + MUCH;
        if changed {
            self.wait = 1;
        }
        resident > SMALL && self.looks > self.wait
    }

    /// Notes what it came to.
    fn done(&mut self, before: u64, resident: u64, returned: u64) {
        let little = before.saturating_sub(resident) < MUCH / 2;
        let wait = if little { (self.wait * 2).clamp(1, PATIENCE) } else { 0 };
        *self = Pace { resident, returned, looks: 0, wait };
    }
}

/// Calls `relief` when much memory may have become free. Never ends.
pub(super) async fn relieve(pools: &[&Pool], relief: fn()) {
    let mut pace = Pace::default();
    loop {
        tokio::time::sleep(EVERY).await;
        let returned = pools.iter().fold(0, |sum: u64, pool| sum.saturating_add(pool.returned()));
        let Some(before) = resident() else { continue };
        if pace.is_time(before, returned) {
            // It may take some milliseconds.
            let _ = tokio::task::spawn_blocking(relief).await;
            pace.done(before, resident().unwrap_or(before), returned);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn memory_goes_back_when_it_grew_and_when_much_was_freed() {
        let mut pace = Pace::default();
        assert!(!pace.is_time(40 * MB, 0));
        assert!((0..3).any(|_| pace.is_time(120 * MB, 0)));
        pace.done(120 * MB, 50 * MB, 0);
        assert!(!(0..100).any(|_| pace.is_time(60 * MB, 0)));
        assert!((0..3).any(|_| pace.is_time(100 * MB, 0)));
        // Nothing was free; it is looked at more and more rarely.
        let waits: Vec<usize> = (0..8)
            .map(|_| {
                pace.done(100 * MB, 100 * MB, 0);
                (0..).take_while(|_| !pace.is_time(100 * MB, 0)).count()
            })
            .collect();
        assert!(waits.is_sorted() && waits[0] <= 2 && waits[7] == PATIENCE as usize, "{waits:?}");
        pace.done(100 * MB, 100 * MB, 0);
        assert!((0..3).any(|_| pace.is_time(100 * MB, 20 * MB)));
    }
}
