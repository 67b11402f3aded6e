//! Counts events, for an exposition of metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::event::{ErrorClass, Event, Observer};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts since the start.
        #[derive(Debug, Default)]
        pub struct Counters { $($name: AtomicU64,)* }

        /// The counts at one moment.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Snapshot { $($(#[$doc])* pub $name: u64,)* }

        impl Counters {
            /// Returns the counts. Each is exact, but events may come between them.
            pub fn snapshot(&self) -> Snapshot {
                Snapshot { $($name: self.$name.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Requests sent.
    requests,
    /// Whole replies.
    replies,
    /// Exchanges that ended without a reply.
    failures,
    /// Failures by the policy.
    refused,
    /// Failures by timeouts and deadlines.
    timeouts,
    /// Failures by targets that were not tried during a back-off.
    left_alone,
    /// Bytes of bodies sent.
    sent,
    /// Bytes of bodies received, as on the wire.
    received,
    /// Bytes of bodies received, without content coding.
    decoded,
    /// Bytes of bodies that were skipped.
    skipped,
    /// Retries.
    retries,
    /// Redirects followed.
    redirects,
    /// Back-offs begun.
    backoffs,
    /// Pauses of hosts begun.
    circuits,
    /// Connections opened.
    connected,
    /// Connections closed.
    disconnected,
    /// Replies from the cache.
    cache_hits,
    /// Replies that the cache did not have.
    cache_misses,
    /// Replies put into the cache.
    cache_stored,
    /// Replies shared by simultaneous callers.
    cache_shared,
    /// Failures of the cache.
    cache_failures,
    /// Replies shared by equal requests of one script.
    shared,
    /// Pages asked for.
    pages,
    /// Requests that asked for several values at once.
    batches,
    /// Values that these asked for.
    batched_values,
}

impl Snapshot {
    /// Returns the connections open at that moment.
    pub fn open(&self) -> u64 {
        self.connected.saturating_sub(self.disconnected)
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

impl Observer for Counters {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Request { sent, .. } => {
                add(&self.requests, 1);
                add(&self.sent, sent);
            }
            Event::Reply { received, decoded, .. } => {
                add(&self.replies, 1);
                add(&self.received, received);
                add(&self.decoded, decoded);
            }
            Event::Failed(class) => {
                add(&self.failures, 1);
                match class {
                    ErrorClass::Refused => add(&self.refused, 1),
                    ErrorClass::TimedOut => add(&self.timeouts, 1),
                    ErrorClass::LeftAlone => add(&self.left_alone, 1),
                    ErrorClass::Other => {}
                }
            }
            Event::Retried => add(&self.retries, 1),
            Event::Redirected => add(&self.redirects, 1),
            Event::BackOff => add(&self.backoffs, 1),
            Event::CircuitOpened => add(&self.circuits, 1),
            Event::Connected => add(&self.connected, 1),
            Event::Disconnected => add(&self.disconnected, 1),
            Event::CacheHit => add(&self.cache_hits, 1),
            Event::CacheMiss => add(&self.cache_misses, 1),
            Event::CacheStored => add(&self.cache_stored, 1),
            Event::CacheShared => add(&self.cache_shared, 1),
            Event::CacheFailed => add(&self.cache_failures, 1),
            Event::Shared => add(&self.shared, 1),
            Event::Page => add(&self.pages, 1),
            Event::Batch { values } => {
                add(&self.batches, 1);
                add(&self.batched_values, values as u64);
            }
            // Counted by status, with the metrics.
            Event::Rpc { .. } => {}
            Event::Decoded { skipped, .. } => add(&self.skipped, skipped),
        }
    }
}
