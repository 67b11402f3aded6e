//! No bytes make the readers of Protocol Buffers panic or hang; the walk and the printer of JSON accept the same, and what they tell makes the same message again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_protobuf::testing::bodies::message(data));
