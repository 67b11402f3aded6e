//! What can be read and written again is the same message. The first byte chooses the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use polywire_formats::registry::FORMATS;

fuzz_target!(|data: &[u8]| {
    if let Some((&choice, bytes)) = data.split_first() {
        polywire_testing::fuzz_rewrite(FORMATS[usize::from(choice) % FORMATS.len()], bytes);
    }
});
