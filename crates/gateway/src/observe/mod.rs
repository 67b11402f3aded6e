//! The gateway's view of itself. Exchanges and caches emit events to an [`Observer`].
//!
//! | file | holds |
//! |---|---|
//! | `event` | events, and who observes them |
//! | `counters` | events as numbers |
//! | `metrics` | the numbers of a gateway in Prometheus' text format |
//! | `access` | the access log |
//! | `trace` | spans of requests and exchanges |
//! | `export` | spans to a collector, with the feature `opentelemetry` |

mod access;
mod counters;
mod event;
#[cfg(feature = "opentelemetry")]
pub mod export;
mod metrics;
pub(crate) mod trace;

pub use access::{AccessLog, Line, Place};
pub use counters::{Counters, Snapshot};
pub use event::{ErrorClass, Event, OF_SCRIPTS, Observer, Silent};
pub use metrics::{Answered, Counted, Elsewhere, Gauge, MEDIA_TYPE, Metrics};
pub use trace::HOOK_LOG;
