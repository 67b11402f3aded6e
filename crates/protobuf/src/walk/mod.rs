//! Messages of a known type as events, and events as messages.

mod read;
mod tell;
mod visit;

pub use read::ProtobufReader;
pub(crate) use tell::{Scratch, Walk};
pub(crate) use visit::{Inner, Value, Visitor};
