//! Texts that people write, such as schemas and scripts: their loaders, and the diagnostics about
//! them.

pub mod diagnostic;
pub mod sources;
