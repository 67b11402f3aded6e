//! CBOR's pull reader, and its serializer.

mod read;
mod write;

pub use read::{Deserializer, read};
pub(crate) use write::Direct;
