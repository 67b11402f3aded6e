//! Protocol Buffers by schema at run time.
//!
//! - [`descriptor`] is `descriptor.proto` as plain structs: what compilers hand to each other, read from bytes and written as such.
//! - [`source`] reads a schema, as `.proto` text or as a descriptor set; [`format`] lays texts out.
//! - [`language`] is `.proto` as one of the toolkit's schema languages.
//! - [`model`] is a set of descriptors with names, features and defaults resolved: what the codec, code generators and the compatibility check work on.
//!
//! "Language guide" and "encoding" in this crate's comments are those of <https://protobuf.dev>; "descriptor.proto" is that of Protocol Buffers 31.
#![forbid(unsafe_code)]

pub mod descriptor;
pub mod format;
pub mod language;
pub mod model;
pub mod source;
