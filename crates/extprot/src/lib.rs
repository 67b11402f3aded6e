//! extprot: extensible protocols with sum types, polymorphic types and tuples, and an encoding that describes itself.
//!
//! - [`protocol`] is what the schema language says: its text, syntax tree, checks and formatter.
//! - [`language`] is that language as one of the toolkit's schema languages.
//! - [`model`] is a checked protocol, fully expanded: what codecs, code generators and the compatibility check work on.
//!
//! Section numbers in this crate are those of the specification of extprot that the project keeps.
#![forbid(unsafe_code)]

pub mod adopt;
pub mod bind;
pub mod compat;
pub mod failure;
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
