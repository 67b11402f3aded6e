//! The formats that Polywire speaks: one folder each, and one line each in the [`registry`].
#![forbid(unsafe_code)]

pub mod registry;
pub mod xml;
