//! A message of a later version passes a program of an older one without loss.
#![no_main]

#[path = "../../crates/extprot/tests/twin/mod.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| twin::bodies::relay(data));
