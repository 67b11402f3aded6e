//! A body template of either language: it is one, or what is wrong is on one of its lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        polywire_hooks::testing::template(text);
    }
});
