//! The runtime of code generated from USDS dictionaries, and all that such code needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Encode`] and [`Validate`], which roots have for whole
//! documents and bodies, [`Root`] and [`Value`] for what is in them, the [`Dictionary`] that heads
//! and sections are checked against, [`Roots`] for bodies of several entries, the [`Arena`] that
//! holds the arrays of borrowed values, and [`Error`]. The rest is for generated code: [`read`] and
//! [`output`] are the fast way, [`shape`] is the slow one that finds out what is wrong.
//!
//! Rules are cited from docs/spec/usds.md.
#![deny(unsafe_code)]

pub mod dictionary;
mod encoding;
pub mod error;
mod limits;
mod marker;
#[allow(unsafe_code)]
pub mod output;
pub mod read;
mod revision;
mod root;
mod roots;
pub mod shape;
mod value;
pub mod wire;

pub use dictionary::{Dictionary, Form, Tag, Type};
pub use error::{Cause, Error, Problem};
pub use limits::NoLimits;
pub use marker::Usds;
pub use polywire_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, PathStep, Validate, Whole, text};
pub use revision::Revision;
pub use root::Root;
pub use roots::Roots;
pub use value::Value;
