//! Packets, lists and dicts to bytes (docs/spec/psyc.md 11).
//!
//! Only the functions that append to a `Vec` allocate. Lengths are computed first, so nothing is
//! written into a buffer that is too small.

mod dict;
mod error;
mod list;
mod output;
mod packet;
mod pieces;
mod size;

pub use dict::{Dict, Entry, Key};
pub use error::RenderError;
pub use list::{Item, List};
pub use packet::{Lengths, lengths, modifier, modifier_length, modifier_wants_size, needs_size, render, wants_size};
pub use pieces::{Pieces, SIZE_TEXT_MAX, pieces, scratch_length};
pub use size::{digits, value_wants_size};

#[cfg(feature = "alloc")]
pub use packet::append;
