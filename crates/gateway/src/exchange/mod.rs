//! Requests to services and their replies: section 8 of `spec/ql.md`, safe by default.
//!
//! [`client::Client`] sends a [`message::Request`] and gives a [`message::Response`] whose body is whole, decoded and within the limits. On the way:
//!
//! - [`policy`] says which hosts may be called, and holds the address that was connected against it, on every redirect too;
//! - [`connect`] opens connections, by [`proxy`] where the configuration says so;
//! - [`certificates`] are read from files;
//! - [`watch`] ends what takes too long, [`body`] what is too long, [`coding`] takes compression off;
//! - [`redirect`] and [`backoff`] decide whether to go on;
//! - [`tape`] keeps exchanges as files, or answers from them.
//!
//! Pure helpers for those who make requests: [`headers`], [`request_id`], [`multipart`], [`basic`]. [`secrets`] knows what must not be shown.

pub mod answer;
pub mod backoff;
pub mod basic;
pub mod body;
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
mod span;
pub mod tape;
pub mod watch;
