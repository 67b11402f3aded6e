//! Shared parts of tests and fuzz targets: random dictionaries and documents, a plain decoder, and
//! the bodies of the targets.
//!
//! Compiled only with the feature `testing`. All output is a function of a seed.

mod bodies;
mod plain;
mod random;
mod rows;
mod versions;

pub use bodies::{Doors, body, section, shown, text};
pub use plain::decode as plain;
pub use random::{dictionary, document};
pub use versions::{change, held, versions};

pub use fastrand::Rng;
