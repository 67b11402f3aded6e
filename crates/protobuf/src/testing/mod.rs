//! Random schemas and messages, and the bodies of the fuzz targets. Everything is a function of a seed.

#[cfg(feature = "text")]
pub mod bodies;
mod message;
mod schema;

pub use fastrand::Rng;
pub use message::message;
pub use schema::schema;
