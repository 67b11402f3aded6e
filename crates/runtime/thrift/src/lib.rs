//! The runtime of code generated from Thrift's IDL, and all that such code needs.
//!
//! A type has the traits [`Decode`], [`DecodeOwned`], [`Validate`] and [`Encode`] once for each
//! protocol: [`Binary`] and [`Compact`]. Users meet these, the [`Arena`] that holds the lists of
//! borrowed messages, the [`Buffer`] that messages are written to one at a time, [`Limits`] and
//! [`Error`]. The rest is for generated code: [`read`] and [`output`] are the fast way, [`shape`]
//! is the slow one that finds out what is wrong.
//!
//! Sources: `doc/specs/thrift-binary-protocol.md` and `thrift-compact-protocol.md` of
//! <https://github.com/apache/thrift>.
#![forbid(unsafe_code)]

mod binary;
mod compact;
mod encoding;
pub mod error;
pub mod limits;
pub mod output;
pub mod read;
pub mod shape;
pub mod wire;

pub use binary::Binary;
pub use compact::Compact;
pub use error::{Cause, Error};
pub use limits::Limits;
pub use output::Output;
pub use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, PathStep, Validate, Whole};
pub use read::Reader;
pub use wire::Protocol;
