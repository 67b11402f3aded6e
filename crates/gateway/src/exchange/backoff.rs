//! Back-off: a pause before a failing target is asked again (docs/spec/ql.md 8.10, ql-D15).

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::Uri;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::error::ErrorKind;
use super::message::Delays;

/// Errors in a row without a pause.
const PATIENCE: u32 = 3;

/// The most failing targets that are remembered. Others are tried each time.
const MOST: usize = 10_000;

/// The longest time between two errors that count together, even where the longest delay is
/// shorter.
const TOGETHER: Duration = Duration::from_secs(60);

/// Failing targets, each a URI and a table.
#[derive(Debug, Default)]
pub struct BackOff {
    failing: Mutex<Targets>,
    /// Their number, nearly always 0, which is read without the lock.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Targets {
    /// By a digest, so that each takes the same memory, however long its URI is.
    known: HashMap<Key, Failing>,
    /// The next time to drop targets that nobody asks any more.
    tidy: Option<Instant>,
}

type Key = [u8; 16];

#[derive(Debug, Clone, Copy)]
struct Failing {
    count: u32,
    since: Instant,
    delay: Duration,
    /// The time to forget it: the longest delay after its last delay or error.
    until: Instant,
}

impl BackOff {
    /// Checks that a target may be asked at this time.
    pub fn check(&self, uri: &Uri, table: &str) -> Result<(), ErrorKind> {
        if self.count.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match failing.known.get(&key(uri, table)) {
            Some(state) if state.since.elapsed() < state.delay => {
                let start = SystemTime::now().checked_sub(state.since.elapsed()).unwrap_or(UNIX_EPOCH);
                Err(ErrorKind::BackOff { start, count: state.count, delay: state.delay })
            }
            _ => Ok(()),
        }
    }

    /// Records an error of a target. Returns true if its pause begins.
    pub fn failed(&self, uri: &Uri, table: &str, delays: Delays) -> bool {
        let now = Instant::now();
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let Targets { known, tidy } = &mut *failing;
        if known.len() >= MOST || tidy.is_some_and(|tidy| tidy <= now) {
            known.retain(|_, state| state.until > now);
            *tidy = None;
        }
        let key = key(uri, table);
        if known.len() >= MOST && !known.contains_key(&key) {
            return false;
        }
        let new = Failing { count: 0, since: now, delay: Duration::ZERO, until: now };
        let state = known.entry(key).or_insert(new);
        if state.until <= now {
            *state = new;
        }
        // Requests that were in flight when the delay began say nothing new.
        let begins = now.duration_since(state.since) >= state.delay;
        if begins {
            state.count = state.count.saturating_add(1);
            if state.count > PATIENCE {
                (state.since, state.delay) = (now, delay(state.count - PATIENCE, delays, 1.0 + fastrand::f64()));
            }
            state.until = now + state.delay + delays.max.max(TOGETHER);
        }
        tidy.get_or_insert(state.until);
        let off = begins && state.count > PATIENCE;
        self.count.store(known.len(), Ordering::Relaxed);
        off
    }

    /// Records a reply of a target.
    pub fn succeeded(&self, uri: &Uri, table: &str) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        failing.known.remove(&key(uri, table));
        self.count.store(failing.known.len(), Ordering::Relaxed);
    }
}

/// Returns half a digest of both: a collision is out of reach.
fn key(uri: &Uri, table: &str) -> Key {
    let mut digest = Sha256::new();
    digest.update((table.len() as u64).to_le_bytes());
    digest.update(table);
    digest.update(uri.to_string());
    let digest: [u8; 32] = digest.finalize().into();
    let mut key = Key::default();
    key.copy_from_slice(&digest[..size_of::<Key>()]);
    key
}

/// Returns the delay of the `nth` back-off in a row, from 1: it doubles each time.
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
        let Err(ErrorKind::BackOff { count: 4, delay, .. }) = backoff.check(u, "t") else { panic!("not left alone") };
        assert!(delay >= DELAYS.min && delay <= 2 * DELAYS.min);
        // Requests in flight do not make it longer; other tables and URIs are not concerned.
        assert!(!backoff.failed(u, "t", DELAYS));
        assert!(backoff.check(u, "other").is_ok() && backoff.check(other, "t").is_ok());
        advance(2 * DELAYS.min).await;
        assert!(backoff.check(u, "t").is_ok());
        assert!(backoff.failed(u, "t", DELAYS));
        let Err(ErrorKind::BackOff { count: 5, delay, .. }) = backoff.check(u, "t") else { panic!("not left alone") };
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
        assert_eq!(backoff.count.load(Ordering::Relaxed), MOST);
        // Targets that nobody asks any more are dropped.
        advance(TOGETHER).await;
        backoff.failed(&Uri::from_static("/"), "t", DELAYS);
        assert_eq!(backoff.count.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn failures_long_ago_do_not_count() {
        let (backoff, u) = (BackOff::default(), &Uri::from_static("http://u"));
        for _ in 0..10 {
            assert!(!backoff.failed(u, "t", DELAYS));
            advance(TOGETHER).await;
        }
    }
}
