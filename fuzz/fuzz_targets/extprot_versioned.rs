//! Versioned frames, cut anywhere: each is read as its version's reader reads the message.
#![no_main]

#[path = "../../crates/extprot/tests/twin/mod.rs"]
mod twin;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| twin::bodies::versioned(data));
