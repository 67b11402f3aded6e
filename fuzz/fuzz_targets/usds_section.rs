//! A dictionary section of USDS: what is read is written, and read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_usds::testing::section(data));
