//! Events of exchanges, caches and decoders, and the trait of their observers.

use std::time::Duration;

/// Classes of the errors of exchanges, as they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The policy does not allow the call.
    Refused,
    /// An idle timeout or a deadline passed.
    TimedOut,
    /// The target is not tried while its back-off lasts.
    LeftAlone,
    /// Every other error.
    Other,
}

/// An event. It borrows, so that emitting it costs next to nothing.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request is sent; redirects and retries are requests of their own.
    Request {
        /// The host, without port.
        host: &'a str,
        /// Bytes of the body.
        sent: u64,
    },
    /// A whole reply came.
    Reply {
        /// The host of the last reply.
        host: &'a str,
        /// Its status.
        status: u16,
        /// Bytes of the body on the wire.
        received: u64,
        /// Bytes of the body without content coding.
        decoded: u64,
        /// The time from the call until the reply was whole.
        elapsed: Duration,
    },
    /// An exchange ended without a reply.
    Failed(ErrorClass),
    /// A select is tried again.
    Retried,
    /// A redirect is followed.
    Redirected,
    /// The back-off of a failing target begins.
    BackOff,
    /// A host that mostly failed is left alone from then on.
    CircuitOpened,
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
    /// A reply was shared by simultaneous callers.
    CacheShared,
    /// The cache failed or took too long: a miss.
    CacheFailed,
    /// A request got the reply of an equal one of the same script.
    Shared,
    /// A page was asked for, of rows that come in pages.
    Page,
    /// A request asked for several values at once.
    Batch {
        /// Their number.
        values: usize,
    },
    /// A reply of gRPC or Connect came, or one that should be.
    Rpc {
        /// The table; [`OF_SCRIPTS`] for all tables that callers make.
        table: &'a str,
        /// Name of its status.
        status: &'static str,
    },
    /// A request of a statement has ended, with its reply read or without one.
    Decoded {
        /// The table; [`OF_SCRIPTS`] for all tables that callers make.
        table: &'a str,
        /// Bytes of the body.
        bytes: u64,
        /// Bytes of it that were skipped.
        skipped: u64,
        /// True if the service or the reading failed.
        failed: bool,
    },
}

/// Stands for the tables that scripts of callers make: callers choose their names, without limit.
pub const OF_SCRIPTS: &str = "(script)";

/// Receives events. It must be quick: it is called where they happen.
pub trait Observer: Send + Sync {
    /// Receives one event.
    fn event(&self, event: Event<'_>);
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: Event<'_>) {}
}
