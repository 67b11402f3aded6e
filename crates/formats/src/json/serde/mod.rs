//! JSON's pull reader, and its writer of Rust's types.

mod read;
mod write;

pub use read::{Deserializer, read};
pub(crate) use write::push;
