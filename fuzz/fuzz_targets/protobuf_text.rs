//! No text makes the parser of Protocol Buffers' text format panic or hang; what is taken has bytes that say the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_protobuf::testing::bodies::text(data));
