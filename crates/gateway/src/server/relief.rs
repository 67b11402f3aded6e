//! Free memory goes back to the system. Allocators keep what was freed for a process that may want it
//! again, so that one crowd of large answers would make the gateway large for good.

use std::time::Duration;

use polywire_ql::memory::Pool;

/// The time between two looks.
const EVERY: Duration = Duration::from_millis(500);

/// Bytes that were given back since the last time, from which on it is worth the work.
const MUCH: u64 = 16 << 20;

/// Calls `relief` when much memory of the pools has become free. Never ends.
pub(super) async fn relieve(pools: &[&Pool], relief: fn()) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(EVERY).await;
        let returned = pools.iter().fold(0, |sum: u64, pool| sum.saturating_add(pool.returned()));
        if returned - seen >= MUCH {
            // It may take some milliseconds.
            let _ = tokio::task::spawn_blocking(relief).await;
            seen = returned;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use polywire_ql::memory::Share;

    use super::*;

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    #[tokio::test]
    async fn much_that_was_given_back_is_passed_on() {
        let pools = [Pool::new(1 << 30), Pool::new(1 << 30)];
        let work = async {
            Share::of(&pools[0]).grow(MUCH / 2).unwrap();
            tokio::time::sleep(2 * EVERY).await;
            assert_eq!(CALLS.load(Ordering::Relaxed), 0);
            Share::of(&pools[1]).grow(MUCH).unwrap();
            while CALLS.load(Ordering::Relaxed) == 0 {
                tokio::time::sleep(EVERY / 10).await;
            }
            tokio::time::sleep(3 * EVERY).await;
            assert_eq!(CALLS.load(Ordering::Relaxed), 1);
        };
        let looked_at = [&pools[0], &pools[1]];
        let relieved = relieve(&looked_at, || {
            CALLS.fetch_add(1, Ordering::Relaxed);
        });
        tokio::select! {
            () = work => {}
            () = relieved => {}
        }
    }
}
