//! Protobuf: messages by schema at run time, and without one.
//!
//! - [`wire`] is how bytes are laid out, [`wire::framing`] how messages follow each other.
//! - [`plain`] tells messages without their schema, and has the lines of the registry.
#![forbid(unsafe_code)]

pub mod json;
pub mod model;
pub mod plain;
pub mod plan;
pub mod walk;
pub mod wire;

pub use plain::{CONFLUENT, DELIMITED, FORMAT, GRPC, NAME};
