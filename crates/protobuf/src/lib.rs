//! Protocol Buffers by schema at run time, and without one.
//!
//! - [`descriptor`] holds `descriptor.proto` as plain structs, which compilers exchange; it reads
//!   and writes their bytes.
//! - [`source`] reads a schema, from `.proto` text or from a descriptor set; [`source::layout`]
//!   formats texts.
//! - [`language`] makes `.proto` one of the toolkit's schema languages.
//! - [`compat`] compares two versions of a schema.
//! - [`model`] is a set of descriptors with names, features and defaults resolved. The codec, code
//!   generators and the compatibility check work on it.
//! - [`wire`] reads and writes the byte layout, [`wire::framing`] the frames around messages.
//! - [`plan`] prepares the message types of a model for the wire.
//! - [`bind`] binds formats to schemas in files, [`adopt`] to schemas that were inferred.
//! - [`walk`] reads and writes messages of a known type, [`json`] their canonical JSON and [`text`]
//!   their text format. [`plain`] reads messages of an unknown type.
//!
//! "Language guide" and "encoding guide" in this crate's comments are those of
//! <https://protobuf.dev>; "descriptor.proto" is that of Protocol Buffers 31.
//!
//! A `.proto` text is read, and its messages are looked up:
//!
//! ```
//! use polywire_core::schema::language::SchemaText;
//! use polywire_core::text::sources::NoFiles;
//! use polywire_protobuf::source::read;
//!
//! let text = b"syntax = \"proto3\"; package shop; message Order { int64 id = 1; repeated string items = 2; }";
//! let protos = read(&SchemaText { name: "shop.proto", bytes: text, identity: "" }, &mut NoFiles).expect("a schema");
//! let order = protos.pool.message("shop.Order").expect("a message of it");
//! let names: Vec<&str> = protos.pool[order].fields.iter().map(|field| &*field.name).collect();
//! assert_eq!(names, ["id", "items"]);
//! ```
#![forbid(unsafe_code)]

pub mod adopt;
pub mod bind;
pub mod compat;
mod describe;
pub mod descriptor;
mod format;
pub mod json;
pub mod language;
pub mod model;
pub mod plain;
pub mod plan;
mod scalar;
pub mod source;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
mod through;
pub mod walk;
pub mod wire;

pub use format::{CONFLUENT, DELIMITED, FORMAT, GRPC, JSON, TEXT};
