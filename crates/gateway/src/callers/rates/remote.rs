//! Counts in Redis, which all replicas share. One script reads, decides and writes, so requests at
//! the same time are counted one by one.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::Verdict;
use crate::cache::StoreError;
use crate::cache::remote::{Remote as Server, Trust};
use crate::callers::rate::Rate;

/// Prefix of all keys.
const PREFIX: &str = "polywire:rate:";

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time for which a server that failed is left alone.
const ALONE: Duration = Duration::from_secs(1);

/// The generic cell rate algorithm, by the server's clock, in microseconds. The key holds the time
/// of a full bucket. The arguments are the interval of a request and the burst.
/// The answer is 1 or 0, the requests left, and the wait.
const SCRIPT: &str = "\
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local next = full + interval
local early = next - interval * burst - now
if early > 0 then return {0, 0, early} end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000))
return {1, math.floor(-early / interval), 0}";

/// Counts on a server.
pub(super) struct Remote {
    server: Server,
    failed: Mutex<Option<Instant>>,
}

impl Remote {
    pub fn new(url: &str, trust: &Trust) -> Result<Remote, StoreError> {
        Ok(Remote { server: Server::new(url, trust)?, failed: Mutex::new(None) })
    }

    /// Takes one request of a subject. Returns nothing if the server does not answer.
    pub async fn take(&self, subject: &str, rate: Rate) -> Option<Verdict> {
        let failed = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_some_and(|failed| failed.elapsed() < ALONE) {
            return None;
        }
        let mut command = redis::cmd("EVAL");
        command.arg(SCRIPT).arg(1).arg(format!("{PREFIX}{subject}")).arg(rate.interval()).arg(rate.most().get());
        let asked = tokio::time::timeout(PATIENCE, self.server.run::<(u8, u64, u64)>(command)).await;
        let answer = asked.ok().and_then(Result::ok);
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = if answer.is_none() { Some(Instant::now()) } else { None };
        let (permitted, left, wait) = answer?;
        let left = (permitted == 1).then(|| u32::try_from(left).unwrap_or(u32::MAX));
        Some(Verdict { left, wait: Duration::from_micros(wait) })
    }
}
