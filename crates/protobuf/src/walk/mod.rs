//! Messages of a known type: bytes to events, and events to bytes.

mod build;
#[cfg(feature = "columns")]
mod columns;
mod course;
mod document;
mod events;
mod gather;
mod map;
mod open;
mod read;
#[cfg(feature = "columns")]
mod rows;
mod run;
mod shuffled;
mod state;
mod straight;
mod structs;
mod survey;
#[cfg(feature = "columns")]
mod typed;
mod values;
mod view;
mod visit;
mod write;

pub(crate) use build::Build;
pub use read::{ProtobufReader, document_reader};
pub(crate) use state::{Scratch, Walk};
pub(crate) use visit::{Inner, Visitor, no_text};
pub use write::ProtobufWriter;
