//! Retries of requests that services refuse for now, within a budget.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

/// The longest wait that a reply may ask for by `Retry-After` (RFC 9110 10.2.3). A service that
/// wants more is not tried again.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most retries that are saved up, in requests.
const SAVED: f64 = 20.0;

/// The setting `retry`; times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Retry {
    /// Statuses from 500 on after which a select is tried again, such as 502, 503 and 504.
    pub statuses: Vec<u16>,
    /// The most retries of a request.
    pub most: u32,
    /// Retries that each request adds to what all of them may spend.
    pub budget: f64,
    /// The first wait. Each that follows is twice as long; all are at random between half and the
    /// whole of it.
    pub wait: u64,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry { statuses: Vec::new(), most: 2, budget: 0.1, wait: 100 }
    }
}

/// The retries of a client.
#[derive(Debug)]
pub struct Retries {
    settings: Retry,
    saved: Mutex<f64>,
}

impl Retries {
    /// Makes the retries of a client.
    pub fn new(settings: Retry) -> Retries {
        Retries { settings, saved: Mutex::new(SAVED) }
    }

    /// Counts a request, which adds to the budget.
    pub fn asked(&self) {
        if !self.settings.statuses.is_empty() {
            let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
            *saved = (*saved + self.settings.budget.clamp(0.0, 1.0)).min(SAVED);
        }
    }

    /// Returns the wait before another try of a request that may be repeated, was replied with
    /// `status`, and has been tried again `before` times. None says that it is not tried again.
    pub fn wait(&self, status: StatusCode, headers: &HeaderMap, before: u32) -> Option<Duration> {
        let listed = status.is_server_error() && self.settings.statuses.contains(&status.as_u16());
        if !listed || before >= self.settings.most {
            return None;
        }
        let asked = match headers.get(RETRY_AFTER) {
            // A date, or nothing that can be read, is no moment.
            Some(value) => Duration::from_secs(value.to_str().ok()?.trim().parse().ok()?),
            None => Duration::ZERO,
        };
        if asked > PATIENCE {
            return None;
        }
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if *saved < 1.0 {
            return None;
        }
        *saved -= 1.0;
        let doubled = Duration::from_millis(self.settings.wait).saturating_mul(1 << before.min(10));
        Some(doubled.min(PATIENCE).mul_f64(0.5 + 0.5 * fastrand::f64()).max(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(RETRY_AFTER, http::HeaderValue::from_static(value))])
    }

    #[test]
    fn only_what_is_listed_and_for_a_moment() {
        let retries = Retries::new(Retry { statuses: vec![503, 404], ..Retry::default() });
        let none = HeaderMap::new();
        let wait = |status: u16, headers: &HeaderMap, before| retries.wait(StatusCode::from_u16(status).unwrap(), headers, before);
        for before in 0..2 {
            let waited = wait(503, &none, before).unwrap();
            assert!(waited >= Duration::from_millis(50 << before) && waited <= Duration::from_millis(100 << before), "{waited:?}");
        }
        assert_eq!(wait(503, &none, 2), None);
        assert_eq!(wait(500, &none, 0), None);
        // No answer to a caller's mistake changes by asking again.
        assert_eq!(wait(404, &none, 0), None);
        assert_eq!(wait(503, &after("1"), 0), Some(Duration::from_secs(1)));
        assert_eq!(wait(503, &after("3600"), 0), None);
        assert_eq!(wait(503, &after("Fri, 31 Dec 1999 23:59:59 GMT"), 0), None);
        assert_eq!(Retries::new(Retry::default()).wait(StatusCode::SERVICE_UNAVAILABLE, &none, 0), None);
    }

    #[test]
    fn a_budget_ends_retries_until_others_are_asked() {
        let retries = Retries::new(Retry { statuses: vec![503], ..Retry::default() });
        let wait = || retries.wait(StatusCode::SERVICE_UNAVAILABLE, &HeaderMap::new(), 0);
        assert_eq!((0..100).filter(|_| wait().is_some()).count(), 20);
        (0..11).for_each(|_| retries.asked());
        assert_eq!((0..10).filter(|_| wait().is_some()).count(), 1);
    }
}
