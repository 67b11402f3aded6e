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
//!
//! A protocol is compiled, and a message is checked by it:
//!
//! ```
//! use polywire_extprot::error::SizeLimits;
//! use polywire_extprot::plan::Plan;
//! use polywire_extprot::protocol::{NoFiles, compile};
//! use polywire_extprot::validate::validate;
//!
//! let text = b"message point = { x : int; y : int }";
//! let protocol = compile("point.proto", text, &mut NoFiles).expect("a protocol");
//! let plan = Plan::new(&protocol, Some("point")).expect("a message type of it");
//! let point = [0x01, 0x05, 0x02, 0x00, 0x02, 0x00, 0x04];
//! assert_eq!(validate(&plan, &point, &SizeLimits::NONE), Ok(point.len()));
//! assert!(validate(&plan, &point[..6], &SizeLimits::NONE).is_err());
//! ```
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
