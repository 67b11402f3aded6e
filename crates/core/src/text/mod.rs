//! Texts that people write, such as schemas and scripts: their loaders, the diagnostics about them,
//! lines and columns of texts that arrive in pieces, and the names of object identifiers.

pub mod diagnostic;
pub mod lines;
pub mod oids;
pub mod sources;
