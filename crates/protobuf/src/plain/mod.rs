//! Messages of an unknown type: facts that the bytes give, and guesses.

mod guess;
mod read;
mod recognise;

pub use read::PlainReader;
pub(crate) use read::{emit_guess, note_head};
pub(crate) use recognise::{confluent, delimited, grpc, whole};
