//! The formats that Polywire speaks: one folder each, and one line each in the [`registry`].
#![forbid(unsafe_code)]

mod likeness;

pub mod ber;
pub mod cbor;
pub mod json;
pub mod msgpack;
pub mod payload;
pub mod registry;
pub mod xml;
