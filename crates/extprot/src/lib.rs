//! extprot: extensible protocols with sum types, polymorphic types and tuples, and a
//! self-describing encoding.
//!
//! - [`protocol`] is the protocol language: its lexer, syntax tree, checks and formatter.
//! - [`language`] is that language as one of the toolkit's schema languages.
//! - [`model`] is a checked and fully expanded protocol, the base of codecs, code generators and
//!   the compatibility check.
//! - [`wire`] is the byte layout. [`plan`] prepares a message type for it, from a protocol or, by
//!   [`adopt`], from a common schema.
//! - [`walk`] reads and writes messages of a known type, [`validate`] only checks them, and
//!   [`plain`] reads messages of an unknown type.
//! - [`error`] holds the errors of decoders, and [`bind`] binds the format to protocols.
//!
//! The specification is docs/spec/extprot.md.
#![forbid(unsafe_code)]

pub mod adopt;
pub mod bind;
pub mod compat;
pub mod error;
pub mod language;
pub mod model;
pub mod plain;
pub mod plan;
pub mod protocol;
#[cfg(feature = "testing")]
pub mod testing;
pub mod validate;
pub mod walk;
pub mod wire;

pub use plain::FORMAT;
