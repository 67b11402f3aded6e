//! USDS: a dictionary holds names, ids and types, a body holds only values, and a head ties both
//! together.
//!
//! - [`dictionary`] is the dictionary language: its two syntaxes, the checks, the text writer, and
//!   the binary section.
//! - [`compat`] compares two versions of a dictionary.
//! - [`document`] handles the parts of documents, head, dictionary and body in all combinations,
//!   and chooses among several known dictionaries.
//! - [`events`] decodes a body into calls and encodes calls as a body, by the dictionary.
//! - [`dom`] is a document in memory: an arena that is reused without allocating.
//! - [`walk`] connects the format to the rest of the toolkit.
//!
//! The specification is docs/spec/usds.md. The profile of docs/usds-profile.md completes the parts
//! that the original left open.
//!
//! A dictionary is parsed; its mistakes come all at once, each with its place:
//!
//! ```
//! use polywire_usds::dictionary::Dictionary;
//!
//! let text = b"USDS DICTIONARY ID=7 v.1.2 { 1: STRUCT Ticket { 1: LONG number; 2: STRING event; } }";
//! let dictionary = Dictionary::parse("tickets.udic", text).expect("a dictionary");
//! assert_eq!(dictionary.tags().len(), 1);
//!
//! let wrong = Dictionary::parse("b.udic", b"USDS B {\n  INT a\n  LONG b;\n}").unwrap_err();
//! assert_eq!(wrong.position(wrong.findings[0].at), "b.udic:3:3");
//! ```
#![forbid(unsafe_code)]

mod adopt;
pub mod bind;
pub mod compat;
pub mod dictionary;
pub mod document;
pub mod dom;
pub mod error;
pub mod events;
mod format;
pub mod language;
pub mod plan;
#[cfg(feature = "testing")]
pub mod testing;
pub mod walk;
pub mod wire;

pub use format::FORMAT;
