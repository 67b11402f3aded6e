//! What code generated from extprot protocols runs on: it has no dependencies, and is all that such code needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Validate`] and [`Encode`], the [`Arena`] that borrowed messages keep their lists in, the
//! [`Buffer`] that messages are written to one at a time, [`Limits`] and [`Error`]. The rest is for generated code: [`read`], [`scan`] and [`output`]
//! are the fast way, [`shape`] the slow one that finds out what is wrong.
//!
//! Section numbers are those of the specification of extprot that the project keeps.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
pub mod arena;
#[allow(unsafe_code)]
mod bits;
pub mod buffer;
pub mod error;
pub mod lazy;
pub mod limits;
pub mod message;
#[allow(unsafe_code)]
pub mod output;
pub mod read;
pub mod scan;
pub mod shape;
#[allow(unsafe_code)]
pub mod text;
pub mod wire;

pub use arena::Arena;
pub use buffer::Buffer;
pub use error::{Cause, Error, Size};
pub use lazy::Lazy;
pub use limits::Limits;
pub use message::{Decode, DecodeOwned, Encode, Validate};
