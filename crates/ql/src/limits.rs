//! Limits of one execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use polywire_doc::Datum;

use crate::error::QueryError;
use crate::memory::Share;

/// Limits of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most requests that values add, over all calls (`maxNestedRequests`). They come of members
    /// of lists and of `foreach`, rows of a join's first side, and URIs of a hook.
    ///
    /// Literal lists and joins are cut to it, with a warning. Other calls that need more are
    /// refused.
    pub nested_requests: usize,
    /// Most rows of one result.
    pub rows: usize,
    /// Most units of work: values looked at, rows compared.
    pub work: u64,
    /// Most bytes of the values that the execution makes and of the replies that it reads, and of
    /// the result with everything that it shares written out.
    pub memory: u64,
    /// Most time that the execution takes, looked at while it evaluates. Waiting for replies ends
    /// when the future is dropped.
    pub time: Option<Duration>,
    /// Most calls of tables in one execution.
    pub calls: usize,
}

impl Limits {
    /// The usual limits.
    pub const DEFAULT: Limits =
        Limits { nested_requests: 50, rows: 1_000_000, work: 50_000_000, memory: 64 << 20, time: None, calls: 10_000 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// The resource that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// Units of work.
    Work,
    /// Bytes of values.
    Memory,
    /// Bytes of the values of all executions.
    Shared,
    /// Time.
    Time,
}

/// Bytes that a value takes in a list or an object, beside the text that it holds.
pub const SLOT: u64 = 32;

/// Units of work between two looks at the clock. A unit takes some ten nanoseconds.
const LOOK: u64 = 1 << 14;

/// Units of work after which other tasks have their turn: about a millisecond.
const TURN: u64 = 1 << 16;

/// Work, memory and time that are left.
#[derive(Debug)]
pub struct Work {
    steps: AtomicU64,
    /// Steps left at the last pause.
    paused: AtomicU64,
    bytes: AtomicU64,
    /// Bytes at the start.
    memory: u64,
    share: Arc<Share>,
    until: Option<Instant>,
}

impl Work {
    /// Makes a supply of work, without a limit of memory or time.
    pub fn new(steps: u64) -> Work {
        Work {
            steps: AtomicU64::new(steps),
            paused: AtomicU64::new(steps),
            bytes: AtomicU64::new(u64::MAX),
            memory: u64::MAX,
            share: Arc::default(),
            until: None,
        }
    }

    /// Makes the supply of one execution, which begins at `start`. Its memory counts as that of
    /// `share` too.
    pub fn of(limits: &Limits, start: Instant, share: Arc<Share>) -> Work {
        Work {
            steps: AtomicU64::new(limits.work),
            paused: AtomicU64::new(limits.work),
            bytes: AtomicU64::new(limits.memory),
            memory: limits.memory,
            share,
            until: limits.time.and_then(|time| start.checked_add(time)),
        }
    }

    /// Takes units of work.
    ///
    /// # Errors
    /// Fewer are left, or the time is over.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Exhausted> {
        let left = self.steps.load(Ordering::Relaxed);
        match left.checked_sub(steps) {
            // Two calls at the same time may count as one: the limit is approximate.
            Some(now) => {
                self.steps.store(now, Ordering::Relaxed);
                if left / LOOK == now / LOOK { Ok(()) } else { self.in_time() }
            }
            None => Err(Exhausted::Work),
        }
    }

    /// Takes bytes of memory.
    ///
    /// # Errors
    /// Fewer are left, for this execution or for all.
    #[inline]
    pub fn hold(&self, bytes: u64) -> Result<(), Exhausted> {
        let left = self.bytes.load(Ordering::Relaxed).checked_sub(bytes).ok_or(Exhausted::Memory)?;
        self.bytes.store(left, Ordering::Relaxed);
        self.share.grow(self.memory - left).map_err(|_| Exhausted::Shared)
    }

    /// Returns the memory that the values share with those of others.
    pub fn share(&self) -> Arc<Share> {
        self.share.clone()
    }

    /// Returns the bytes that are left.
    pub fn memory_left(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes the bytes of `count` values in a list or an object.
    ///
    /// # Errors
    /// Fewer are left.
    #[inline]
    pub fn hold_slots(&self, count: usize) -> Result<(), Exhausted> {
        self.hold((count as u64).saturating_mul(SLOT))
    }

    /// Takes the memory of a value by its weight, as if it shared nothing.
    ///
    /// # Errors
    /// Less is left.
    pub fn hold_made(&self, value: &Datum) -> Result<(), Exhausted> {
        self.hold(value.view().weight(self.bytes.load(Ordering::Relaxed)))
    }

    /// Lets other tasks of the thread run, if much work was done since the last pause.
    #[inline]
    pub async fn pause(&self) {
        let left = self.steps.load(Ordering::Relaxed);
        if self.paused.load(Ordering::Relaxed).saturating_sub(left) >= TURN {
            self.paused.store(left, Ordering::Relaxed);
            let mut polled = false;
            std::future::poll_fn(|context| {
                if std::mem::replace(&mut polled, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
    }

    /// Looks at the clock.
    ///
    /// # Errors
    /// The time is over.
    pub fn in_time(&self) -> Result<(), Exhausted> {
        if self.until.is_some_and(|until| Instant::now() > until) { Err(Exhausted::Time) } else { Ok(()) }
    }
}

/// Requests into which values may still multiply calls of tables, shared by all calls of an
/// execution. The first request of a call takes none.
#[derive(Debug, Clone)]
pub struct NestedRequests {
    left: Arc<AtomicUsize>,
    most: usize,
}

impl NestedRequests {
    /// Makes a supply of `most` requests.
    pub fn new(most: usize) -> NestedRequests {
        NestedRequests { left: Arc::new(AtomicUsize::new(most)), most }
    }

    /// Returns the number that the execution began with.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Takes up to `wanted` requests, and returns their number.
    pub fn take(&self, wanted: usize) -> usize {
        let mut left = self.left.load(Ordering::Relaxed);
        loop {
            let taken = wanted.min(left);
            match self.left.compare_exchange_weak(left, left - taken, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return taken,
                Err(now) => left = now,
            }
        }
    }

    /// Takes the requests of a call that makes `count`, beyond its first.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn multiply(&self, count: usize) -> Result<(), QueryError> {
        let more = count.saturating_sub(1);
        let taken = self.take(more);
        if taken == more {
            return Ok(());
        }
        self.left.fetch_add(taken, Ordering::Relaxed);
        let most = self.most;
        Err(QueryError::new(
            "too_many_requests",
            format!("{count} requests for one statement, and values may add {most} requests to an answer"),
        )
        .hint("ask for fewer values at once, or raise `maxNestedRequests` in config.json"))
    }

    /// Returns the number of requests that a call may make now.
    pub fn allowed(&self) -> usize {
        self.left.load(Ordering::Relaxed).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Pool;

    #[test]
    fn memory_and_time_end() {
        let limits = Limits { memory: 100, time: Some(Duration::ZERO), ..Limits::DEFAULT };
        let work = Work::of(&limits, Instant::now() - Duration::from_secs(1), Arc::default());
        assert_eq!(work.hold(60), Ok(()));
        assert_eq!(work.hold(60), Err(Exhausted::Memory));
        assert_eq!(work.hold_slots(usize::MAX), Err(Exhausted::Memory));
        assert_eq!(work.spend(LOOK), Err(Exhausted::Time));
        assert_eq!(work.spend(u64::MAX), Err(Exhausted::Work));
    }

    #[test]
    fn executions_share_memory() {
        let pool = Pool::new(1 << 20);
        let works: Vec<Work> = (0..2).map(|_| Work::of(&Limits::DEFAULT, Instant::now(), Arc::new(Share::of(&pool)))).collect();
        assert_eq!(works[0].hold(1 << 19), Ok(()));
        assert_eq!(works[0].hold(1 << 18), Ok(()));
        assert_eq!(works[1].hold(1 << 19), Err(Exhausted::Shared));
        drop(works);
        assert_eq!(pool.left(), 1 << 20);
    }

    #[test]
    fn nested_requests_are_shared() {
        let nested = NestedRequests::new(50);
        assert_eq!((nested.take(30), nested.clone().allowed()), (30, 21));
        assert!(nested.multiply(22).is_err());
        assert_eq!(nested.multiply(1).and_then(|()| nested.multiply(21)), Ok(()));
        assert_eq!((nested.take(1), nested.allowed()), (0, 1));
    }
}
