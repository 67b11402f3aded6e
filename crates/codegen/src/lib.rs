//! Schema to typed code: generates Rust types, and the code that reads and writes them.
//!
//! A schema [`Language`](encoding::Language) reads a [`Plan`](plan::Plan): types, names,
//! documentation, defaults. Rust is the only target: [`rust`] makes types of the plan, and each
//! [`Encoding`](encoding::Encoding) adds the code that reads and writes them. A new schema language
//! and a new encoding are each a folder, and a line where they are listed.
//!
//! In a build script:
//!
//! ```no_run
//! polywire_codegen::Config::new().compile("protocols/fleet.extprot")?;
//! # Ok::<(), polywire_codegen::GenerateError>(())
//! ```
//!
//! and in the program `mod fleet { include!(concat!(env!("OUT_DIR"), "/fleet.rs")); }`.
#![forbid(unsafe_code)]

mod config;
pub mod encoding;
mod extprot;
mod file;
pub mod languages;
mod options;
pub mod plan;
mod protobuf;
pub mod rust;
#[cfg(feature = "thrift")]
mod thrift;
mod usds;

pub use config::{Compiled, Config, GenerateError};
pub use options::Options;
