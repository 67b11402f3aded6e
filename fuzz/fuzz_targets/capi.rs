//! Any bytes through the functions of `polywire.h`. The sanitizer watches what is read and written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/capi/general/tests/face/mod.rs"]
mod face;

fuzz_target!(|data: &[u8]| face::body::face(data));
