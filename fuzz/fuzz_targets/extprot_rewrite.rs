//! What is decoded is encoded, and decoded to the same value.
#![no_main]

#[path = "../../crates/extprot/tests/twin/mod.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| twin::bodies::rewrite(data));
