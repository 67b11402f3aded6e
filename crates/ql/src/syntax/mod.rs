//! Scripts as text: reading them to a tree, and printing the tree.
//!
//! The grammar is that of specification 3, as ordered choices: the first that fits is taken, and one that does not fit costs a few characters. Nothing that
//! could be long is read twice, and nesting is bounded, so that a hostile script costs time in proportion to its length and little stack.

pub mod ast;
mod control;
mod create;
mod cursor;
mod json;
mod path;
mod print;
mod script;
mod statement;

use polywire_core::text::diagnostic::{Diagnostics, Source};

use ast::{Script, Value};
use cursor::Cursor;

/// Bytes of a script at most.
pub const MAX_SCRIPT: usize = 1 << 20;

/// How deep values, conditions, blocks and inner selects may be nested.
pub const MAX_DEPTH: usize = 100;

/// Reads a script. Texts that are only tables, or a route, are scripts too.
///
/// # Errors
/// The first mistake of syntax, with its place, and what would have been right there.
pub fn parse(source: &Source) -> Result<Script, Diagnostics> {
    let mut cursor = Cursor::new(&source.text);
    cursor.script().map_err(|_| Diagnostics { sources: vec![source.clone()], findings: vec![cursor.diagnose()] })
}

/// Reads a value alone: JSON with either quote.
///
/// # Errors
/// The first mistake of syntax.
pub fn parse_value(text: &str) -> Result<Value, Diagnostics> {
    let mut cursor = Cursor::new(text);
    cursor.only_value().map_err(|_| Diagnostics { sources: vec![Source::new("value", text)], findings: vec![cursor.diagnose()] })
}
