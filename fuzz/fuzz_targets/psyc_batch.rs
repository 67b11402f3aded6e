//! A batch of PSYC packets holds what the pull parser tells.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/fuzz/batch.rs"]
mod fuzz;

fuzz_target!(|data: &[u8]| fuzz::body(data));
