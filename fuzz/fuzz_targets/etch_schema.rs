//! Messages of Etch that are read by a service in NSDL are written again with the same meaning.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    polywire_fuzz::etch_bytes::by_schema(bytes);
});
