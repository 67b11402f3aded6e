//! Texts that people write, such as schemas and scripts: where they come from, and what is wrong with them.

pub mod diagnostic;
pub mod sources;
