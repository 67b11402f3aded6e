//! A message of a protocol: all decoders agree on the value, or on the error with offset and path.
#![no_main]

#[path = "../../crates/extprot/tests/twin/mod.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| twin::bodies::decode(data));
