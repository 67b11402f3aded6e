//! Any bytes as XER and CXER of known types: what the readers and writers make of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::xer_bytes::xer(bytes));
