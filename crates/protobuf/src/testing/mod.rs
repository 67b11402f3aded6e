//! Random schemas and messages, and the bodies of the fuzz targets. Everything is a function of a
//! seed.

#[cfg(feature = "text")]
pub mod bodies;
#[cfg(feature = "text")]
mod judge;
#[cfg(feature = "text")]
mod language;
mod message;
mod schema;

pub use fastrand::Rng;
#[cfg(feature = "text")]
pub use judge::judged;
#[cfg(feature = "text")]
pub use language::language;
pub use message::message;
pub use schema::schema;
