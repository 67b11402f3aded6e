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
//! | [`scan`] | tokens, for readers with a schema |
//! | [`JsonOutput`] | an output buffer for JSON text |
//!
//! A string and a number are read in their place:
//!
//! ```
//! use polywire_json::cursor::{Cursor, Text};
//! use polywire_json::number;
//!
//! let text = r#""caf\u00e9" 12.50"#;
//! let mut scratch = String::new();
//! let mut cursor = Cursor::new(text);
//! // The cursor stands behind the opening quote.
//! cursor.at += 1;
//! assert_eq!(cursor.string(&mut scratch), Ok(Text::Unescaped));
//! assert_eq!(scratch, "café");
//! cursor.white();
//! let number = number::scan(text.as_bytes(), cursor.at).expect("a number");
//! assert_eq!(number.nearest(), Some(12.5));
//! ```
#![forbid(unsafe_code)]

pub mod cursor;
pub mod frame;
pub mod layout;
pub mod number;
mod output;
pub mod scan;
pub mod string;

pub use output::JsonOutput;
