//! Generated code has the codec's verdict on any bytes, and what it decodes is the same after encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| polywire_codegen_conformance::protobuf::fuzz(data));
