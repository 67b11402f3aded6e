//! Any bytes as messages of a format become rows by a schema that they need not fit, and the rows become messages again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::hostile_bytes::sink(bytes));
