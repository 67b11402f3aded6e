//! NSDL, the language in which services are described (`docs/spec/etch.md 7`).

mod lex;
pub(crate) mod load;
mod parse;
pub(crate) mod resolve;
pub(crate) mod syntax;
