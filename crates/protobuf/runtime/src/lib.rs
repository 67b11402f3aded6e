//! What generated code that reads and writes Protocol Buffers runs on, and all that such code needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Validate`] and [`Encode`], the [`Arena`] that borrowed messages keep their lists in, the
//! [`Buffer`] that messages are written to one at a time, [`Limits`] and [`Error`]. The rest is for generated code: [`read`] and [`output`] are the
//! fast way, [`shape`] the slow one that finds out what is wrong, or puts in order what comes in an order that the fast way does not take.
//!
//! "Encoding guide" in this crate's comments is that of <https://protobuf.dev>.
#![forbid(unsafe_code)]

pub mod error;
pub mod limits;
mod list;
pub mod message;
pub mod output;
pub mod read;
pub mod shape;
mod slow;
pub mod wire;

pub use error::{Cause, Error, Step};
pub use limits::Limits;
pub use message::{Decode, DecodeOwned, Encode, Validate};
pub use polywire_extprot_runtime::{Arena, Buffer};
