//! JSON text as bytes (RFC 8259): strings, numbers, and where a message ends.
//!
//! JSON's reader and writer, ProtoJSON, and the documents of the query language share these parts.
//!
//! | module | holds |
//! |---|---|
//! | [`cursor`] | reading a text: white space and strings |
//! | [`string`] | escaping, and the search for the end of plain text |
//! | [`number`] | numbers as exact scalars |
//! | [`layout`] | lines, indentation and colours for compact text |
//! | [`frame`] | where one JSON text ends in a stream |
//! | [`JsonOutput`] | an output buffer for JSON text |
#![forbid(unsafe_code)]

pub mod cursor;
pub mod frame;
pub mod layout;
pub mod number;
mod output;
pub mod string;

pub use output::JsonOutput;
