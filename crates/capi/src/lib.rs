//! libpolywire: the C library.
//!
//! It has the programming interface of libpsyc (docs/spec/psyc.md Annex A): programs written for
//! libpsyc compile with the headers in `include/`, and link with it, unchanged. `docs/libpsyc.md`
//! has the steps and the differences. `polywire-psyc` has the parsers and the renderer; this crate
//! adds only the interface for C. Each module is one header or a part of it.
//!
//! - Nothing allocates, and nothing panics. With the feature `freestanding`, where panics abort,
//!   the library needs no standard library of Rust.
//! - All results are views into the caller's bytes.
//! - `pointer` is the only module that follows pointers, and so the only one with unsafe blocks
//!   (`freestanding` declares C's `abort`).
#![no_std]

#[cfg(all(feature = "freestanding", panic = "abort"))]
mod freestanding;

mod class;
mod layout;
mod matching;
mod names;
mod packet;
mod parse;
mod pointer;
mod render;
mod structured;
mod text;
mod uniform;
mod variable;
