//! Messages without their schema: what their bytes tell by themselves, and what they are likely to be.

mod guess;
mod read;
mod recognise;

pub use read::PlainReader;
pub(crate) use read::{emit_guess, note_head};
pub(crate) use recognise::{confluent, delimited, grpc, whole};
