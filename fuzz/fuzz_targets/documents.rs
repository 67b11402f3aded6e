//! Whatever the bytes, what a format's messages and conventions make of them is a sound document, or an error. The first byte chooses the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use polywire_formats::registry::{self, FORMATS};

fuzz_target!(|data: &[u8]| {
    if let Some((&choice, bytes)) = data.split_first() {
        let format = FORMATS[usize::from(choice) % FORMATS.len()];
        polywire_testing::fuzz_document(format, bytes);
        if let Some(conventions) = registry::conventions(format) {
            polywire_testing::fuzz_conventions(conventions, bytes);
        }
    }
});
