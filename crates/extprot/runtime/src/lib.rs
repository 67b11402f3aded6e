//! What code generated from extprot protocols runs on.
#![deny(unsafe_code)]
#[allow(unsafe_code)]
pub mod arena;
pub mod limits;
#[allow(unsafe_code)]
pub mod output;
pub mod read;
pub mod wire;
