//! PSYC state is what its log replays to.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/psyc/tests/fuzz/state.rs"]
mod fuzz;

fuzz_target!(|data: &[u8]| {
    fuzz::body(data);
});
