//! Texts that people write, such as schemas and scripts: their loaders, the diagnostics about them,
//! and lines and columns of texts that arrive in pieces.

pub mod diagnostic;
pub mod lines;
pub mod sources;
