//! ASN.1: modules of X.680 to X.683, and the resolved model that the encoding rules need.
#![forbid(unsafe_code)]

pub mod lex;
pub mod model;
pub mod parse;
mod resolve;
pub mod syntax;

pub use resolve::Modules;
