//! The whole server under faults, over HTTP: each ends in a clear error or in a degraded answer,
//! and the next request is answered.

#[path = "../exchange/backend.rs"]
mod backend;
mod cache;
mod callers;
mod edge;
#[path = "../folder/mod.rs"]
mod folder;
mod hooks;
mod itself;
mod rapid_reset;
#[path = "../exchange/redis_server.rs"]
mod redis_server;
mod server;
mod services;
#[path = "../serving/mod.rs"]
mod serving;
mod tables;
