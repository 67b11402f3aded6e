//! The runtime of code generated from extprot protocols, and all that such code needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Validate`] and [`Encode`], the [`Arena`] that holds
//! the lists of borrowed messages, the [`Buffer`] that messages are written to one at a time,
//! [`Limits`] and [`Error`]. The rest is for generated code: [`read`], [`scan`] and [`output`] are
//! the fast way, [`shape`] is the slow one that finds out what is wrong.
//!
//! Rules are cited from docs/spec/extprot.md.
#![forbid(unsafe_code)]

mod encoding;
pub mod error;
pub mod lazy;
pub mod limits;
mod marker;
pub mod output;
pub mod read;
pub mod scan;
pub mod shape;
pub mod wire;

pub use error::{Cause, Error, Size};
pub use lazy::Lazy;
pub use limits::Limits;
pub use marker::Extprot;
pub use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, PathStep, Validate, Whole};
