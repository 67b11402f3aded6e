//! PSYC uniforms against a plain twin.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/fuzz/uniform.rs"]
mod fuzz;

fuzz_target!(|data: &[u8]| fuzz::body(data));
