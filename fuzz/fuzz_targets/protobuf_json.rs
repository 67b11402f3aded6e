//! No text makes the parser of ProtoJSON panic or hang; what is taken has bytes that say the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_protobuf::testing::bodies::json(data));
