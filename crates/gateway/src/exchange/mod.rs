//! Requests to services and their replies: docs/spec/ql.md 8, safe by default.
//!
//! [`client::Client`] sends a [`message::Request`] and returns a [`message::Response`] whose body
//! is whole, decoded and within the limits. On the way:
//!
//! - [`policy`] decides which hosts may be called, and checks each connected address, on every
//!   redirect too;
//! - [`connect`] opens connections, by [`proxy`] where the configuration says so;
//! - [`certificates`] are read from files;
//! - [`bounds`] are a deadline and a limit that the exchanges of one answer share;
//! - [`watch`] ends exchanges that take too long, [`body`] those that are too large, [`coding`]
//!   removes compression;
//! - [`redirect`], [`backoff`], [`breaker`] and [`retry`] decide whether to go on;
//! - [`tape`] keeps exchanges as files, or answers from them.
//!
//! Pure helpers for makers of requests: [`headers`], [`request_id`], [`multipart`], [`basic`].

pub mod backoff;
pub mod basic;
pub mod body;
pub mod bounds;
pub mod breaker;
pub mod certificates;
pub mod client;
pub mod coding;
pub mod connect;
pub mod error;
pub mod head;
pub mod headers;
pub mod message;
pub mod multipart;
pub mod options;
pub mod policy;
pub mod proxy;
pub mod redirect;
pub mod request_id;
pub mod retry;
mod span;
pub mod tape;
pub mod watch;
