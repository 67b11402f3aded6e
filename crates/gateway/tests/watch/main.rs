//! What a gateway shows of itself, over HTTP and WebSocket on loopback.

mod access;
mod events;
mod explain;
mod metrics;
#[path = "../mock/mod.rs"]
mod mock;
mod socket;
#[cfg(feature = "opentelemetry")]
mod trace;
mod world;
