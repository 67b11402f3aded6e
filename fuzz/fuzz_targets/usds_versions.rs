//! Two texts of USDS dictionaries with a zero byte between them: their comparison holds for documents of both.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_usds::testing::versions(data));
