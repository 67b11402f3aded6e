//! A body of USDS: all decoders agree, and what they decode is encoded to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_usds::testing::body(data));
