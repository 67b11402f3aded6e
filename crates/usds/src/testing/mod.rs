//! What tests and fuzz targets share: random dictionaries and documents, a plain decoder, and the bodies of the targets.
//!
//! Compiled only with the feature `testing`. Everything is a function of a seed.

mod bodies;
mod plain;
mod random;
mod rows;

pub use bodies::{Doors, body, section, shown, text};
pub use plain::decode as plain;
pub use random::{dictionary, document};

pub use fastrand::Rng;
