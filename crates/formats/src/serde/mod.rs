//! Rust's types to and from the bytes of every format.
//!
//! [`from_slice`] and [`to_vec`] take one message; [`TypedReader`] and [`TypedWriter`] take one
//! after the other and use their memory again; [`Messages`] and [`StreamWriter`] are streams.
//!
//! Formats with a *pull reader* are read without events ([`pulls`]). All others are walked into a
//! tree, whose values become those of the type.
//!
//! ```
//! use polywire_core::Limits;
//! use polywire_formats::registry;
//! use polywire_formats::serde::{from_slice, to_vec};
//!
//! let json = registry::find("json")?;
//! let point: (i8, f64) = from_slice(b"[-7, 2.5]", json, &Limits::DEFAULT)?;
//! assert_eq!(point, (-7, 2.5));
//! assert_eq!(to_vec(&point, registry::find("cbor")?)?, b"\x82\x26\xfb\x40\x04\0\0\0\0\0\0");
//! # Ok::<(), polywire_core::Error>(())
//! ```

#[cfg_attr(not(feature = "full"), allow(dead_code))]
pub(crate) mod access;
#[cfg_attr(not(feature = "full"), allow(unused))]
pub(crate) mod container;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
pub(crate) mod counted;
mod lacking;
mod losses;
mod output;
#[cfg_attr(not(feature = "full"), allow(dead_code))]
pub(crate) mod placed;
pub mod pulls;
mod read;
mod stream;
mod write;

pub use output::StreamWriter;
pub use read::{DEPTH, TypedReader, from_slice};
pub use stream::Messages;
pub use write::{TypedWriter, to_vec};
