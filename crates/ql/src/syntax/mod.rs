//! Scripts as text: reading them to a tree, and printing the tree.
//!
//! The grammar (docs/spec/ql.md 3) is read as ordered choices: the first that fits is taken, and
//! one that does not fit costs a few characters. Nothing long is read twice, and nesting is
//! bounded, so a hostile script costs time in proportion to its length and little stack.

mod asking;
pub mod ast;
mod clause;
mod control;
mod create;
mod cursor;
mod json;
mod limits;
mod line;
mod path;
mod print;
mod script;
mod statement;

use polywire_core::text::diagnostic::{Diagnostics, Source};

use ast::{Script, Value};
use cursor::Cursor;

pub use clause::{operand, quoted};
pub use limits::{MAX_DEPTH, MAX_SCRIPT};

/// Reads a script. A text of only tables, or of a route, is a script too.
///
/// # Errors
/// The first syntax error: its place, and what was expected there.
pub fn parse(source: &Source) -> Result<Script, Diagnostics> {
    let mut cursor = Cursor::new(&source.text);
    cursor.script().map_err(|_| Diagnostics { sources: vec![source.clone()], findings: vec![cursor.diagnose()] })
}

/// Reads a value alone: JSON with either quote.
///
/// # Errors
/// The first syntax error.
pub fn parse_value(text: &str) -> Result<Value, Diagnostics> {
    let mut cursor = Cursor::new(text);
    cursor.only_value().map_err(|_| Diagnostics { sources: vec![Source::new("value", text)], findings: vec![cursor.diagnose()] })
}
