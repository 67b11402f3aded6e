//! Circuit breaker: a host that mostly fails is left alone by all tables, then tried by one request
//! (M. Nygard, "Release It!", Circuit Breaker).
//!
//! Back-off is kept by URI and table, and begins when one of them failed four times in a row. A
//! breaker counts all requests to a host, so that a service that is down costs each URI nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use foldhash::HashMap;
use http::Uri;
use http::uri::Authority;
use serde::Deserialize;
use tokio::time::Instant;

use super::error::ErrorKind;

/// The most hosts that are counted. Others are asked each time.
const MOST: usize = 4096;

/// The longest pause, as a multiple of the first.
const LONGEST: u32 = 8;

/// The setting `breaker`; times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Breaker {
    /// True if hosts that mostly fail are left alone.
    pub enabled: bool,
    /// The time over which requests are counted.
    pub window: u64,
    /// The requests from which on the share of failures counts.
    pub requests: u32,
    /// The share of failures, from 0 to 1, with which a pause begins.
    pub failures: f64,
    /// The first pause. Each that follows at once is twice as long, up to eight times.
    pub pause: u64,
}

impl Default for Breaker {
    fn default() -> Breaker {
        Breaker { enabled: true, window: 10_000, requests: 20, failures: 0.5, pause: 2_000 }
    }
}

/// The outcome of a request, as a breaker counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The host replied.
    Well,
    /// The host did not reply, or said that it cannot.
    Failed,
    /// Nothing is known of the host.
    Unknown,
}

/// The breakers of all hosts.
#[derive(Debug, Default)]
pub struct Breakers {
    settings: Breaker,
    hosts: Mutex<HashMap<Authority, Circuit>>,
    /// Hosts that are not closed, nearly always 0.
    troubled: AtomicUsize,
}

#[derive(Debug)]
struct Circuit {
    /// Counts of this half of the window, and of the one before.
    counts: [Counts; 2],
    turned: Instant,
    state: State,
    /// Pauses in a row.
    pauses: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    requests: u32,
    failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    /// Nobody asks until then.
    Open(Instant),
    /// One request is under way.
    Trial,
}

/// The permission to ask a host. Dropped without an outcome, it says nothing of the host.
#[derive(Debug)]
pub struct Pass {
    breakers: Arc<Breakers>,
    host: Option<Authority>,
    trial: bool,
}

impl Breakers {
    /// Makes breakers.
    pub fn new(settings: Breaker) -> Arc<Breakers> {
        Arc::new(Breakers { settings, ..Breakers::default() })
    }

    /// Returns the permission to ask the host of a URI.
    ///
    /// # Errors
    /// The host is left alone at this time.
    pub fn check(self: &Arc<Breakers>, uri: &Uri) -> Result<Pass, ErrorKind> {
        let mut pass = Pass { breakers: self.clone(), host: None, trial: false };
        if !self.settings.enabled {
            return Ok(pass);
        }
        let Some(authority) = uri.authority() else { return Ok(pass) };
        pass.host = Some(authority.clone());
        if self.troubled.load(Ordering::Relaxed) == 0 {
            return Ok(pass);
        }
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(circuit) = hosts.get_mut(authority) {
            let now = Instant::now();
            match circuit.state {
                State::Closed => {}
                State::Open(until) if now >= until => {
                    circuit.state = State::Trial;
                    pass.trial = true;
                }
                State::Open(until) => return Err(ErrorKind::CircuitOpen { wait: until - now }),
                State::Trial => return Err(ErrorKind::CircuitOpen { wait: Duration::ZERO }),
            }
        }
        Ok(pass)
    }

    /// Returns the number of hosts that are left alone, or tried by one request.
    pub fn troubled(&self) -> usize {
        self.troubled.load(Ordering::Relaxed)
    }

    /// Counts an outcome. Returns true if a pause begins.
    fn ended(&self, host: &Authority, trial: bool, outcome: Outcome) -> bool {
        let now = Instant::now();
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST && !hosts.contains_key(host) {
            let half = self.half();
            hosts.retain(|_, circuit| circuit.state != State::Closed || now.duration_since(circuit.turned) < 2 * half);
            if hosts.len() >= MOST {
                return false;
            }
        }
        let known = hosts.entry(host.clone());
        let circuit = known.or_insert_with(|| Circuit { counts: Default::default(), turned: now, state: State::Closed, pauses: 0 });
        let begins = match (trial, outcome) {
            (true, Outcome::Well) => {
                *circuit = Circuit { counts: Default::default(), turned: now, state: State::Closed, pauses: 0 };
                self.troubled.fetch_sub(1, Ordering::Relaxed);
                false
            }
            (true, Outcome::Failed) => {
                circuit.pauses = circuit.pauses.saturating_add(1);
                circuit.state = State::Open(now + self.pause(circuit.pauses));
                true
            }
            // The next request is the trial.
            (true, Outcome::Unknown) => {
                circuit.state = State::Open(now);
                false
            }
            (false, Outcome::Unknown) => false,
            (false, outcome) => circuit.state == State::Closed && self.count(circuit, now, outcome == Outcome::Failed),
        };
        drop(hosts);
        begins
    }

    /// Counts a request to a host that is not left alone. Returns true if a pause begins.
    fn count(&self, circuit: &mut Circuit, now: Instant, failed: bool) -> bool {
        let half = self.half();
        let passed = now.duration_since(circuit.turned);
        if passed >= half {
            let before = if passed < 2 * half { circuit.counts[0] } else { Counts::default() };
            circuit.counts = [Counts::default(), before];
            circuit.turned = now;
        }
        circuit.counts[0].requests += 1;
        circuit.counts[0].failures += u32::from(failed);
        let [now_half, before] = circuit.counts;
        let (requests, failures) = (now_half.requests + before.requests, now_half.failures + before.failures);
        if !failed || requests < self.settings.requests || f64::from(failures) < self.settings.failures * f64::from(requests) {
            return false;
        }
        circuit.pauses = 1;
        circuit.state = State::Open(now + self.pause(1));
        self.troubled.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn half(&self) -> Duration {
        Duration::from_millis(self.settings.window / 2).max(Duration::from_millis(1))
    }

    /// Returns the length of a pause, by its number in a row, with up to a fifth more, so that
    /// replicas do not try at the same time.
    fn pause(&self, number: u32) -> Duration {
        let times = 1_u32.checked_shl(number.saturating_sub(1)).unwrap_or(LONGEST).clamp(1, LONGEST);
        Duration::from_millis(self.settings.pause).saturating_mul(times).mul_f64(1.0 + 0.2 * fastrand::f64())
    }
}

impl Pass {
    /// Counts the outcome of the request. Returns true if a pause of the host begins.
    pub fn ended(mut self, outcome: Outcome) -> bool {
        match self.host.take() {
            Some(host) => self.breakers.ended(&host, self.trial, outcome),
            None => false,
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(host) = self.host.take().filter(|_| self.trial) {
            self.breakers.ended(&host, true, Outcome::Unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    fn breakers() -> Arc<Breakers> {
        Breakers::new(Breaker { window: 10_000, requests: 10, failures: 0.5, pause: 1_000, enabled: true })
    }

    fn ask(breakers: &Arc<Breakers>, uri: &Uri, outcome: Outcome) -> Option<bool> {
        breakers.check(uri).ok().map(|pass| pass.ended(outcome))
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_is_left_alone_then_tried_once() {
        let (breakers, uri) = (breakers(), &Uri::from_static("http://h:81/a"));
        for _ in 0..5 {
            assert_eq!(ask(&breakers, uri, Outcome::Well), Some(false));
            assert_eq!(ask(&breakers, uri, Outcome::Unknown), Some(false));
        }
        for _ in 0..4 {
            assert_eq!(ask(&breakers, uri, Outcome::Failed), Some(false));
        }
        assert_eq!(ask(&breakers, uri, Outcome::Failed), Some(true));
        let Err(ErrorKind::CircuitOpen { wait }) = breakers.check(uri) else { panic!("not left alone") };
        assert!(wait >= Duration::from_millis(999) && wait <= Duration::from_millis(1_200), "{wait:?}");
        // Other paths of the host too, other hosts not.
        assert!(breakers.check(&Uri::from_static("http://h:81/b")).is_err());
        assert!(breakers.check(&Uri::from_static("http://h:82/a")).is_ok());
        advance(Duration::from_millis(1_300)).await;
        let trial = breakers.check(uri).unwrap();
        assert!(trial.trial && breakers.check(uri).is_err());
        assert!(trial.ended(Outcome::Failed));
        let Err(ErrorKind::CircuitOpen { wait }) = breakers.check(uri) else { panic!("not left alone") };
        assert!(wait >= Duration::from_millis(1_999), "{wait:?}");
        advance(Duration::from_millis(2_500)).await;
        // A trial that says nothing leaves the next one to try.
        drop(breakers.check(uri).unwrap());
        assert_eq!(ask(&breakers, uri, Outcome::Well), Some(false));
        assert_eq!((ask(&breakers, uri, Outcome::Failed), breakers.troubled()), (Some(false), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_long_ago_do_not_count() {
        let (breakers, uri) = (breakers(), &Uri::from_static("http://h/"));
        for _ in 0..9 {
            assert_eq!(ask(&breakers, uri, Outcome::Failed), Some(false));
        }
        advance(Duration::from_secs(11)).await;
        for _ in 0..9 {
            assert_eq!(ask(&breakers, uri, Outcome::Failed), Some(false));
        }
        assert_eq!(ask(&breakers, uri, Outcome::Failed), Some(true));
        assert_eq!(breakers.troubled(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_and_hosts_are_bounded() {
        let breakers = breakers();
        assert!((1..100).all(|number| breakers.pause(number) <= Duration::from_millis(9_600)));
        for number in 0..MOST + 50 {
            ask(&breakers, &format!("http://h{number}/").parse().unwrap(), Outcome::Failed);
        }
        assert!(breakers.hosts.lock().unwrap().len() <= MOST);
        let off = Breakers::new(Breaker { enabled: false, ..Breaker::default() });
        let uri = Uri::from_static("http://h/");
        assert!((0..100).all(|_| ask(&off, &uri, Outcome::Failed) == Some(false)));
    }
}
