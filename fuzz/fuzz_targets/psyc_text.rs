//! PSYC text templates against a plain twin, with all sizes of buffers.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/fuzz/text.rs"]
mod fuzz;

fuzz_target!(|data: &[u8]| fuzz::body(data));
