//! Not asking again at once where asking keeps failing (spec 8.10, D15).

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::Uri;
use tokio::time::Instant;

use super::error::Kind;
use super::message::Delays;

/// Failures in a row that are let pass.
const PATIENCE: u32 = 3;

/// So many failing targets are remembered. Where more fail, the rest are tried each time.
const MOST: usize = 10_000;

/// The targets, each a URI and a table, that failed the last time they were asked.
#[derive(Debug, Default)]
pub struct BackOff {
    failing: Mutex<HashMap<(String, String), Failing>>,
    /// How many there are: nearly always none, which is known without the lock.
    count: AtomicUsize,
}

#[derive(Debug, Clone, Copy)]
struct Failing {
    count: u32,
    since: Instant,
    delay: Duration,
}

impl BackOff {
    /// Whether a target may be asked now.
    pub fn check(&self, uri: &Uri, table: &str) -> Result<(), Kind> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match failing.get(&key(uri, table)) {
            Some(state) if state.since.elapsed() < state.delay => {
                let start = SystemTime::now().checked_sub(state.since.elapsed()).unwrap_or(UNIX_EPOCH);
                Err(Kind::BackOff { start, count: state.count, delay: state.delay })
            }
            _ => Ok(()),
        }
    }

    /// A target failed. Tells whether it is left alone from now on.
    pub fn failed(&self, uri: &Uri, table: &str, delays: Delays) -> bool {
        let now = Instant::now();
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        if failing.len() >= MOST {
            failing.retain(|_, state| state.since + state.delay > now);
        }
        let key = key(uri, table);
        if failing.len() >= MOST && !failing.contains_key(&key) {
            return false;
        }
        let state = failing.entry(key).or_insert(Failing { count: 0, since: now, delay: Duration::ZERO });
        // Requests that were on their way when the delay began say nothing new.
        let begins = now.duration_since(state.since) >= state.delay;
        if begins {
            state.count = state.count.saturating_add(1);
            if state.count > PATIENCE {
                (state.since, state.delay) = (now, delay(state.count - PATIENCE, delays, 1.0 + fastrand::f64()));
            }
        }
        let off = begins && state.count > PATIENCE;
        self.count.store(failing.len(), Ordering::Relaxed);
        off
    }

    /// A target replied.
    pub fn succeeded(&self, uri: &Uri, table: &str) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        failing.remove(&key(uri, table));
        self.count.store(failing.len(), Ordering::Relaxed);
    }
}

fn key(uri: &Uri, table: &str) -> (String, String) {
    (uri.to_string(), table.to_owned())
}

/// The delay of the `nth` back-off in a row, from 1: doubling each time.
fn delay(nth: u32, delays: Delays, factor: f64) -> Duration {
    let doubled = delays.min.saturating_mul(1 << (nth - 1).min(30));
    // The maximum first, so that the factor does not overflow.
    doubled.min(delays.max).mul_f64(factor.clamp(1.0, 2.0)).min(delays.max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const DELAYS: Delays = Delays { min: Duration::from_millis(500), max: Duration::from_secs(30) };

    #[test]
    fn delays_double() {
        let of = |nth, factor| delay(nth, DELAYS, factor).as_millis();
        assert_eq!([of(1, 1.0), of(2, 1.0), of(3, 1.0), of(1, 2.0)], [500, 1000, 2000, 1000]);
        assert_eq!([of(7, 1.0), of(40, 2.0), of(u32::MAX, 1.5)], [30_000; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn left_alone_after_the_fourth_failure_until_the_delay_is_over() {
        let backoff = BackOff::default();
        let (u, other) = (&Uri::from_static("http://u"), &Uri::from_static("http://other"));
        for _ in 0..3 {
            assert!(backoff.check(u, "t").is_ok());
            assert!(!backoff.failed(u, "t", DELAYS));
        }
        assert!(backoff.check(u, "t").is_ok());
        assert!(backoff.failed(u, "t", DELAYS));
        let Err(Kind::BackOff { count: 4, delay, .. }) = backoff.check(u, "t") else { panic!("not left alone") };
        assert!(delay >= DELAYS.min && delay <= 2 * DELAYS.min);
        // Those under way do not make it longer; other tables and URIs are not concerned.
        assert!(!backoff.failed(u, "t", DELAYS));
        assert!(backoff.check(u, "other").is_ok() && backoff.check(other, "t").is_ok());
        advance(2 * DELAYS.min).await;
        assert!(backoff.check(u, "t").is_ok());
        assert!(backoff.failed(u, "t", DELAYS));
        let Err(Kind::BackOff { count: 5, delay, .. }) = backoff.check(u, "t") else { panic!("not left alone") };
        assert!(delay >= 2 * DELAYS.min);
        backoff.succeeded(u, "t");
        assert!(backoff.check(u, "t").is_ok());
        assert_eq!(backoff.count.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let backoff = BackOff::default();
        for number in 0..MOST + 100 {
            backoff.failed(&format!("/{number}").parse().unwrap(), "t", DELAYS);
        }
        assert!(backoff.count.load(Ordering::Relaxed) <= MOST);
    }
}
