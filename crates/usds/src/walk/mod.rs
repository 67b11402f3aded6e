//! Documents to events, and events to documents.

mod message;
mod read;
mod write;

pub use message::{Message, NAME};
pub use read::UsdsReader;
pub(crate) use read::root_head;
pub use write::UsdsWriter;
