//! The gateway's view of itself. Exchanges and caches emit events to an [`Observer`].
//!
//! | file | holds |
//! |---|---|
//! | `event` | events, and who observes them |
//! | `counters` | events as numbers |
//! | `metrics` | the numbers of a gateway in Prometheus' text format |
//! | `lines` | logs of lines of JSON |
//! | `access` | the access log |
//! | `slow` | the log of slow queries |
//! | `audit` | the audit log |
//! | `trace` | spans of requests and exchanges |
//! | `export` | spans to a collector, with the feature `opentelemetry` |

mod access;
mod audit;
mod counters;
mod event;
#[cfg(feature = "opentelemetry")]
pub mod export;
mod lines;
mod metrics;
mod slow;
pub(crate) mod trace;

pub use access::Line;
pub use audit::{Audited, AuditedRequest};
pub use counters::{Counters, Snapshot};
pub use event::{ErrorClass, Event, OF_SCRIPTS, Observer, Silent};
pub use lines::{Log, Place};
pub use metrics::{Answered, Counted, Elsewhere, Gauge, MEDIA_TYPE, Metrics};
pub use slow::SlowQuery;
pub use trace::HOOK_LOG;
