//! Protobuf: messages by schema at run time, and without one.
//!
//! - [`wire`] is how bytes are laid out.
#![forbid(unsafe_code)]

pub mod wire;
