//! libpolywire-formats: every format of Polywire for programs in C.
//!
//! `include/polywire.h` is its header, which cbindgen makes from this crate; `docs/c-api.md` shows
//! how to build and use it. This crate has no logic of its own: it hands C's arguments to the
//! library `polywire`, and its results back.
//!
//! - `pointer` is the only module that follows pointers, and so the only one with unsafe blocks.
//! - `guard` runs the body of every function that can fail: a panic becomes an error.
//!
//! Beside it stands `libpolywire` (`crates/capi`), with the interface of libpsyc: PSYC packets
//! alone, without an allocator.

// The header has their functions in this order.
mod version;

mod error;

mod options;

mod outcome;

mod format;

mod convert;

mod event;

mod walk;

mod inspect;

mod infer;

mod check;

mod guard;
mod pointer;
