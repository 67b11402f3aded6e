//! Any bytes as `etch-packet`: what its reader, its writer and the sinks make of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::format("etch-packet", bytes));
