//! The gateway of the query language.
#![forbid(unsafe_code)]

pub mod decode;
