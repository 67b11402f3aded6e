//! `protobuf` by its schema, beside `prost-reflect`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_protobuf::testing::judged(bytes));
