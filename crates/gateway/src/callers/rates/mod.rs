//! Requests that a caller may make in a time, by the generic cell rate algorithm: they are spread
//! evenly, with a burst at most.
//!
//! | file | holds |
//! |---|---|
//! | `memory` | counts of this process |
//! | `remote` | counts in Redis, which all replicas share |
//! | `address` | the address of a caller, behind proxies too |

mod address;
mod memory;
mod remote;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;

use super::rate::Rate;
use super::settings::Rates;
use crate::cache::remote::Trust;
use memory::Memory;
use remote::Remote;

/// The decision about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Requests that may come now; `None` means that this one may not.
    pub left: Option<u32>,
    /// The time until the next one may come, if this may not.
    pub wait: Duration,
}

/// A rate that a request was counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// `caller` or `address`.
    pub by: &'static str,
    /// The rate.
    pub rate: Rate,
    /// The decision.
    pub verdict: Verdict,
}

/// The rates of a gateway.
pub struct Limiter {
    settings: Rates,
    memory: Memory,
    remote: Option<Remote>,
}

impl Limiter {
    /// Makes the rates of the configuration. `trust` is for Redis with TLS.
    ///
    /// # Errors
    /// The store is neither `memory` nor a URL of Redis.
    pub fn new(settings: &Rates, trust: &Trust) -> Result<Limiter, String> {
        let remote = match settings.store.as_deref() {
            None | Some("memory") => None,
            Some(url) => Some(Remote::new(url, trust).map_err(|error| format!("rates: `store`: {}", error.0))?),
        };
        Ok(Limiter { settings: settings.clone(), memory: Memory::new(), remote })
    }

    /// Returns true if these are the rates of `settings`.
    pub fn are_of(&self, settings: &Rates) -> bool {
        self.settings == *settings
    }

    /// Returns true if requests are counted for addresses.
    pub fn by_address(&self) -> bool {
        self.settings.per_address.is_some()
    }

    /// Counts a request of an address, if there is a rate for that.
    pub async fn address(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Option<Counted> {
        let rate = self.settings.per_address?;
        let subject = address::subject(peer?.ip(), headers, &self.settings.proxies);
        Some(Counted { by: "address", rate, verdict: self.take(&format!("a:{subject}"), rate).await })
    }

    /// Counts a request of a caller by its name, if there is a rate for it.
    pub async fn caller(&self, name: &Arc<str>, own: Option<Rate>) -> Option<Counted> {
        let rate = own.or(self.settings.per_caller)?;
        Some(Counted { by: "caller", rate, verdict: self.take(&format!("c:{name}"), rate).await })
    }

    /// Takes one request. The process counts by itself while Redis does not answer.
    async fn take(&self, subject: &str, rate: Rate) -> Verdict {
        if let Some(remote) = &self.remote
            && let Some(verdict) = remote.take(subject, rate).await
        {
            return verdict;
        }
        self.memory.take(subject, rate)
    }
}

impl Counted {
    /// Returns the header `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
    pub fn policy(&self) -> String {
        format!("\"{}\";q={};w={}", self.by, self.rate.requests, self.rate.seconds)
    }

    /// Returns the header `RateLimit`: requests left now, and the seconds until one more.
    pub fn state(&self) -> String {
        format!("\"{}\";r={};t={}", self.by, self.verdict.left.unwrap_or(0), self.seconds())
    }

    /// Returns the whole seconds until the next request may come.
    pub fn seconds(&self) -> u64 {
        let wait = if self.verdict.left.is_some() { Duration::from_micros(self.rate.interval()) } else { self.verdict.wait };
        u64::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u64::MAX).max(1)
    }
}
