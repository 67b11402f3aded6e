//! The text of a USDS dictionary: findings lie in it, and what is accepted is laid out in one way that is accepted too.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_usds::testing::text(data));
