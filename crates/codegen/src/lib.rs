//! Schema to typed code.
//!
//! A schema [`Language`](encoding::Language) is read to a [`Plan`](plan::Plan): types, names, documentation, defaults, in no target language. A target (here
//! [`rust`]) makes types of the plan; each [`Encoding`](encoding::Encoding) adds how they are read and written. A new target, a new schema
//! language and a new encoding are each a module of its own, and a line where they are listed.
//!
//! In a build script:
//!
//! ```no_run
//! polywire_codegen::Config::new().compile("protocols/fleet.extprot")?;
//! # Ok::<(), polywire_codegen::Failure>(())
//! ```
//!
//! and in the program `mod fleet { include!(concat!(env!("OUT_DIR"), "/fleet.rs")); }`.
#![forbid(unsafe_code)]

mod config;
pub mod encoding;
mod extprot;
pub mod languages;
pub mod plan;
mod protobuf;
pub mod rust;
mod usds;

pub use config::{Compiled, Config, Failure, Options, Target};
