//! Messages to events, and events to messages.

mod frames;
mod lazy;
mod read;
mod shared;
mod unknown;
mod versioned;
mod write;

pub(crate) use frames::Frames;
pub(crate) use read::explain;
pub use read::{ExtprotReader, Refusal};
pub use shared::NAME;
pub(crate) use shared::text_or_octets;
pub use versioned::{VersionedReader, VersionedRefusal};
pub use write::ExtprotWriter;
