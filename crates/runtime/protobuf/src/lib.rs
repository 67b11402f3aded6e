//! The runtime of generated code that reads and writes Protocol Buffers, and all that such code
//! needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Validate`] and [`Encode`], the [`Arena`] that holds
//! the lists of borrowed messages, the [`Buffer`] that messages are written to one at a time,
//! [`Limits`] and [`Error`]. The rest is for generated code: [`read`] and [`output`] are the fast
//! way, [`shape`] is the slow one. It finds out what is wrong, and puts in order what the fast way
//! does not take in its order.
//!
//! "Encoding guide" in this crate's comments is that of <https://protobuf.dev>.
#![forbid(unsafe_code)]

mod encoding;
pub mod error;
pub mod limits;
mod list;
mod marker;
pub mod output;
pub mod read;
pub mod shape;
mod slow;
pub mod wire;

pub use error::{Cause, Error};
pub use limits::Limits;
pub use marker::Protobuf;
pub use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, PathStep, Validate, Whole};
