//! No text makes the parser or the resolver of NSDL panic or hang, each error has its place, and the layout keeps what a text means.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    polywire_fuzz::etch_bytes::text(bytes);
});
