//! PSYC packets are rendered and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/fuzz/render.rs"]
mod fuzz;

fuzz_target!(|data: &[u8]| fuzz::body(data));
