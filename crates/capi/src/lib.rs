//! libpolywire: the C library.
//!
//! It has the programming interface of libpsyc, by docs/spec/psyc.md Annex A of the implementer's specification of PSYC that the project keeps (section numbers in this crate are those of
//! that): programs written for libpsyc compile with the headers in `include/`, and link with it, unchanged. `docs/libpsyc.md` says how, and what differs. What
//! packets, lists and names are is known to `polywire-psyc`; here is only what C needs around it. Each module is one header or a part of it.
//!
//! - Nothing allocates, and nothing panics: with the feature `freestanding`, where panics abort, the library does without Rust's standard library.
//! - All results are views into what the caller passed.
//! - [`pointer`] is the one module that follows pointers, and with that the one that is unsafe.
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
