//! ASN.1: modules of X.680 to X.683, and the resolved model that the encoding rules need.
#![forbid(unsafe_code)]

pub mod lex;
pub mod parse;
pub mod syntax;
