//! The gateway's view of itself, over HTTP and WebSocket on loopback.

mod access;
mod audit;
mod events;
mod explain;
#[path = "../folder/mod.rs"]
mod folder;
mod metrics;
#[path = "../mock/mod.rs"]
mod mock;
#[path = "../serving/mod.rs"]
mod serving;
mod socket;
#[cfg(feature = "opentelemetry")]
mod trace;
mod world;
