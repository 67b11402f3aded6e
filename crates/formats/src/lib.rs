//! The formats that Polywire speaks: one folder each, and one line each in the [`registry`].
#![forbid(unsafe_code)]

mod likeness;

pub mod cbor;
pub mod msgpack;
pub mod registry;
