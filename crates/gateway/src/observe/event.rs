//! Events of exchanges, caches and decoders, and the trait of their observers.

use std::time::Duration;

/// Why an exchange ended without a reply, as far as it is counted.
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
    Failed(ErrorClass),
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
