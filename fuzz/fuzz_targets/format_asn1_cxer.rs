//! Any bytes as `asn1-cxer` without a schema: what its framing and the sinks make of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| polywire_fuzz::format("asn1-cxer", bytes));
