//! What a gateway shows of itself. What there is to count are events of exchanges and caches, told to an [`Observer`].
//!
//! | file | holds |
//! |---|---|
//! | `counters` | events as numbers |
//! | `metrics` | the numbers of a gateway in Prometheus' text format |
//! | `access` | the access log |
//! | `trace` | spans of requests and exchanges |
//! | `export` | spans to a collector, with the feature `opentelemetry` |

mod access;
mod counters;
#[cfg(feature = "opentelemetry")]
pub mod export;
mod metrics;
pub(crate) mod trace;

pub use access::{AccessLog, Line, Place};
pub use counters::{Counters, Snapshot};
pub use metrics::{Answered, Counted, Elsewhere, Gauge, MEDIA_TYPE, Metrics};

use std::time::Duration;

use crate::exchange::error::Error;

/// Something that happened. Borrowed, so that telling it costs next to nothing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request goes out; redirects and second tries are requests of their own.
    Request {
        /// The host, without port.
        host: &'a str,
        /// Bytes of the body.
        sent: u64,
    },
    /// A whole reply came.
    Reply {
        /// The host that replied in the end.
        host: &'a str,
        /// Its status.
        status: u16,
        /// Bytes of the body on the wire.
        received: u64,
        /// Bytes of the body without content coding.
        decoded: u64,
        /// From the call until the reply was whole.
        elapsed: Duration,
    },
    /// An exchange ended without a reply.
    Failed(&'a Error),
    /// A select is tried a second time.
    Retried,
    /// A redirect is followed.
    Redirected,
    /// A target failed so often that it is left alone for a while.
    BackOff,
    /// A connection was opened.
    Connected,
    /// A connection was closed.
    Disconnected,
    /// A reply was taken from the cache.
    CacheHit,
    /// A reply was not in the cache.
    CacheMiss,
    /// A reply was put into the cache.
    CacheStored,
    /// A reply was shared with others who asked for the same at the same time.
    CacheShared,
    /// The cache failed, or took too long: a miss.
    CacheFailed,
    /// A request of a statement came to its end: its reply was read, or there was none.
    Decoded {
        /// The table; [`OF_SCRIPTS`] for all that callers make.
        table: &'a str,
        /// Bytes of the body.
        bytes: u64,
        /// Bytes of it that were stepped over.
        skipped: u64,
        /// Whether it failed, by the service or in the reading.
        failed: bool,
    },
}

/// The target of what hooks log.
pub const HOOK_LOG: &str = "polywire_hooks::log";

/// Stands for the tables that scripts of callers make: their names are the callers', and without end.
pub const OF_SCRIPTS: &str = "(script)";

/// Is told of events. It must be quick: it is called where they happen.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, event: Event<'_>);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: Event<'_>) {}
}
