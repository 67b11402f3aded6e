//! MessagePack's pull reader.

mod read;

pub use read::{Deserializer, read};
