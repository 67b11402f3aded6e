//! USDS: a dictionary gives names, ids and types; a body holds values without any of them; a head ties both together.
//!
//! - [`dictionary`] is what the dictionary language says: its two syntaxes, the checks, the text writer, and the binary section.
//! - [`compat`] is what two versions of a dictionary mean to each other.
//! - [`document`] is what bytes hold: head, dictionary and body in all combinations, and a parser that knows several dictionaries.
//! - [`events`] decodes a body into calls, and encodes calls, by the dictionary.
//! - [`dom`] is a document in memory: an arena that is filled again and again without allocating.
//! - [`walk`] is the format for the rest of the toolkit.
//!
//! Section numbers in this crate are those of the specification of USDS that the project keeps; the profile of `docs/usds-profile.md` completes
//! what the original left open.
#![forbid(unsafe_code)]

mod adopt;
pub mod bind;
pub mod compat;
pub mod dictionary;
pub mod document;
pub mod dom;
pub mod events;
pub mod failure;
mod format;
pub mod language;
pub mod plan;
#[cfg(feature = "testing")]
pub mod testing;
pub mod walk;
pub mod wire;

pub use format::FORMAT;
