//! `msgpack` beside `rmpv`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::judges::msgpack::body(bytes));
