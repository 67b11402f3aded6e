//! Messages of a known type as events, and events as messages.

mod build;
mod course;
mod document;
mod read;
mod survey;
mod tell;
mod view;
mod visit;
mod write;

pub(crate) use build::{Build, is_default};
pub use read::{ProtobufReader, document_reader};
pub(crate) use tell::{Scratch, Walk};
pub(crate) use visit::{Inner, Value, Visitor, no_text};
pub use write::ProtobufWriter;
