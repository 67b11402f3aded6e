//! What there is to count: events of exchanges and caches, told to an [`Observer`].

mod counters;

pub use counters::{Counters, Snapshot};

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
}

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
