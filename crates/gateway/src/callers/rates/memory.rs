//! Counts of this process.

use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use moka::sync::Cache;

use super::Verdict;
use crate::callers::rate::Rate;

/// The most subjects that are remembered. One that is forgotten begins with a whole burst.
const MOST: u64 = 100_000;

/// The time after which a subject that makes no request is forgotten.
const IDLE: Duration = Duration::from_secs(3600);

type Bucket = RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>;

/// Buckets by subject and rate.
pub(super) struct Memory {
    buckets: Cache<(Arc<str>, Rate), Arc<Bucket>>,
    clock: DefaultClock,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { buckets: Cache::builder().max_capacity(MOST).time_to_idle(IDLE).build(), clock: DefaultClock::default() }
    }

    /// Takes one request of a subject.
    pub fn take(&self, subject: &str, rate: Rate) -> Verdict {
        let bucket = self.buckets.get_with((Arc::from(subject), rate), || {
            let quota = Quota::with_period(Duration::from_micros(rate.interval())).unwrap_or_else(|| Quota::per_second(rate.requests));
            Arc::new(RateLimiter::direct_with_clock(quota.allow_burst(rate.most()), self.clock.clone()).with_middleware())
        });
        match bucket.check() {
            Ok(state) => Verdict { left: Some(state.remaining_burst_capacity()), wait: Duration::ZERO },
            Err(until) => Verdict { left: None, wait: until.wait_time_from(self.clock.now()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_and_then_the_rate() {
        let memory = Memory::new();
        let rate: Rate = serde_json::from_str(r#"{"requests": 3, "seconds": 3600}"#).unwrap();
        let lefts: Vec<_> = (0..4).map(|_| memory.take("a", rate).left).collect();
        assert_eq!(lefts, [Some(2), Some(1), Some(0), None]);
        let wait = memory.take("a", rate).wait;
        assert!(wait > Duration::from_secs(1190) && wait <= Duration::from_secs(1200), "{wait:?}");
        assert_eq!(memory.take("b", rate).left, Some(2), "each has its own");
        let small = Rate { burst: std::num::NonZeroU32::new(1), ..rate };
        assert_eq!([memory.take("c", small).left, memory.take("c", small).left], [Some(0), None]);
    }
}
