//! No schema of Protocol Buffers, as text or as a descriptor set, makes its reader panic or hang; layout and printing keep what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_protobuf::testing::language(data));
