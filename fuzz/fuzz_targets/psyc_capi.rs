//! PSYC through the C interface gives what it gives in Rust: any bytes, cut anywhere. The sanitizer watches what is read and written.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/capi/tests/door/mod.rs"]
mod door;

fuzz_target!(|data: &[u8]| door::differential::differential(data));
