//! Protocol Buffers by schema at run time, and without one.
//!
//! - [`descriptor`] is `descriptor.proto` as plain structs: what compilers hand to each other, read from bytes and written as such.
//! - [`source`] reads a schema, as `.proto` text or as a descriptor set; [`format`] lays texts out.
//! - [`language`] is `.proto` as one of the toolkit's schema languages.
//! - [`compat`] tells what two versions of a schema mean to each other.
//! - [`model`] is a set of descriptors with names, features and defaults resolved: what the codec, code generators and the compatibility check work on.
//! - [`wire`] is how bytes are laid out, [`wire::framing`] how messages follow each other.
//! - [`plan`] makes the message types of a model ready for the wire.
//! - [`bind`] brings schemas to the formats, [`adopt`] those that were inferred.
//! - [`walk`] tells messages of a known type and writes them, [`json`] is their canonical JSON and [`text`] their text format, [`plain`] tells those of an unknown one.
//!
//! "Language guide" and "encoding" in this crate's comments are those of <https://protobuf.dev>; "descriptor.proto" is that of Protocol Buffers 31.
#![forbid(unsafe_code)]

pub mod adopt;
pub mod bind;
pub mod compat;
pub mod descriptor;
pub mod format;
pub mod json;
pub mod language;
pub mod model;
pub mod plain;
pub mod plan;
pub mod source;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
mod through;
pub mod walk;
pub mod wire;

pub use plain::{CONFLUENT, DELIMITED, FORMAT, GRPC, NAME};
