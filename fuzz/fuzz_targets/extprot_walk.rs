//! A message without its protocol: no panic, and everything told lies in the message.
#![no_main]

#[path = "../../crates/extprot/tests/twin/mod.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| twin::bodies::walk(data));
