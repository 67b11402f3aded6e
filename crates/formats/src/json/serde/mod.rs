//! JSON's pull reader, and its writer of Rust's types.

mod read;

pub use read::{Deserializer, read};
