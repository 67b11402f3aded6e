//! The base of the runtimes that generated code needs: one for each encoding, such as
//! `polywire-extprot-runtime`. It has no dependencies.
//!
//! Users meet the traits [`Decode`], [`DecodeOwned`], [`Encode`] and [`Validate`], which a type has
//! once for each of its [encodings](Encoding), the [`Arena`] that holds the lists of borrowed
//! messages, the [`Buffer`] that messages are written to one at a time, and [`Error`]. The runtime
//! of an encoding exports them again. The rest is for those runtimes.
//!
//! The lists of a message lie in an arena, whose memory serves the next message:
//!
//! ```
//! use polywire_runtime::Arena;
//!
//! let mut arena = Arena::new();
//! for message in [&b"\x01\x02\x03"[..], b"\x04"] {
//!     let mut bytes = message.iter();
//!     let list = arena.fill(message.len(), || bytes.next().copied().map(u32::from).ok_or("an end"))?;
//!     assert_eq!(list.len(), message.len());
//!     arena.reset();
//! }
//! # Ok::<(), &str>(())
//! ```
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod arena;
#[allow(unsafe_code)]
pub mod bits;
mod buffer;
mod encoding;
mod error;
mod message;
#[allow(unsafe_code)]
pub mod output;
pub mod read;
#[allow(unsafe_code)]
pub mod text;
pub mod vint;

pub use arena::{Arena, Room};
pub use buffer::Buffer;
pub use encoding::Encoding;
pub use error::{Error, PathStep};
pub use message::{Decode, DecodeOwned, Encode, Validate, Whole};
