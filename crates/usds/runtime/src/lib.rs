//! What code generated from USDS dictionaries runs on, and all that such code needs.
//!
//! Users meet [`Decode`], [`DecodeOwned`], [`Encode`] and [`Validate`], the [`Dictionary`] that heads and sections are held against, [`Roots`] for
//! bodies of several entries, the [`Arena`] that borrowed values keep their arrays in, and [`Error`]. The rest is for generated code: [`read`] and
//! [`output`] are the fast way, [`shape`] the slow one that finds out what is wrong.
//!
//! Section numbers are those of the specification of USDS that the project keeps.
#![deny(unsafe_code)]

pub mod dictionary;
pub mod error;
pub mod message;
#[allow(unsafe_code)]
pub mod output;
pub mod read;
pub mod shape;
pub mod wire;

pub use dictionary::{Dictionary, Form, Revision, Roots};
pub use error::{Error, Problem, Step};
pub use message::{Decode, DecodeOwned, Encode, Root, Validate};
pub use polywire_extprot_runtime::{Arena, text};
