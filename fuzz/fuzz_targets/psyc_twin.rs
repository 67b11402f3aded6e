//! PSYC's packet parser says what its plain twin says, however the input is cut. The first byte chooses cuts and limits.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/twins/mod.rs"]
#[allow(dead_code)]
mod twins;

fuzz_target!(|data: &[u8]| twins::fuzz_twin(data));
