//! The byte layout: varints, tags, lengths and groups, by
//! <https://protobuf.dev/programming-guides/encoding/> ("Message Structure", "Base 128 Varints").
//!
//! Positions are offsets in the message. A function that reads up to a bound takes the message cut
//! off there, as `window`, so that its positions stay those of the message.

mod bounds;
mod error;
pub mod framing;
mod group;
pub(crate) mod known;
pub(crate) mod set;
pub mod skip;
mod tag;
pub mod varint;

pub use bounds::{MAX_LENGTH, array, length};
pub use error::{Broken, WireError};
pub(crate) use error::{NAME, wire_error};
pub(crate) use group::Groups;
pub use tag::{MAX_FIELD, Tag, WireType, tag, tag_of};
pub(crate) use tag::{bare_tag, wire_of};
