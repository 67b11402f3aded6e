//! Messages of Thrift that are read by a schema are written again with the same meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::thrift_bytes::by_schema(bytes));
